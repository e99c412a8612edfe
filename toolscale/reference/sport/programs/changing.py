"""Programs that alter a court booking: another day, a cheaper court, guests."""

from random import Random

from toolscale.reference.kit import known, must
from toolscale.reference.moments import some_day
from toolscale.reference.program import Facts, Reply, Solution, World, choose, do
from toolscale.reference.sport.programs.booking import INDOOR, MOST, OTHER_HOUR
from toolscale.reference.sport.programs.common import Record, Step, a_court_booking
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)


def _free_courts(facts: Facts, booking: Record, on: str) -> Step:
    found = yield do(
        "search_courts",
        member_id=facts["member_id"],
        club_id=booking["club_id"],
        sport=booking["sport"],
        day=on,
        start=facts.get("other_start", booking["start"]),
        minutes=booking["minutes"],
    )
    return [each for each in found if each["indoor"] or not facts.get("indoor")]


def _moved(facts: Facts, booking: Record, court: Record, on: str) -> Solution:
    price = shown(court["price"])
    if court["price"] > facts.get("most", court["price"]):
        return Reply(f"I left {facts['booking_id']} as it is: {court['name']} would cost {price} EUR.", (price,))
    moved = yield do(
        "move_court_booking",
        booking_id=facts["booking_id"],
        court_id=court["court_id"],
        day=on,
        start=facts.get("other_start", booking["start"]),
    )
    text = f"You now play on {moved['court']} at {moved['start']} on {moved['day']}, for {price} EUR."
    return Reply(text, (moved["court"], price))


def _another_day(facts: Facts) -> Solution:
    booking = yield do("get_court_booking", booking_id=facts["booking_id"])
    courts = yield from _free_courts(facts, booking, facts["day"])
    court = yield choose(courts, key=lambda each: each["price"])
    return (yield from _moved(facts, booking, court, facts["day"]))


def _draw_move(world: World, rng: Random) -> Facts:
    booking = a_court_booking(world, rng)
    return {
        "member_id": booking["member_id"],
        "booking_id": booking["booking_id"],
        "day": some_day(rng, 2, 18),
    }


MOVE_DAY = WORDS.program("move_court_to_another_day", _draw_move, _another_day, (INDOOR, MOST, OTHER_HOUR))


def _cheaper(facts: Facts) -> Solution:
    booking = yield do("get_court_booking", booking_id=facts["booking_id"])
    courts = yield from _free_courts(facts, booking, booking["day"])
    court = yield choose(courts, key=lambda each: each["price"])
    must(court["price"] < booking["price"], "there is none that is cheaper")
    return (yield from _moved(facts, booking, court, booking["day"]))


def _dear(court: Record) -> bool:
    """Some other court of the sport is cheaper in every club."""
    return court["surface"] in ("hard", "carpet") or (court["sport"] == "padel" and court["indoor"])


def _draw_cheaper(world: World, rng: Random) -> Facts:
    booking = a_court_booking(world, rng, lambda each: _dear(known(world, "courts", each["court_id"])))
    return {"member_id": booking["member_id"], "booking_id": booking["booking_id"]}


CHEAPER_COURT = WORDS.program(
    "swap_for_a_cheaper_court",
    _draw_cheaper,
    _cheaper,
    (
        INDOOR,
        WORDS.twist(
            "an hour that is better",
            "change_of_mind",
            draw=lambda world, rng, facts: {"other_start": rng.choice(("10:00", "13:00", "16:00", "18:00", "20:00"))},
        ),
    ),
)


def _guests(facts: Facts) -> Solution:
    booking = yield do("get_court_booking", booking_id=facts["booking_id"])
    member = yield do("get_member", member_id=facts["member_id"])
    if member["guest_passes"] < facts["guests"] + facts.get("keep", 0):
        left = _passes(member["guest_passes"])
        return Reply(f"I entered no guests for {booking['court']}; you have {left} left.", (booking["court"], left))
    done = yield do("bring_guests", booking_id=facts["booking_id"], guests=facts["guests"])
    left = _passes(done["passes_left"])
    return Reply(f"They are entered for {booking['court']}; you have {left} left.", (booking["court"], left))


def _passes(count: int) -> str:
    """A number alone may stand in what the user says, of guests or days, and would be no news."""
    return f"{count} pass{'es' * (count != 1)}"


def _draw_guests(world: World, rng: Random) -> Facts:
    rich = {each["member_id"]: each["guest_passes"] for each in world.rows("members") if each["guest_passes"] > 2}
    booking = a_court_booking(world, rng, lambda each: each["member_id"] in rich and not each["guests"])
    most = min(3, rich[booking["member_id"]] - 1)
    return {
        "member_id": booking["member_id"],
        "booking_id": booking["booking_id"],
        "guests": rng.randint(2, most),
    }


BRING_GUESTS = WORDS.program(
    "bring_guests",
    _draw_guests,
    _guests,
    (
        WORDS.twist(
            "passes that must remain", "condition", draw=lambda world, rng, facts: {"keep": rng.choice((2, 2, 3))}
        ),
    ),
)


CHANGING = (MOVE_DAY, CHEAPER_COURT, BRING_GUESTS)
