"""Programs about the account: insurance, points, what comes next."""

from random import Random

from toolscale.reference.kit import clock, latest_first, must, one_of
from toolscale.reference.moments import NOW, day
from toolscale.reference.program import Facts, Reply, Solution, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.travel.programs.common import an_account, city, place
from toolscale.reference.words import words

WORDS = words(__file__)

COVERS = {
    "medical costs": "medical",
    "cancellation": "cancellation",
    "lost baggage": "baggage",
    "winter sports": "winter_sports",
}


def _insure(facts: Facts) -> Solution:
    there = yield from place(facts["city"])
    trip = {
        "traveller_id": facts["traveller_id"],
        "destination_code": there["destination_code"],
        "start_date": facts["start"],
        "end_date": facts["end"],
        "trip_price": facts["trip_price"],
    }
    offers = yield do("quote_insurance", **trip)
    wanted = {COVERS[name] for name in (facts["cover"], facts.get("other_cover")) if name}
    fitting = [
        each
        for each in offers
        if wanted <= set(each["covers"]) and each["excess"] <= facts.get("most_excess", each["excess"])
    ]
    offer = yield choose(fitting, key=lambda each: each["premium"])
    name, cost = offer["name"], shown(offer["premium"])
    if offer["premium"] > facts.get("most_premium", offer["premium"]):
        return Reply(f"I bought none: {name} would cost {cost} EUR.", (name, cost))
    done = yield do("buy_insurance", **trip, product_id=offer["product_id"])
    return Reply(f"You have {name} as {done['insurance_id']}, for {cost} EUR.", (name, cost, done["insurance_id"]))


def _draw_insurance(world: World, rng: Random) -> Facts:
    person = pick(rng, world.rows("travellers"))
    there = pick(
        rng, [each for each in world.rows("destinations") if each["destination_code"] != person["home_airport"]]
    )
    first = rng.randint(8, 75)
    snow = there["destination_code"] in ("KEF", "YYZ", "VIE", "ZRH", "MXP", "HND")
    covers = ("medical costs", "cancellation", "lost baggage", *(("winter sports",) if snow else ()))
    return {
        "traveller_id": person["traveller_id"],
        "city": there["city"],
        "start": day(first),
        "end": day(first + rng.randint(4, 16)),
        "trip_price": float(rng.randrange(380, 3200, 20)),
        "cover": rng.choice(covers),
    }


INSURE = WORDS.program(
    "buy_insurance",
    _draw_insurance,
    _insure,
    (
        WORDS.twist("a second cover", "constraint", draw=one_of("other_cover", "medical costs", "lost baggage")),
        WORDS.twist("a limit on the excess", "constraint", draw=one_of("most_excess", 60.0, 75.0, 80.0)),
        WORDS.twist("a limit on the premium", "condition", draw=one_of("most_premium", 25.0, 45.0, 70.0, 120.0)),
    ),
)


def _uninsure(facts: Facts) -> Solution:
    listed = yield do("list_insurances", traveller_id=facts["traveller_id"])
    found = [each for each in listed if each["city"] == facts["city"]]
    insurance = yield choose(found, key=lambda each: each["start_date"])
    must(insurance["bought_on"] >= day(-14), "it is too late")
    name, premium = insurance["name"], shown(insurance["premium"])
    if insurance["premium"] < facts.get("least_premium", 0):
        return Reply(f"I kept {name}: only {premium} EUR would come back.", (name, premium))
    yield do("cancel_insurance", insurance_id=insurance["insurance_id"])
    return Reply(f"You have withdrawn from {name}; {premium} EUR come back.", (name, premium))


def _draw_uninsure(world: World, rng: Random) -> Facts:
    fitting = [
        each
        for each in world.rows("insurances")
        if each["status"] == "active" and each["bought_on"] >= day(-14) and each["start_date"] > NOW[:10]
    ]
    insurance = pick(rng, fitting)
    return {"traveller_id": insurance["traveller_id"], "city": city(world, insurance["destination_code"])}


UNINSURE = WORDS.program(
    "withdraw_from_insurance",
    _draw_uninsure,
    _uninsure,
    (WORDS.twist("only if it is worth it", "condition", draw=one_of("least_premium", 25.0, 35.0, 60.0, 90.0)),),
)


def _redeem(facts: Facts) -> Solution:
    account = yield do("get_traveller", traveller_id=facts["traveller_id"])
    must(facts["points"] <= account["points"], "too few points")
    if account["points"] - facts["points"] < facts.get("keep", 0):
        points = f"{account['points']} points"
        return Reply(f"I redeemed nothing: you have {points}.", (points,))
    done = yield do("redeem_points", traveller_id=facts["traveller_id"], points=facts["points"])
    voucher, left = done["voucher_id"], f"{done['points_left']} points"
    return Reply(f"Your voucher is {voucher}; {left} are left.", (voucher, left))


def _draw_redeem(world: World, rng: Random) -> Facts:
    person = pick(rng, [each for each in world.rows("travellers") if each["points"] >= 1500])
    most = min(person["points"], 12_000) // 100
    return {"traveller_id": person["traveller_id"], "points": 100 * rng.randint(10, most)}


REDEEM = WORDS.program(
    "redeem_points",
    _draw_redeem,
    _redeem,
    (WORDS.twist("only if enough stay", "condition", draw=one_of("keep", 500, 1200, 2500, 6000)),),
)


def _what_next(facts: Facts) -> Solution:
    flights = yield do("list_flight_bookings", traveller_id=facts["traveller_id"])
    key = (lambda each: latest_first(each["departure"])) if facts.get("last") else (lambda each: each["departure"])
    trip = yield choose(flights, key=key)
    flight = yield do("get_flight", flight_id=trip["flight_id"])
    leaves, closes = trip["departure"][:16].replace("T", " "), clock(flight["check_in_closes"])
    text = f"It is {trip['flight_id']} to {trip['destination']}, leaving {leaves}; check-in closes at {closes}."
    tell: tuple[str, ...] = (trip["flight_id"], trip["destination"], leaves, closes)
    if facts.get("hotel_too"):
        stays = yield do("list_stays", traveller_id=facts["traveller_id"])
        stay = yield choose(stays, key=lambda each: each["check_in"])
        full = yield do("get_stay", stay_id=stay["stay_id"])
        text = f"{text} Your next hotel is {full['hotel']} in {full['district']}."
        tell = (*tell, full["hotel"], full["district"])
    return Reply(text, tell)


WHAT_NEXT = WORDS.program(
    "next_flight",
    an_account,
    _what_next,
    (
        WORDS.twist("the last one instead", "change_of_mind", sets={"last": True}),
        WORDS.twist("and the next hotel", "lookup", sets={"hotel_too": True}),
    ),
)


ACCOUNT = (INSURE, UNINSURE, REDEEM, WHAT_NEXT)
