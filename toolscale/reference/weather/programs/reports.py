"""Programs about reports that are ordered or delivered: changing, cancelling, credit."""

from random import Random

from toolscale.reference.kit import a_record, known, must, one_of
from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Record, Reply, Solution, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.weather.catalogue import PRODUCTS
from toolscale.reference.weather.programs.ordering import HOURLY, OTHER_DAY
from toolscale.reference.words import words

WORDS = words(__file__)


def _to_come(report: Record) -> bool:
    return bool(report["status"] == "ordered" and report["day"] >= day(1))


def _cancel(facts: Facts) -> Solution:
    report = yield do("get_report", report_id=facts["report_id"])
    return (yield from _cancelled(facts, report))


def _cancelled(facts: Facts, report: Record) -> Solution:
    must(_to_come(report), "it cannot be cancelled")
    back = shown(report["refund_if_cancelled"])
    if report["refund_if_cancelled"] < facts.get("least", 0):
        return Reply(f"It stays as it is: only {back} EUR would come back.", (back,))
    yield do("cancel_report", report_id=report["report_id"])
    return Reply(f"Cancelled, {back} EUR come back.", (back,))


LEAST = WORDS.twist(
    "a least refund", "condition", draw=lambda world, rng, facts: {"least": rng.choice((15.0, 20.0, 30.0, 40.0, 60.0))}
)

CANCEL = WORDS.program(
    "cancel_report", a_record("reports", "report_id", _to_come), _cancel, (LEAST,), again="report_id"
)


def _cancel_dearest(facts: Facts) -> Solution:
    reports = yield do("list_reports", customer_id=facts["customer_id"])
    ordered = [each for each in reports if each["status"] == "ordered"]
    must(len(ordered) >= 2, "nothing to compare")
    dearest = yield choose(ordered, key=lambda each: -each["price"])
    report = yield do("get_report", report_id=dearest["report_id"])
    reply = yield from _cancelled(facts, report)
    return Reply(f"{reply.text} It is {dearest['report_id']}.", (dearest["report_id"], *reply.tell))


CANCEL_DEAREST = WORDS.program(
    "cancel_dearest_report",
    lambda world, rng: {"customer_id": pick(rng, [r for r in world.rows("reports") if _to_come(r)])["customer_id"]},
    _cancel_dearest,
    (LEAST,),
)


def _move(facts: Facts) -> Solution:
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


MOVE = WORDS.program(
    "move_report",
    lambda world, rng: {**a_record("reports", "report_id", _to_come)(world, rng), "day": day(rng.randint(2, 10))},
    _move,
    (OTHER_DAY, HOURLY),
)


def _hourly(facts: Facts) -> Solution:
    report = yield do("get_report", report_id=facts["report_id"])
    if not _to_come(report) or report["hourly"]:
        raise DeadEnd("nothing to add")
    extra = shown(report["hourly_detail"])
    if report["hourly_detail"] > facts.get("most_extra", 1e9):
        return Reply(f"I left it: hourly detail costs {extra} EUR more.", (extra,))
    done = yield do("add_hourly_detail", report_id=facts["report_id"])
    return Reply(f"Added for {extra} EUR; it comes to {shown(done['price'])} EUR now.", (extra, shown(done["price"])))


ADD_HOURLY = WORDS.program(
    "add_hourly_detail",
    a_record("reports", "report_id", lambda each: _to_come(each) and not each["hourly"]),
    _hourly,
    (
        WORDS.twist(
            "a limit on the surcharge",
            "condition",
            draw=lambda world, rng, facts: {"most_extra": rng.choice((12.0, 15.0, 18.0, 20.0, 25.0))},
        ),
    ),
    again="report_id",
)

_DESKS = ("office@example.org", "foreman@example.com", "stage.manager@example.net", "duty.desk@example.org")


def _redirect(facts: Facts) -> Solution:
    report = yield do("get_report", report_id=facts["report_id"])
    if report["status"] != "ordered" or report["recipient"] == facts["recipient"]:
        raise DeadEnd("it cannot be redirected")
    yield do("redirect_report", report_id=facts["report_id"], recipient=facts["recipient"])
    before, price = report["recipient"], shown(report["price"])
    return Reply(f"Done; it would have gone to {before}. Its price is {price} EUR.", (before, price))


REDIRECT = WORDS.program(
    "redirect_report",
    lambda world, rng: {
        **a_record("reports", "report_id", lambda each: bool(each["status"] == "ordered"))(world, rng),
        "recipient": rng.choice(_DESKS),
    },
    _redirect,
    (WORDS.twist("to somebody else", "change_of_mind", draw=one_of("recipient", *_DESKS)),),
)


def far_off(world: World, report: Record) -> bool:
    """A delivered report that was 4 degrees or more off."""
    observation = known(world, "observations", report["observation_id"])
    return bool(abs(observation["high_c"] - report["predicted_high_c"]) > 3.949)


def delivered(world: World, rng: Random, *, wrong: bool) -> Facts:
    """A delivered report without credit, far off or not."""
    reports = [each for each in world.rows("reports") if each["status"] == "delivered" and not each["credited"]]
    report = pick(rng, [each for each in reports if far_off(world, each) == wrong])
    return {"customer_id": report["customer_id"], "report_id": report["report_id"]}


def _claim(facts: Facts) -> Solution:
    found = yield do("check_accuracy", report_id=facts["report_id"])
    must(found["credit_due"], "no credit is due")
    due, measured = shown(found["credit_due"]), f"{found['measured_high_c']} °C"
    if found["credit_due"] < facts.get("worth", 0):
        return Reply(f"I claimed nothing: it would be {due} EUR; {measured} were measured.", (due, measured))
    done = yield do("claim_credit", report_id=facts["report_id"])
    balance = shown(done["credit_balance"])
    return Reply(f"{measured} were measured; you get {due} EUR, so {balance} EUR in all.", (measured, due, balance))


CLAIM = WORDS.program(
    "claim_report_credit",
    lambda world, rng: delivered(world, rng, wrong=True),
    _claim,
    (
        WORDS.twist(
            "only if it is worth it",
            "condition",
            draw=lambda world, rng, facts: {"worth": rng.choice((10.0, 15.0, 20.0, 25.0, 30.0))},
        ),
    ),
)

REPORTS = (CANCEL, CANCEL_DEAREST, MOVE, ADD_HOURLY, REDIRECT, CLAIM)
