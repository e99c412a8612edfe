"""Money: invoices, instalments and scholarships."""

from typing import Any, Literal

from ._shared import Database, _allowed, _find, _new_key, _overdue, _title, _today

WRITES = {"pay_invoice", "split_invoice", "apply_for_scholarship", "withdraw_application"}

LEAST_TO_SPLIT = 200.0


def _open_invoice(db: Database, invoice_id: str) -> dict[str, Any]:
    invoice = _find(db, "invoices", invoice_id, "invoice")
    if invoice["status"] != "open":
        raise ValueError(f"invoice {invoice_id} is {invoice['status']}")
    return invoice


def _scholarship_obstacle(db: Database, student: dict[str, Any], scholarship: dict[str, Any]) -> str:
    if scholarship["department"] not in (None, student["programme"]):
        return f"it is for students of {scholarship['department']}"
    if student["average"] < scholarship["least_average"]:
        return f"it asks for an average of {scholarship['least_average']}, the student has {student['average']}"
    if student["credits_earned"] < scholarship["least_credits"]:
        return f"it asks for {scholarship['least_credits']} credits, the student has {student['credits_earned']}"
    if scholarship["apply_until"] < _today():
        return f"applications were possible until {scholarship['apply_until']}"
    for each in db["applications"].values():
        same = (each["student_id"], each["scholarship_id"]) == (student["student_id"], scholarship["scholarship_id"])
        if same and each["status"] != "withdrawn":
            return f"the student applied for it before; the application is {each['status']}"
    return ""


def list_invoices(
    db: Database, student_id: str, status: Literal["open", "paid", "cancelled"] = "open"
) -> dict[str, Any]:
    """A student's invoices of one status by date due, what remains to be paid of each, and what is open and overdue in
    all.

    student_id: whose invoices.
    status: which invoices.
    """
    _find(db, "students", student_id, "student")
    found = [
        {**each, "title": _title(db, each["enrolment_id"]), "remaining": round(each["amount"] - each["paid"], 2)}
        for each in db["invoices"].values()
        if each["student_id"] == student_id and each["status"] == status
    ]
    return {
        "invoices": sorted(found, key=lambda each: (each["due_on"], each["invoice_id"])),
        "total_remaining": round(sum(each["remaining"] for each in found), 2) if status == "open" else 0.0,
        "overdue": _overdue(db, student_id),
    }


def get_invoice(db: Database, invoice_id: str) -> dict[str, Any]:
    """An invoice: the course it is for, amount, what was paid, what remains, when it is due, number of instalments.

    invoice_id: such as IV-4F82A1.
    """
    invoice = _find(db, "invoices", invoice_id, "invoice")
    return {
        **invoice,
        "title": _title(db, invoice["enrolment_id"]),
        "remaining": round(invoice["amount"] - invoice["paid"], 2),
    }


def pay_invoice(
    db: Database, invoice_id: str, amount: float, method: Literal["card", "bank transfer"]
) -> dict[str, Any]:
    """Pay an open invoice, or a part of it.

    invoice_id: such as IV-4F82A1.
    amount: EUR, at most what remains to be paid.
    method: the card on file, or a transfer from the bank account on file.
    """
    _allowed(method, ("card", "bank transfer"), "method")
    invoice = _open_invoice(db, invoice_id)
    remaining = round(invoice["amount"] - invoice["paid"], 2)
    if not 0 < amount <= remaining:
        raise ValueError(f"{remaining:.2f} EUR remain to be paid; the amount must be above 0 and at most that")
    invoice.update(paid=round(invoice["paid"] + amount, 2), method=method)
    if invoice["paid"] == invoice["amount"]:
        invoice["status"] = "paid"
    return {**invoice, "charged": amount, "remaining": round(invoice["amount"] - invoice["paid"], 2)}


def split_invoice(db: Database, invoice_id: str, instalments: int) -> dict[str, Any]:
    """Have what remains of an invoice paid in two to four equal monthly instalments, the first when the invoice is due.
    Only from 200.00 EUR up, only before it is due, and only once.

    invoice_id: an open invoice.
    instalments: 2, 3 or 4.
    """
    invoice = _open_invoice(db, invoice_id)
    remaining = round(invoice["amount"] - invoice["paid"], 2)
    if invoice["due_on"] < _today():
        raise ValueError(f"it was due on {invoice['due_on']}; what is overdue is not split")
    if remaining < LEAST_TO_SPLIT:
        raise ValueError(f"only {remaining:.2f} EUR remain; invoices are split from {LEAST_TO_SPLIT:.2f} EUR up")
    if not 2 <= instalments <= 4:
        raise ValueError("two, three or four instalments are possible")
    if invoice["instalments"] > 1:
        raise ValueError(f"it is split into {invoice['instalments']} instalments already")
    invoice["instalments"] = instalments
    each = round(remaining / instalments, 2)
    return {
        "invoice_id": invoice_id,
        "instalments": instalments,
        "each": each,
        "last": round(remaining - each * (instalments - 1), 2),
        "first_due_on": invoice["due_on"],
    }


def list_scholarships(db: Database, student_id: str) -> list[dict[str, Any]]:
    """Scholarships that a student can apply for now, in order of the last day to do so.

    student_id: who would apply.
    """
    student = _find(db, "students", student_id, "student")
    found = [dict(each) for each in db["scholarships"].values() if not _scholarship_obstacle(db, student, each)]
    return sorted(found, key=lambda each: (each["apply_until"], each["scholarship_id"]))


def find_scholarship(db: Database, name: str) -> list[dict[str, Any]]:
    """Scholarships by a part of the name: amount, conditions, last day to apply.

    name: a part of the name, in any case.
    """
    return [dict(each) for each in db["scholarships"].values() if name.lower() in each["name"].lower()]


def list_applications(db: Database, student_id: str) -> list[dict[str, Any]]:
    """A student's applications for scholarships, of any status, in order of submission.

    student_id: whose applications.
    """
    _find(db, "students", student_id, "student")
    found = [
        {
            **each,
            "name": db["scholarships"][each["scholarship_id"]]["name"],
            "amount": db["scholarships"][each["scholarship_id"]]["amount"],
        }
        for each in db["applications"].values()
        if each["student_id"] == student_id
    ]
    return sorted(found, key=lambda each: (each["submitted_on"], each["application_id"]))


def apply_for_scholarship(
    db: Database, student_id: str, scholarship_id: str, payout: Literal["tuition", "bank account"]
) -> dict[str, Any]:
    """Apply for a scholarship whose conditions the student meets, once for each scholarship.

    student_id: who applies.
    scholarship_id: from list_scholarships.
    payout: whether it would lower tuition or be paid to the bank account.
    """
    _allowed(payout, ("tuition", "bank account"), "payout")
    student = _find(db, "students", student_id, "student")
    scholarship = _find(db, "scholarships", scholarship_id, "scholarship")
    if obstacle := _scholarship_obstacle(db, student, scholarship):
        raise ValueError(obstacle)
    key = _new_key("SA")
    db["applications"][key] = {
        "application_id": key,
        "student_id": student_id,
        "scholarship_id": scholarship_id,
        "payout": payout,
        "status": "submitted",
        "submitted_on": _today(),
    }
    return {**db["applications"][key], "name": scholarship["name"], "amount": scholarship["amount"]}


def withdraw_application(db: Database, application_id: str) -> dict[str, Any]:
    """Withdraw an application that was not decided yet.

    application_id: such as SA-4F82A1.
    """
    application = _find(db, "applications", application_id, "application")
    if application["status"] != "submitted":
        raise ValueError(f"{application_id} is {application['status']}")
    application["status"] = "withdrawn"
    return {**application, "name": db["scholarships"][application["scholarship_id"]]["name"]}
