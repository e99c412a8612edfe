"""Programs about reports that are ordered or delivered: changing, cancelling, credit."""

from random import Random

from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Record, Reply, Twist, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.weather.catalogue import PRODUCTS
from toolscale.reference.weather.programs.common import a_record, one_of, says, seen
from toolscale.reference.weather.programs.ordering import HOURLY, OTHER_DAY


def _to_come(report: Record) -> bool:
    return bool(report["status"] == "ordered" and report["day"] >= day(1))


def _cancel(facts: Facts) -> Policy:
    report = yield do("get_report", report_id=facts["report_id"])
    return (yield from _cancelled(facts, report))


def _cancelled(facts: Facts, report: Record) -> Policy:
    if not _to_come(report):
        raise DeadEnd("it cannot be cancelled")
    back = shown(report["refund_if_cancelled"])
    if report["refund_if_cancelled"] < facts.get("least", 0):
        return Reply(f"It stays as it is: only {back} EUR would come back.", (back,))
    yield do("cancel_report", report_id=report["report_id"])
    return Reply(f"Cancelled, {back} EUR come back.", (back,))


LEAST = Twist(
    "a least refund",
    "condition",
    says(
        "But only if I get {least:money} EUR or more back; otherwise keep it and tell me the refund.",
        "only for {least:money} EUR back or more, else keep it, tell me the refund.",
        "Mind you, for less than {least:money} EUR I would rather keep it, then just tell me what it would be!",
        "Should the refund fall short of {least:money} EUR, it is to be kept and the sum stated.",
    ),
    draw=lambda world, rng, facts: {"least": rng.choice((15.0, 20.0, 30.0, 40.0, 60.0))},
)

CANCEL = Program(
    "cancel_report",
    "Cancel a report and learn the refund",
    says(
        "[The event is off|We do not need it any more], so please cancel {report_id} and tell me how much money comes "
        "back.",
        "cancel {report_id}. refund?",
        "It is all off, the band has the flu! Please cancel {report_id}, and how much of my money do I see again?",
        "Please cancel {report_id} and state the amount refunded.",
        confused="I think I do not need {report_id} after all, can you cancel that, and do I get something back, how "
        "much exactly?",
    ),
    a_record("reports", "report_id", _to_come),
    _cancel,
    (LEAST,),
    again="report_id",
)


def _cancel_dearest(facts: Facts) -> Policy:
    reports = yield do("list_reports", customer_id=facts["customer_id"])
    ordered = [each for each in reports if each["status"] == "ordered"]
    if len(ordered) < 2:
        raise DeadEnd("nothing to compare")
    dearest = yield choose(ordered, key=lambda each: -each["price"])
    report = yield do("get_report", report_id=dearest["report_id"])
    reply = yield from _cancelled(facts, report)
    return Reply(f"{reply.text} It is {dearest['report_id']}.", (dearest["report_id"], *reply.tell))


CANCEL_DEAREST = Program(
    "cancel_dearest_report",
    "Cancel the most expensive of the reports still to come",
    says(
        "I have to save. Please cancel the most expensive of my reports that are [still to come|not delivered yet], "
        "and tell me its number and the refund.",
        "cancel the priciest of my undelivered reports. number + refund?",
        "The treasurer has been on the phone, we must save! Whichever of my reports still to come costs the most, "
        "cancel it, and tell me its number and what comes back.",
        "Of my reports not yet delivered, please cancel the most expensive one, and state its number and the refund.",
    ),
    lambda world, rng: {"customer_id": pick(rng, [r for r in world.rows("reports") if _to_come(r)])["customer_id"]},
    _cancel_dearest,
    (LEAST,),
    unknown="I do not know which one that is.",
)


def _move(facts: Facts) -> Policy:
    report = yield do("get_report", report_id=facts["report_id"])
    lead = PRODUCTS[report["product_id"]]["lead_days"]
    if not _to_come(report) or report["day"] == facts["day"] or facts["day"] < day(lead):
        raise DeadEnd("it cannot be moved")
    yield do("move_report", report_id=facts["report_id"], day=facts["day"])
    if facts.get("hourly") and not report["hourly"]:
        added = yield do("add_hourly_detail", report_id=facts["report_id"])
        total = shown(added["price"])
        return Reply(f"It was for {report['day']}. With hourly detail it costs {total} EUR.", (report["day"], total))
    price = shown(report["price"])
    return Reply(f"It was for {report['day']}; the price stays {price} EUR.", (report["day"], price))


MOVE = Program(
    "move_report",
    "Move an ordered report to another day",
    says(
        "[The date has changed|We had to postpone], so please move {report_id} to {day:date}. What day was it for "
        "until now, and what is its price?",
        "move {report_id} to {day:date}. old day + price?",
        "The bride has changed her mind about the day, not about the groom! Move {report_id} to {day:date}, please, "
        "and tell me what day it was for before and what it costs.",
        "Please amend {report_id} so that it concerns {day:date}, and state the day formerly ordered and the price.",
    ),
    lambda world, rng: {**a_record("reports", "report_id", _to_come)(world, rng), "day": day(rng.randint(2, 10))},
    _move,
    (OTHER_DAY, HOURLY),
)


def _hourly(facts: Facts) -> Policy:
    report = yield do("get_report", report_id=facts["report_id"])
    if not _to_come(report) or report["hourly"]:
        raise DeadEnd("nothing to add")
    extra = shown(report["hourly_detail"])
    if report["hourly_detail"] > facts.get("most_extra", 1e9):
        return Reply(f"I left it: hourly detail costs {extra} EUR more.", (extra,))
    done = yield do("add_hourly_detail", report_id=facts["report_id"])
    return Reply(f"Added for {extra} EUR; it comes to {shown(done['price'])} EUR now.", (extra, shown(done["price"])))


ADD_HOURLY = Program(
    "add_hourly_detail",
    "Add hourly detail to a report that is ordered",
    says(
        "[We need it more precisely|The crew plans by the hour], so please add hourly detail to {report_id}. What does "
        "that cost, and what does the whole come to?",
        "add hourly detail to {report_id}. extra + new total?",
        "A day is long, and the caterers ask me about every single hour! Add the hourly detail to {report_id}, please, "
        "and tell me the surcharge and the new total.",
        "Please supplement {report_id} with hourly detail, and state the surcharge and the new total.",
    ),
    a_record("reports", "report_id", lambda each: _to_come(each) and not each["hourly"]),
    _hourly,
    (
        Twist(
            "a limit on the surcharge",
            "condition",
            says(
                "If that costs more than {most_extra:money} EUR extra, leave it and tell me the surcharge.",
                "max {most_extra:money} EUR extra, else leave it and tell me.",
                "But for more than {most_extra:money} EUR on top I can do without, then leave it and tell me what it "
                "would be!",
                "Should the surcharge exceed {most_extra:money} EUR, leave it as it is and state the sum.",
            ),
            draw=lambda world, rng, facts: {"most_extra": rng.choice((12.0, 15.0, 18.0, 20.0, 25.0))},
        ),
    ),
    again="report_id",
)

_DESKS = ("office@example.org", "foreman@example.com", "stage.manager@example.net", "duty.desk@example.org")


def _redirect(facts: Facts) -> Policy:
    report = yield do("get_report", report_id=facts["report_id"])
    if report["status"] != "ordered" or report["recipient"] == facts["recipient"]:
        raise DeadEnd("it cannot be redirected")
    yield do("redirect_report", report_id=facts["report_id"], recipient=facts["recipient"])
    before, price = report["recipient"], shown(report["price"])
    return Reply(f"Done; it would have gone to {before}. Its price is {price} EUR.", (before, price))


REDIRECT = Program(
    "redirect_report",
    "Have a report sent to another address",
    says(
        "Please send {report_id} to {recipient} [when it is ready|once it is written]. To which address would it have "
        "gone, and what do I pay for it?",
        "{report_id} should go to {recipient}. which address was it before, and the price?",
        "I shall be on a ladder that day, so let {report_id} go to {recipient}! Where would it have gone otherwise, "
        "and what did I agree to pay for it?",
        "Please have {report_id} delivered to {recipient}, and state the address hitherto recorded and the price.",
    ),
    lambda world, rng: {
        **a_record("reports", "report_id", lambda each: bool(each["status"] == "ordered"))(world, rng),
        "recipient": rng.choice(_DESKS),
    },
    _redirect,
    (
        Twist(
            "to somebody else",
            "change_of_mind",
            says(
                "[No, wait|Sorry, wrong person], it should go to {recipient}.",
                "no: to {recipient}.",
                "Oh, she is on leave, so let it go to {recipient}!",
                "I correct the recipient: {recipient}.",
            ),
            draw=one_of("recipient", *_DESKS),
        ),
    ),
)


def far_off(world: World, report: Record) -> bool:
    """A delivered report that was 4 degrees or more off."""
    observation = seen(world, "observations", report["observation_id"])
    return bool(abs(observation["high_c"] - report["predicted_high_c"]) > 3.949)


def delivered(world: World, rng: Random, *, wrong: bool) -> Facts:
    """A delivered report without credit, far off or not."""
    reports = [each for each in world.rows("reports") if each["status"] == "delivered" and not each["credited"]]
    report = pick(rng, [each for each in reports if far_off(world, each) == wrong])
    return {"customer_id": report["customer_id"], "report_id": report["report_id"]}


def _claim(facts: Facts) -> Policy:
    found = yield do("check_accuracy", report_id=facts["report_id"])
    if not found["credit_due"]:
        raise DeadEnd("no credit is due")
    due, measured = shown(found["credit_due"]), f"{found['measured_high_c']} °C"
    if found["credit_due"] < facts.get("worth", 0):
        return Reply(f"I claimed nothing: it would be {due} EUR; {measured} were measured.", (due, measured))
    done = yield do("claim_credit", report_id=facts["report_id"])
    balance = shown(done["credit_balance"])
    return Reply(f"{measured} were measured; you get {due} EUR, so {balance} EUR in all.", (measured, due, balance))


CLAIM = Program(
    "claim_report_credit",
    "Claim credit for a report that was far off",
    says(
        "[It turned out quite differently|That was not what we got]: please claim the credit for {report_id}, as its "
        "temperature was far off. What high was measured, how much is credited, and what is my credit in all?",
        "{report_id} was way off on temperature, claim credit. measured high, credit, credit balance?",
        "We stood there dressed for another season altogether! Please claim the credit for {report_id}, and tell me "
        "what high was really measured, how much I get, and what my credit comes to.",
        "The temperature in {report_id} having proved wrong, I claim the credit due; kindly state the high measured, "
        "the sum and my credit balance.",
    ),
    lambda world, rng: delivered(world, rng, wrong=True),
    _claim,
    (
        Twist(
            "only if it is worth it",
            "condition",
            says(
                "If the credit is under {worth:money} EUR, do not bother, and only tell me the sum and the high.",
                "under {worth:money} EUR don't claim, just tell me sum and high.",
                "Though for less than {worth:money} EUR I will not make a fuss, then only tell me sum and high!",
                "Should the credit be below {worth:money} EUR, refrain from the claim and state sum and high.",
            ),
            draw=lambda world, rng, facts: {"worth": rng.choice((10.0, 15.0, 20.0, 25.0, 30.0))},
        ),
    ),
)

REPORTS = (CANCEL, CANCEL_DEAREST, MOVE, ADD_HOURLY, REDIRECT, CLAIM)
