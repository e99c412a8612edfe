"""Programs that alter a court booking: another day, a cheaper court, guests."""

from random import Random

from toolscale.reference.moments import some_day
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Reply, Twist, World, choose, do
from toolscale.reference.sport.programs.booking import INDOOR, MOST, OTHER_HOUR
from toolscale.reference.sport.programs.common import (
    Record,
    Step,
    a_court_booking,
    seen,
)
from toolscale.reference.sums import shown


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


def _moved(facts: Facts, booking: Record, court: Record, on: str) -> Policy:
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


def _another_day(facts: Facts) -> Policy:
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


MOVE_DAY = Program(
    "move_court_to_another_day",
    "Move a court booking to another day",
    {
        "plain": "[I cannot come that day|Something came up], so please move {booking_id} to {day:date}, same time, on "
        "the cheapest court that is free then. [Which court is it and what does it cost now?|Tell me the court and the "
        "new price.]",
        "terse": "move {booking_id} to {day:date}, same hour, cheapest free court. [court + new price?|which court, "
        "price now?]",
        "chatty": "[My in-laws have announced themselves|The babysitter cancelled on me], so could {booking_id} go to "
        "{day:date} instead, same hour, on whichever court is cheapest? Which one would that be, and what does it "
        "cost?",
        "formal": "I request that {booking_id} be transferred to {day:date} at the same hour, on the least expensive "
        "court then free; please [state court and price|name the court and its price].",
        "hurried": "Can't make it, put {booking_id} on {day:date}, same time, cheapest court, which one and how much?",
        "non_native": "I can not come, please change {booking_id} for {day:date}, the same hour, the court of "
        "lowest price; which court will be and what price?",
    },
    _draw_move,
    _another_day,
    (INDOOR, MOST, OTHER_HOUR),
)


def _cheaper(facts: Facts) -> Policy:
    booking = yield do("get_court_booking", booking_id=facts["booking_id"])
    courts = yield from _free_courts(facts, booking, booking["day"])
    court = yield choose(courts, key=lambda each: each["price"])
    if court["price"] >= booking["price"]:
        raise DeadEnd("there is none that is cheaper")
    return (yield from _moved(facts, booking, court, booking["day"]))


def _dear(court: Record) -> bool:
    """Some other court of the sport is cheaper in every club."""
    return court["surface"] in ("hard", "carpet") or (court["sport"] == "padel" and court["indoor"])


def _draw_cheaper(world: World, rng: Random) -> Facts:
    booking = a_court_booking(world, rng, lambda each: _dear(seen(world, "courts", each["court_id"])))
    return {"member_id": booking["member_id"], "booking_id": booking["booking_id"]}


CHEAPER_COURT = Program(
    "swap_for_a_cheaper_court",
    "Move a booking to the cheapest court of the same hour",
    {
        "plain": "I find {booking_id} [too dear|too expensive after all]. Please put me on the cheapest court "
        "that is free at that very time. What is its name, and what do I pay for it?",
        "terse": "{booking_id} too pricey, swap to cheapest court same day + time. name, price?",
        "chatty": "I looked at my purse and {booking_id} [made me gulp|is rather posh for us]! Could you find the "
        "cheapest court at the same time and put us there instead? What is it called, and what will we pay?",
        "formal": "As the price of {booking_id} exceeds my means, I ask to be moved to the least expensive court free "
        "at the very same time, and to be told its name and price.",
        "non_native": "For me {booking_id} is too expensive, please give me the court most cheap in the same moment; "
        "name of it and price?",
    },
    _draw_cheaper,
    _cheaper,
    (
        INDOOR,
        Twist(
            "an hour that is better",
            "change_of_mind",
            {
                "plain": "And if I am changing it anyway, make it {other_start:time} on that day.",
                "terse": "and shift it to {other_start:time} that day.",
                "chatty": "Actually, {other_start:time} that day would suit us better, so look for that hour!",
                "formal": "At the same time, the hour should be changed to {other_start:time} of that day.",
            },
            draw=lambda world, rng, facts: {"other_start": rng.choice(("10:00", "13:00", "16:00", "18:00", "20:00"))},
        ),
    ),
)


def _guests(facts: Facts) -> Policy:
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


BRING_GUESTS = Program(
    "bring_guests",
    "Enter guests for a booked court",
    {
        "plain": "[I am bringing friends|Colleagues will join us] to {booking_id}: please enter {guests:count} "
        "guests, and tell me which court it is and how many guest passes I have [left|then].",
        "terse": "{booking_id}: add {guests:int} guests. court name + passes left?",
        "chatty": "[My colleagues want to try it out|The neighbours are coming along], so enter {guests:count} guests "
        "for {booking_id}! Which court was it again, and how many guest passes does that leave me?",
        "formal": "For {booking_id} I announce {guests:count} guests; please enter them and confirm the court and the "
        "guest passes that remain.",
        "confused": "For {booking_id} there are {guests:count} guests now, they must be on some list, I was told. What "
        "court was that, and how many of those passes do I keep?",
    },
    _draw_guests,
    _guests,
    (
        Twist(
            "passes that must remain",
            "condition",
            {
                "plain": "I need to keep {keep:count} guest passes for later; if that is not possible, enter nobody "
                "and tell me how many I have and which court it is.",
                "terse": "keep {keep:count} passes, otherwise add nobody + tell me court and passes.",
                "chatty": "But I have promised {keep:count} passes to my brother, so if too few remain, enter nobody "
                "and just tell me the court and how many there are!",
                "formal": "A reserve of {keep:count} guest passes must remain, failing which nobody is to be entered "
                "and the court and the number of passes are to be stated.",
            },
            draw=lambda world, rng, facts: {"keep": rng.choice((2, 2, 3))},
        ),
    ),
)


CHANGING = (MOVE_DAY, CHEAPER_COURT, BRING_GUESTS)
