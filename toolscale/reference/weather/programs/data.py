"""Programs about exports and tickets."""

from random import Random

from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Record, Reply, Twist, World, do, pick
from toolscale.reference.weather.programs.common import a_record, one_of, says, station_named

_FORMATS = ("CSV", "JSON", "NetCDF")


def _request(facts: Facts) -> Policy:
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


REQUEST = Program(
    "request_export",
    "Order a file of what a station measured",
    says(
        "Please order an export of the station {station} from {first:date} to {last:date} as {file_format}. At how "
        "many metres does that station lie?",
        "export {station}, {first:date} to {last:date}, {file_format}. station elevation in m?",
        "I am drawing curves again, my sister rolls her eyes! I need what {station} measured from {first:date} to "
        "{last:date}, as {file_format}, and how many metres up does it stand?",
        "I request an export of the measurements of {station} from {first:date} to {last:date} in {file_format} "
        "format, and ask for the station's elevation in metres.",
    ),
    _draw_request,
    _request,
    (
        Twist(
            "another format",
            "change_of_mind",
            says(
                "[No, sorry|Actually], I need it as {file_format}.",
                "no, {file_format} please.",
                "Oh, my programme cannot open that, so make it {file_format}!",
                "I correct the format: {file_format}.",
            ),
            draw=one_of("file_format", *_FORMATS),
        ),
    ),
)


def _renew(facts: Facts) -> Policy:
    export = yield do("get_export", export_id=facts["export_id"])
    if export["status"] != "expired":
        raise DeadEnd("it has not expired")
    done = yield do("renew_export", export_id=facts["export_id"])
    until = done["download_until"]
    return Reply(f"Download it until {until}. It is of {export['station']}.", (until, export["station"]))


RENEW = Program(
    "renew_export",
    "Make an export available again that has expired",
    says(
        "[I was too late to download it|The link is dead], so please make {export_id} available again. Until when can "
        "I download it, and of which station is it?",
        "{export_id} expired, renew it. download until? which station?",
        "I meant to download it, and then came the harvest! Please bring {export_id} back, and until when is it there, "
        "and which station was it of?",
        "Please make {export_id} available once more, and state the end of the download period and the station "
        "concerned.",
    ),
    a_record("exports", "export_id", lambda each: bool(each["status"] == "expired")),
    _renew,
    again="export_id",
)


def _cancel(facts: Facts) -> Policy:
    export = yield do("get_export", export_id=facts["export_id"])
    if export["status"] != "queued":
        raise DeadEnd("it is not queued")
    yield do("cancel_export", export_id=facts["export_id"])
    if "file_format" in facts:
        if export["file_format"] == facts["file_format"]:
            raise DeadEnd("it has that format")
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


CANCEL = Program(
    "cancel_export",
    "Cancel an export that is still queued",
    says(
        "[I ordered it by mistake|I do not need it after all], so please cancel {export_id}. Which days did it cover, "
        "from when to when?",
        "cancel {export_id}. which days was it for (from/to)?",
        "My fingers were quicker than my head! Cancel {export_id} for me, please, and from what day to what day did it "
        "go?",
        "Please cancel {export_id} and state the first and the last day that it covered.",
    ),
    a_record("exports", "export_id", lambda each: bool(each["status"] == "queued")),
    _cancel,
    (
        Twist(
            "ordered anew",
            "second_goal",
            says(
                "Then order the same days of the same station anew as {file_format}.",
                "then reorder same station + days as {file_format}.",
                "And then order me the very same days and station once more, but as {file_format}!",
                "Thereupon, the same days and station are to be ordered anew as {file_format}.",
            ),
            draw=one_of("file_format", *_FORMATS),
        ),
    ),
)


def _open(facts: Facts) -> Policy:
    report = yield do("get_report", report_id=facts["report_id"])
    done = yield do("open_ticket", about_id=report["report_id"], problem=facts["problem"])
    return Reply(f"An answer is due by {done['answer_due']}, on the {report['product']}.", (done["answer_due"],))


OPEN = Program(
    "open_ticket",
    "Complain about a report",
    says(
        "[I am not content|This is not what I pay for]: please open a ticket about {report_id} for {problem}. By when "
        "do I get an answer?",
        "open ticket on {report_id}: {problem}. answer due when?",
        "I do not like to complain, but this once I do! Open a ticket about {report_id}, please, for {problem}, and by "
        "what day will somebody answer?",
        "I wish to lodge a complaint about {report_id} on the ground of {problem}; by what date may I expect an "
        "answer?",
    ),
    lambda world, rng: {
        **a_record("reports", "report_id", lambda each: bool(each["status"] == "delivered"))(world, rng),
        "problem": rng.choice(("late delivery", "unclear wording", "missing values")),
    },
    _open,
)


def _old(ticket: Record) -> bool:
    return bool(ticket["status"] == "open" and ticket["priority"] == "normal" and ticket["opened_on"] <= day(-2))


def _escalate(facts: Facts) -> Policy:
    ticket = yield do("get_ticket", ticket_id=facts["ticket_id"])
    if not _old(ticket):
        raise DeadEnd("it cannot be raised")
    if ticket["answer_due"] <= facts.get("patient", ""):
        return Reply(f"I left it: an answer is due by {ticket['answer_due']} as it is.", (ticket["answer_due"],))
    done = yield do("escalate_ticket", ticket_id=facts["ticket_id"])
    opened, due = ticket["opened_on"], done["answer_due"]
    return Reply(f"It was opened on {opened}; now an answer is due by {due}.", (opened, due))


ESCALATE = Program(
    "escalate_ticket",
    "Press for an answer to a ticket",
    says(
        "[I have heard nothing yet|Still no answer], so please give my ticket {ticket_id} high priority. When was it "
        "opened, and by when is the answer due then?",
        "no answer on ticket {ticket_id}, escalate. opened when, new due date?",
        "I have been patience itself! Now please push my ticket {ticket_id} up to high priority, and tell me when I "
        "opened it and by when somebody answers.",
        "My ticket {ticket_id} being unanswered, I ask that it be given high priority; please state when it was opened "
        "and the new due date.",
    ),
    a_record("tickets", "ticket_id", _old),
    _escalate,
    (
        Twist(
            "not if an answer is near",
            "condition",
            says(
                "But if an answer is due by {patient:date} anyway, leave it and tell me the due day.",
                "if due by {patient:date} anyway leave it, tell me the due day.",
                "Though if they have to answer by {patient:date} as it is, let them be and tell me the day!",
                "Should an answer be due by {patient:date} in any case, leave it so and state the day.",
            ),
            draw=lambda world, rng, facts: {"patient": day(rng.choice((0, 1, 2, 1)))},
        ),
    ),
)


def _close(facts: Facts) -> Policy:
    ticket = yield do("get_ticket", ticket_id=facts["ticket_id"])
    if ticket["status"] != "answered":
        raise DeadEnd("it is not answered")
    yield do("close_ticket", ticket_id=facts["ticket_id"], rating=facts["rating"])
    return Reply(f"Closed; it was opened on {ticket['opened_on']}.", (ticket["opened_on"],))


CLOSE = Program(
    "close_ticket",
    "Close a ticket that was answered, with a rating",
    says(
        "[That settles it|I have read your answer]: please close ticket {ticket_id} and rate it {rating:int} out of "
        "5. When had I opened it?",
        "close ticket {ticket_id}, rating {rating:int}. opened when?",
        "Somebody took the trouble to write to me, so close ticket {ticket_id}, I give {rating:int} out of 5! When "
        "did I open it, by the way?",
        "Please close ticket {ticket_id} with a rating of {rating:int} out of 5, and state when it was opened.",
    ),
    lambda world, rng: {
        **a_record("tickets", "ticket_id", lambda each: bool(each["status"] == "answered"))(world, rng),
        "rating": rng.randint(1, 5),
    },
    _close,
    (
        Twist(
            "another rating",
            "change_of_mind",
            says(
                "[No, to be fair|Thinking about it], make the rating {rating:int}.",
                "make that a {rating:int}.",
                "Oh, let me be fair, I want to give {rating:int} instead!",
                "I revise my rating to {rating:int}.",
            ),
            draw=one_of("rating", 1, 2, 3, 4, 5),
        ),
    ),
)

DATA = (REQUEST, RENEW, CANCEL, OPEN, ESCALATE, CLOSE)
