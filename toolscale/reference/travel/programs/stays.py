"""Programs about booked stays: other dates, a better room, meals, cancelling, what is due there, complaints."""

from datetime import date
from random import Random

from toolscale.reference.kit import known, must, one_of
from toolscale.reference.program import DeadEnd, Facts, Reply, Solution, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.travel.programs.common import AS_VOUCHER, AT_LEAST, Record, a_stay, shifted, stays_of
from toolscale.reference.words import words

WORDS = words(__file__)


def _flexible(stay: Record) -> bool:
    return bool(stay["rate"] == "flexible")


MOST_MORE = WORDS.twist("a limit on the difference", "condition", draw=one_of("most_more", 60.0, 140.0, 260.0, 420.0))


def _changed(facts: Facts, check_in: str, check_out: str, room: Record | None = None) -> Solution:
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


def _longer(facts: Facts) -> Solution:
    stay = yield do("get_stay", stay_id=facts["stay_id"])
    return (yield from _changed(facts, stay["check_in"], facts["check_out"]))


def _draw_longer(world: World, rng: Random) -> Facts:
    stay = pick(rng, stays_of(world, "confirmed", _flexible))
    until = shifted(stay["check_out"], rng.randint(1, 3))
    return {"traveller_id": stay["traveller_id"], "stay_id": stay["stay_id"], "check_out": until}


LONGER = WORDS.program("extend_stay", _draw_longer, _longer, (MOST_MORE,))


def _other_dates(facts: Facts) -> Solution:
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


OTHER_DATES = WORDS.program("move_stay", _draw_other_dates, _other_dates, (MOST_MORE,))


KINDS = {"double room": "double", "family room": "family", "suite": "suite"}


def _better_room(facts: Facts) -> Solution:
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


BETTER_ROOM = WORDS.program("change_room", _draw_better, _better_room, (MOST_MORE,))


def _meals(facts: Facts) -> Solution:
    stay = yield do("get_stay", stay_id=facts["stay_id"])
    board = facts["board"].replace(" ", "_")
    must(stay["board"] != board, "it is booked like that")
    each = shown(stay[board])
    if stay[board] > facts.get("most_each", stay[board]):
        return Reply(f"I left {facts['stay_id']} as it is: {each} EUR a night for each guest.", (each,))
    done = yield do("set_board", stay_id=facts["stay_id"], board=board)
    difference = shown(done["difference"])
    return Reply(f"{facts['stay_id']} has {facts['board']} now, for {difference} EUR more.", (difference,))


MEALS = WORDS.program(
    "add_meals",
    a_stay(suits=lambda stay: stay["board"] == "room_only", board=("breakfast", "breakfast", "half board")),
    _meals,
    (
        WORDS.twist("a limit on the meals", "condition", draw=one_of("most_each", 10.0, 14.0, 17.5, 25.0, 36.0)),
        WORDS.twist("half board after all", "change_of_mind", sets={"board": "half board"}),
    ),
    again="stay_id",
)


def _cancel(facts: Facts) -> Solution:
    stay = yield do("get_stay", stay_id=facts["stay_id"])
    back = shown(stay["refund_now"])
    must(stay["refund_now"], "nothing comes back")
    if stay["refund_now"] < facts.get("least", 0):
        return Reply(f"{facts['stay_id']} stays as it is: only {back} EUR would come back.", (back,))
    done = yield do("cancel_stay", stay_id=facts["stay_id"], refund_to=facts.get("refund_to", "card"))
    way = f"as voucher {done['voucher_id']}" if done["voucher_id"] else "to your card"
    return Reply(f"{stay['hotel']} is cancelled; {back} EUR come back {way}.", (back,))


CANCEL_STAY = WORDS.program("cancel_stay", a_stay(suits=_flexible), _cancel, (AS_VOUCHER, AT_LEAST), again="stay_id")


def _due_there(facts: Facts) -> Solution:
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


WHAT_IS_DUE = WORDS.program(
    "stay_particulars",
    a_stay(),
    _due_there,
    (WORDS.twist("free cancellation until", "lookup", sets={"free_until": True}),),
    again="stay_id",
)

PROBLEMS = {
    "there was noise all night": "noise",
    "the room was dirty": "cleanliness",
    "what the hotel had promised was missing": "missing_amenity",
    "they gave us the wrong room": "wrong_room",
}


def _complaint(facts: Facts) -> Solution:
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


COMPLAINT = WORDS.program(
    "report_problem_with_stay",
    _draw_complaint,
    _complaint,
    (WORDS.twist("points instead", "change_of_mind", sets={"remedy": "points"}),),
)

STAYS = (LONGER, OTHER_DATES, BETTER_ROOM, MEALS, CANCEL_STAY, WHAT_IS_DUE, COMPLAINT)
