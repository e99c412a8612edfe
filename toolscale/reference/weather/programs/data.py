"""Programs about exports and tickets."""

from random import Random

from toolscale.reference.kit import a_record, must, one_of
from toolscale.reference.moments import day
from toolscale.reference.program import Facts, Record, Reply, Solution, World, do, pick
from toolscale.reference.weather.programs.common import station_named
from toolscale.reference.words import words

WORDS = words(__file__)

_FORMATS = ("CSV", "JSON", "NetCDF")


def _request(facts: Facts) -> Solution:
    station = yield from station_named(facts)
    yield do(
        "request_export",
        customer_id=facts["customer_id"],
        station_id=station["station_id"],
        first_day=facts["first"],
        last_day=facts["last"],
        file_format=facts["file_format"],
    )
    height = f"{station['elevation_m']} m"
    return Reply(f"It is ordered; the station lies at {height}.", (height,))


def _draw_request(world: World, rng: Random) -> Facts:
    last = rng.randint(5, 70)
    return {
        "customer_id": pick(rng, world.rows("customers"))["customer_id"],
        "station": pick(rng, world.rows("stations"))["name"],
        "first": day(-last - rng.randint(6, 80)),
        "last": day(-last),
        "file_format": rng.choice(_FORMATS),
    }


REQUEST = WORDS.program(
    "request_export",
    _draw_request,
    _request,
    (WORDS.twist("another format", "change_of_mind", draw=one_of("file_format", *_FORMATS)),),
)


def _renew(facts: Facts) -> Solution:
    export = yield do("get_export", export_id=facts["export_id"])
    must(export["status"] == "expired", "it has not expired")
    done = yield do("renew_export", export_id=facts["export_id"])
    until = done["download_until"]
    return Reply(f"Download it until {until}. It is of {export['station']}.", (until, export["station"]))


RENEW = WORDS.program(
    "renew_export",
    a_record("exports", "export_id", lambda each: bool(each["status"] == "expired")),
    _renew,
    again="export_id",
)


def _cancel(facts: Facts) -> Solution:
    export = yield do("get_export", export_id=facts["export_id"])
    must(export["status"] == "queued", "it is not queued")
    yield do("cancel_export", export_id=facts["export_id"])
    if "file_format" in facts:
        must(export["file_format"] != facts["file_format"], "it has that format")
        yield do(
            "request_export",
            customer_id=facts["customer_id"],
            station_id=export["station_id"],
            first_day=export["first_day"],
            last_day=export["last_day"],
            file_format=facts["file_format"],
        )
    text = f"Cancelled: {export['station']} from {export['first_day']} to {export['last_day']}."
    return Reply(text, (export["first_day"], export["last_day"]))


CANCEL = WORDS.program(
    "cancel_export",
    a_record("exports", "export_id", lambda each: bool(each["status"] == "queued")),
    _cancel,
    (WORDS.twist("ordered anew", "second_goal", draw=one_of("file_format", *_FORMATS)),),
)


def _open(facts: Facts) -> Solution:
    report = yield do("get_report", report_id=facts["report_id"])
    done = yield do("open_ticket", about_id=report["report_id"], problem=facts["problem"])
    return Reply(f"An answer is due by {done['answer_due']}, on the {report['product']}.", (done["answer_due"],))


OPEN = WORDS.program(
    "open_ticket",
    lambda world, rng: {
        **a_record("reports", "report_id", lambda each: bool(each["status"] == "delivered"))(world, rng),
        "problem": rng.choice(("late delivery", "unclear wording", "missing values")),
    },
    _open,
)


def _old(ticket: Record) -> bool:
    return bool(ticket["status"] == "open" and ticket["priority"] == "normal" and ticket["opened_on"] <= day(-2))


def _escalate(facts: Facts) -> Solution:
    ticket = yield do("get_ticket", ticket_id=facts["ticket_id"])
    must(_old(ticket), "it cannot be raised")
    if ticket["answer_due"] <= facts.get("patient", ""):
        return Reply(f"I left it: an answer is due by {ticket['answer_due']} as it is.", (ticket["answer_due"],))
    done = yield do("escalate_ticket", ticket_id=facts["ticket_id"])
    opened, due = ticket["opened_on"], done["answer_due"]
    return Reply(f"It was opened on {opened}; now an answer is due by {due}.", (opened, due))


ESCALATE = WORDS.program(
    "escalate_ticket",
    a_record("tickets", "ticket_id", _old),
    _escalate,
    (
        WORDS.twist(
            "not if an answer is near",
            "condition",
            draw=lambda world, rng, facts: {"patient": day(rng.choice((0, 1, 2, 1)))},
        ),
    ),
)


def _close(facts: Facts) -> Solution:
    ticket = yield do("get_ticket", ticket_id=facts["ticket_id"])
    must(ticket["status"] == "answered", "it is not answered")
    yield do("close_ticket", ticket_id=facts["ticket_id"], rating=facts["rating"])
    return Reply(f"Closed; it was opened on {ticket['opened_on']}.", (ticket["opened_on"],))


CLOSE = WORDS.program(
    "close_ticket",
    lambda world, rng: {
        **a_record("tickets", "ticket_id", lambda each: bool(each["status"] == "answered"))(world, rng),
        "rating": rng.randint(1, 5),
    },
    _close,
    (WORDS.twist("another rating", "change_of_mind", draw=one_of("rating", 1, 2, 3, 4, 5)),),
)

DATA = (REQUEST, RENEW, CANCEL, OPEN, ESCALATE, CLOSE)
