"""Invoices, and how patients pay their share."""

from typing import Literal

from ._shared import Database, Record, _one, _own, _today

WRITES = {"pay_invoice", "set_up_instalments"}


def list_invoices(db: Database, patient_id: str, status: Literal["open", "paid"] | None = None) -> list[Record]:
    """A patient's invoices, oldest first: id, kind, amount and days. See get_invoice for the patient's share.

    patient_id: the patient's number
    status: only invoices in this state
    """
    rows = sorted(_own(db, "invoices", patient_id, status), key=lambda row: (row["issued_on"], row["invoice_id"]))
    fields = ("invoice_id", "kind", "issued_on", "due_on", "amount", "status")
    return [{field: row[field] for field in fields} for row in rows]


def get_invoice(db: Database, invoice_id: str) -> Record:
    """One invoice with the insurer's and the patient's share.

    invoice_id: the invoice's id, such as IN-30417
    """
    return dict(_one(db, "invoices", invoice_id))


def pay_invoice(db: Database, invoice_id: str, method: Literal["card", "bank transfer", "direct debit"]) -> Record:
    """Pays the patient's share of an open invoice in full. One that is paid in instalments is not paid here.

    invoice_id: the invoice to pay
    method: how it is paid
    """
    invoice = _one(db, "invoices", invoice_id)
    if invoice["status"] != "open":
        raise ValueError(f"invoice {invoice_id} is paid already")
    if invoice["instalments"] > 1:
        raise ValueError(f"invoice {invoice_id} is being paid in {invoice['instalments']} instalments")
    invoice.update(status="paid", paid_on=_today().isoformat(), payment_method=method)
    return dict(invoice)


def set_up_instalments(db: Database, invoice_id: str, instalments: int) -> Record:
    """Splits the patient's share of an open invoice into 2 to 6 monthly instalments of at least 10 euros each.

    invoice_id: the invoice to split
    instalments: how many months
    """
    invoice = _one(db, "invoices", invoice_id)
    if invoice["status"] != "open" or invoice["instalments"] > 1:
        raise ValueError(f"invoice {invoice_id} is paid already or split already")
    if not 2 <= instalments <= 6:
        raise ValueError("instalments must be between 2 and 6")
    monthly = round(invoice["patient_share"] / instalments, 2)
    if monthly < 10:
        raise ValueError(f"{instalments} instalments would be {monthly:.2f} each; the least is 10.00")
    invoice["instalments"] = instalments
    return {**invoice, "monthly": monthly}
