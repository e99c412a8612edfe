"""Programs about booked stays: other dates, a better room, meals, cancelling, what is due there, complaints."""

from datetime import date
from random import Random

from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Reply, Twist, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.travel.programs.common import (
    AS_VOUCHER,
    AT_LEAST,
    Record,
    a_stay,
    known,
    one_of,
    shifted,
    stays_of,
)


def _flexible(stay: Record) -> bool:
    return bool(stay["rate"] == "flexible")


MOST_MORE = Twist(
    "a limit on the difference",
    "condition",
    {
        "plain": "If that is more than {most_more:money} EUR on top, leave it as booked and tell me the difference.",
        "terse": "max {most_more:money} EUR on top, else keep + tell me the difference.",
        "chatty": "Only, if they want more than {most_more:money} EUR on top, we keep what we have and you tell me "
        "the difference!",
        "formal": "A surcharge above {most_more:money} EUR I decline, in which case the stay remains as booked and "
        "the difference is to be stated.",
    },
    draw=one_of("most_more", (60.0, 140.0, 260.0, 420.0)),
)


def _changed(facts: Facts, check_in: str, check_out: str, room: Record | None = None) -> Policy:
    """Change a stay, unless that costs more than the user's limit."""
    terms = {"check_in": check_in, "check_out": check_out, **({"room_id": room["room_id"]} if room else {})}
    quote = yield do("quote_stay_change", stay_id=facts["stay_id"], **terms)
    difference, total = shown(quote["difference"]), shown(quote["new_total"])
    if quote["difference"] > facts.get("most_more", quote["difference"]):
        return Reply(f"{facts['stay_id']} stays as booked: the difference would be {difference} EUR.", (difference,))
    yield do("change_stay", stay_id=facts["stay_id"], **terms)
    return Reply(
        f"{facts['stay_id']} is changed; it costs {total} EUR now, a difference of {difference} EUR.", (total,)
    )


def _longer(facts: Facts) -> Policy:
    stay = yield do("get_stay", stay_id=facts["stay_id"])
    return (yield from _changed(facts, stay["check_in"], facts["check_out"]))


def _draw_longer(world: World, rng: Random) -> Facts:
    stay = pick(rng, stays_of(world, "confirmed", _flexible))
    until = shifted(stay["check_out"], rng.randint(1, 3))
    return {"traveller_id": stay["traveller_id"], "stay_id": stay["stay_id"], "check_out": until}


LONGER = Program(
    "extend_stay",
    "Stay longer in a booked hotel room",
    {
        "plain": "[We want to stay longer.|My flight home is later than I thought.] Please extend {stay_id} until "
        "{check_out:date} and tell me what the whole stay costs then.",
        "terse": "extend {stay_id} until {check_out:date}. new total?",
        "chatty": "We cannot bear the thought of leaving already, so make {stay_id} last until {check_out:date}, and "
        "what does the whole thing come to then?",
        "formal": "I request an extension of {stay_id} until {check_out:date}, and to be informed of the new total.",
        "non_native": "I like to remain more days, please change {stay_id} that it goes until {check_out:date}. How "
        "much is all together then?",
    },
    _draw_longer,
    _longer,
    (MOST_MORE,),
)


def _other_dates(facts: Facts) -> Policy:
    return (yield from _changed(facts, facts["check_in"], facts["check_out"]))


def _draw_other_dates(world: World, rng: Random) -> Facts:
    stay = pick(rng, stays_of(world, "confirmed", _flexible))
    later = rng.randint(2, 21)
    nights = date.fromisoformat(stay["check_out"]) - date.fromisoformat(stay["check_in"])
    first = shifted(stay["check_in"], later)
    return {
        "traveller_id": stay["traveller_id"],
        "stay_id": stay["stay_id"],
        "check_in": first,
        "check_out": shifted(first, max(1, nights.days + rng.choice((-1, 0, 0, 1)))),
    }


OTHER_DATES = Program(
    "move_stay",
    "Move a booked hotel stay to other dates",
    {
        "plain": "Our dates have moved. Please change {stay_id} to {check_in:date} until {check_out:date}, same room, "
        "and tell me [the new price|what it costs now].",
        "terse": "{stay_id}: new dates {check_in:date} until {check_out:date}. new price?",
        "chatty": "[Change of plans, it is always the same with us|The boss has spoken], so could {stay_id} become "
        "{check_in:date} until {check_out:date} instead? Same room, and what will it be now?",
        "formal": "Owing to altered circumstances, kindly move {stay_id} to the period from {check_in:date} until "
        "{check_out:date} and quote the resulting price.",
        "hurried": "{stay_id} must move to {check_in:date} until {check_out:date}, what does it cost then?",
        "non_native": "The days of {stay_id} are changed, new is {check_in:date} until {check_out:date}, same room "
        "please. What is new price?",
    },
    _draw_other_dates,
    _other_dates,
    (MOST_MORE,),
)


KINDS = {"double room": "double", "family room": "family", "suite": "suite"}


def _better_room(facts: Facts) -> Policy:
    stay = yield do("get_stay", stay_id=facts["stay_id"])
    found = yield do(
        "search_rooms",
        destination_code=stay["destination_code"],
        check_in=stay["check_in"],
        check_out=stay["check_out"],
        guests=stay["guests"],
    )
    rooms = [each for each in found if (each["hotel_id"], each["kind"]) == (stay["hotel_id"], KINDS[facts["kind"]])]
    room = yield choose(rooms, key=lambda each: each["total"])
    return (yield from _changed(facts, stay["check_in"], stay["check_out"], room))


def _draw_better(world: World, rng: Random) -> Facts:
    stay = pick(rng, stays_of(world, "confirmed", _flexible))
    booked = known(world, "rooms", stay["room_id"])["kind"]
    kinds = [words for words, kind in KINDS.items() if kind != booked]
    return {"traveller_id": stay["traveller_id"], "stay_id": stay["stay_id"], "kind": rng.choice(kinds)}


BETTER_ROOM = Program(
    "change_room",
    "Change to another kind of room in the booked hotel",
    {
        "plain": "Could you change {stay_id} to a {kind} in the same hotel, for the same nights? What does the "
        "stay cost then?",
        "terse": "{stay_id}: {kind} instead, same nights. new total?",
        "chatty": "I have been looking at the pictures again, and I would so love a {kind} for {stay_id}, same "
        "hotel, same nights! What does it all come to then?",
        "formal": "In respect of {stay_id} I should prefer a {kind} of the same hotel for the same nights; "
        "please effect this and state the total.",
        "non_native": "For {stay_id} I want other room, a {kind}, in same hotel and same nights. How much is now?",
    },
    _draw_better,
    _better_room,
    (MOST_MORE,),
)


def _meals(facts: Facts) -> Policy:
    stay = yield do("get_stay", stay_id=facts["stay_id"])
    board = facts["board"].replace(" ", "_")
    if stay["board"] == board:
        raise DeadEnd("it is booked like that")
    each = shown(stay[board])
    if stay[board] > facts.get("most_each", stay[board]):
        return Reply(f"I left {facts['stay_id']} as it is: {each} EUR a night for each guest.", (each,))
    done = yield do("set_board", stay_id=facts["stay_id"], board=board)
    difference = shown(done["difference"])
    return Reply(f"{facts['stay_id']} has {facts['board']} now, for {difference} EUR more.", (difference,))


MEALS = Program(
    "add_meals",
    "Add meals to a booked hotel stay",
    {
        "plain": "Please add {board} to {stay_id}. How much more is that in all?",
        "terse": "{stay_id}: add {board}. extra cost in all?",
        "chatty": "I woke up thinking of hotel buffets, so put {board} on {stay_id}, would you, and how much more do "
        "we pay for all of it?",
        "formal": "Please supplement {stay_id} with {board} and specify the additional charge in all.",
        "non_native": "On {stay_id} I like to have {board} also, please put it. How much more is everything?",
    },
    a_stay(suits=lambda stay: stay["board"] == "room_only", board=("breakfast", "breakfast", "half board")),
    _meals,
    (
        Twist(
            "a limit on the meals",
            "condition",
            {
                "plain": "If it is more than {most_each:money} EUR for each guest and night, leave it off and tell me "
                "that price.",
                "terse": "above {most_each:money} EUR per guest and night: leave it, tell me the price.",
                "chatty": "More than {most_each:money} EUR a head and night is robbery, so then leave it off and tell "
                "me what they ask!",
                "formal": "Should the price exceed {most_each:money} EUR for each guest and night, omit it and state "
                "the price.",
            },
            draw=one_of("most_each", (10.0, 14.0, 17.5, 25.0, 36.0)),
        ),
        Twist(
            "half board after all",
            "change_of_mind",
            {
                "plain": "Wait, dinner too, please: half board rather than what I said.",
                "terse": "make that half board.",
                "chatty": "Oh, and dinner, how could I forget dinner, so half board it is!",
                "formal": "Dinner being wanted as well, half board is to be substituted.",
            },
            sets={"board": "half board"},
        ),
    ),
    again="stay_id",
)


def _cancel(facts: Facts) -> Policy:
    stay = yield do("get_stay", stay_id=facts["stay_id"])
    back = shown(stay["refund_now"])
    if not stay["refund_now"]:
        raise DeadEnd("nothing comes back")
    if stay["refund_now"] < facts.get("least", 0):
        return Reply(f"{facts['stay_id']} stays as it is: only {back} EUR would come back.", (back,))
    done = yield do("cancel_stay", stay_id=facts["stay_id"], refund_to=facts.get("refund_to", "card"))
    way = f"as voucher {done['voucher_id']}" if done["voucher_id"] else "to your card"
    return Reply(f"{stay['hotel']} is cancelled; {back} EUR come back {way}.", (back,))


CANCEL_STAY = Program(
    "cancel_stay",
    "Cancel a booked hotel stay and learn what comes back",
    {
        "plain": "Please cancel {stay_id}, as we do not need the room any more, and pay back to my card what I am "
        "due. How much is that?",
        "terse": "cancel {stay_id}, room not needed. refund to card, amount?",
        "chatty": "[We shall stay with my aunt after all|The friends we wanted to visit are moving], so we need no "
        "room any more, cancel {stay_id} please, money to my card, and how much will that be?",
        "formal": "As the room is no longer required, I hereby cancel {stay_id} and request reimbursement to my card, "
        "together with a statement of the amount.",
        "non_native": "I not need the room any more, please cancel {stay_id} and give back to my card. How much I "
        "receive?",
        "confused": "I believe I do not need a room any more, so can {stay_id} be cancelled, and what do I get back "
        "on my card?",
    },
    a_stay(suits=_flexible),
    _cancel,
    (AS_VOUCHER, AT_LEAST),
    again="stay_id",
)


def _due_there(facts: Facts) -> Policy:
    stay = yield do("get_stay", stay_id=facts["stay_id"])
    tax, district = shown(stay["city_tax_total"]), stay["district"]
    text = f"{stay['hotel']} is in {district}; rooms are ready from {stay['check_in_from']}; city tax {tax} EUR."
    tell = (district, stay["check_in_from"], *((tax,) if stay["city_tax_total"] else ()))
    if facts.get("free_until"):
        if stay["free_cancellation_until"] is None:
            raise DeadEnd("it cannot be cancelled")
        text = f"{text} Cancellation is free until {stay['free_cancellation_until']}."
        tell = (*tell, stay["free_cancellation_until"])
    return Reply(text, tell)


WHAT_IS_DUE = Program(
    "stay_particulars",
    "Learn in which district a booked hotel is, from when rooms are ready, and what city tax is due",
    {
        "plain": "About {stay_id}: in which district is the hotel, from what time is the room ready, and how much "
        "city tax will I pay there?",
        "terse": "{stay_id}: district, room ready from, city tax due there?",
        "chatty": "I am packing already! Remind me about {stay_id}: what part of town is that, when can we get in, "
        "and how much city tax will they want from us?",
        "formal": "I should be grateful for the following particulars of {stay_id}: district of the hotel, earliest "
        "check-in, and the city tax payable on site.",
        "confused": "I have mislaid my papers for {stay_id}, where in the city is that, when may I go in, and is "
        "there this city tax, how much?",
        "non_native": "About {stay_id}, please tell me in what district it is, from what hour I can enter and how "
        "much is city tax.",
    },
    a_stay(),
    _due_there,
    (
        Twist(
            "free cancellation until",
            "lookup",
            {
                "plain": "Until which day could I still cancel it free of charge?",
                "terse": "free cancellation until?",
                "chatty": "And just in case, until which day could we still call it off for free?",
                "formal": "The last day of cancellation free of charge should also be named.",
            },
            sets={"free_until": True},
        ),
    ),
    again="stay_id",
)

PROBLEMS = {
    "there was noise all night": "noise",
    "the room was dirty": "cleanliness",
    "what the hotel had promised was missing": "missing_amenity",
    "they gave us the wrong room": "wrong_room",
}


def _complaint(facts: Facts) -> Policy:
    done = yield do(
        "report_problem",
        stay_id=facts["stay_id"],
        problem=PROBLEMS[facts["trouble"]],
        remedy=facts.get("remedy", "voucher"),
    )
    number, amount = done["complaint_id"], shown(done["amount"])
    if done["voucher_id"]:
        text = f"There is a voucher {done['voucher_id']} of {amount} EUR for you ({number})."
        return Reply(text, (done["voucher_id"], amount))
    points = f"{done['points_added']} points"
    return Reply(f"{points} were added ({number}).", (points, number))


def _draw_complaint(world: World, rng: Random) -> Facts:
    reported = {each["stay_id"] for each in world.rows("complaints")}
    stay = pick(rng, stays_of(world, "completed", lambda each: each["stay_id"] not in reported))
    return {"traveller_id": stay["traveller_id"], "stay_id": stay["stay_id"], "trouble": rng.choice(sorted(PROBLEMS))}


COMPLAINT = Program(
    "report_problem_with_stay",
    "Complain about a hotel stay and be compensated",
    {
        "plain": "I have a complaint about {stay_id}: {trouble}. Please record it and give me a voucher for it. [What "
        "is its number and value?|Tell me the voucher's number and amount.]",
        "terse": "complaint about {stay_id}: {trouble}. voucher please, number + amount.",
        "chatty": "I do not like to grumble, but about {stay_id} I have to, {trouble}! Could you put that on record "
        "and send me a voucher, and tell me its number and what it is worth?",
        "formal": "I must lodge a complaint concerning {stay_id}, where {trouble}. I expect a voucher in compensation "
        "and ask for its number and amount.",
        "non_native": "I was not happy with {stay_id} because {trouble}. Please write this complaint and give me "
        "voucher; which number and how much?",
    },
    _draw_complaint,
    _complaint,
    (
        Twist(
            "points instead",
            "change_of_mind",
            {
                "plain": "No, points would suit me better than a voucher; then tell me the number of the complaint "
                "and how many points I get.",
                "terse": "points instead of voucher; complaint no. + how many points?",
                "chatty": "Actually, I am collecting, so give me points rather than a voucher, and tell me how many "
                "and what number the complaint has!",
                "formal": "I would rather be compensated in points than by voucher; their number and that of the "
                "complaint are to be stated.",
            },
            sets={"remedy": "points"},
        ),
    ),
)

STAYS = (LONGER, OTHER_DATES, BETTER_ROOM, MEALS, CANCEL_STAY, WHAT_IS_DUE, COMPLAINT)
