"""Programs about the account: insurance, points, what comes next."""

from random import Random

from toolscale.reference.moments import NOW, day
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Reply, Twist, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.travel.programs.common import (
    an_account,
    city,
    clock,
    latest_first,
    one_of,
    place,
)

COVERS = {
    "medical costs": "medical",
    "cancellation": "cancellation",
    "lost baggage": "baggage",
    "winter sports": "winter_sports",
}


def _insure(facts: Facts) -> Policy:
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


INSURE = Program(
    "buy_insurance",
    "Buy the cheapest insurance that covers something on a trip",
    {
        "plain": "I am going to {city} from {start:date} to {end:date}; the trip costs {trip_price:money} EUR. Please "
        "buy the cheapest insurance that covers {cover}. Which one is it, and what is the premium?",
        "terse": "insurance for {city}, {start:date} to {end:date}, trip price {trip_price:money} EUR, must cover "
        "{cover}, cheapest. buy. name + premium?",
        "chatty": "My brother worries about everything, so for our trip to {city}, {start:date} to {end:date}, which "
        "costs {trip_price:money} EUR, buy the cheapest insurance that covers {cover}, and what is it called and what "
        "do we pay?",
        "formal": "For a journey to {city} from {start:date} to {end:date} at a price of {trip_price:money} EUR, "
        "kindly purchase the least expensive insurance that includes {cover}, naming product and premium.",
        "non_native": "I go to {city} between {start:date} and {end:date}, the trip has price {trip_price:money} EUR. "
        "I want insurance for {cover}, the cheapest, please buy. How is the name and the cost?",
        "hurried": "Insure me for {city}, {start:date} to {end:date}, trip costs {trip_price:money} EUR, cheapest that "
        "covers {cover}! Which, and how much?",
    },
    _draw_insurance,
    _insure,
    (
        Twist(
            "a second cover",
            "constraint",
            {
                "plain": "It has to cover {other_cover} as well.",
                "terse": "plus cover for {other_cover}.",
                "chatty": "And with my luck, {other_cover} had better be in it as well!",
                "formal": "{other_cover} must be covered likewise.",
            },
            draw=one_of("other_cover", ("medical costs", "lost baggage")),
        ),
        Twist(
            "a limit on the excess",
            "constraint",
            {
                "plain": "I do not want an excess of more than {most_excess:money} EUR.",
                "terse": "excess {most_excess:money} EUR at most.",
                "chatty": "What is the use of it if I must pay half myself, so an excess of {most_excess:money} EUR "
                "at the very most!",
                "formal": "The excess may not be higher than {most_excess:money} EUR.",
            },
            draw=one_of("most_excess", (60.0, 75.0, 80.0)),
        ),
        Twist(
            "a limit on the premium",
            "condition",
            {
                "plain": "If the premium is above {most_premium:money} EUR, buy none and tell me what it would be.",
                "terse": "premium above {most_premium:money} EUR: none, tell me.",
                "chatty": "Should they want more than {most_premium:money} EUR for it, buy none and just tell me!",
                "formal": "At a premium of more than {most_premium:money} EUR, nothing is to be bought and the "
                "premium to be stated.",
            },
            draw=one_of("most_premium", (25.0, 45.0, 70.0, 120.0)),
        ),
    ),
)


def _uninsure(facts: Facts) -> Policy:
    listed = yield do("list_insurances", traveller_id=facts["traveller_id"])
    found = [each for each in listed if each["city"] == facts["city"]]
    insurance = yield choose(found, key=lambda each: each["start_date"])
    if insurance["bought_on"] < day(-14):
        raise DeadEnd("it is too late")
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


UNINSURE = Program(
    "withdraw_from_insurance",
    "Withdraw from an insurance bought lately",
    {
        "plain": "I bought insurance for my trip to {city} the other day, but my [employer|credit card] covers me "
        "already. Please withdraw me from it and tell me its name and what I get back.",
        "terse": "withdraw from my {city} insurance, bought recently. name, money back?",
        "chatty": "I was talked into an insurance for {city} and my sister says I am covered twice now, so get me "
        "out of it again, and what was it called, and what do I get back?",
        "formal": "I exercise my right of withdrawal from the insurance for my journey to {city}, and ask you to name "
        "the product and the sum refunded.",
        "non_native": "The insurance which I have bought for {city} I do not need it, please withdraw. What is its "
        "name and how much returns?",
    },
    _draw_uninsure,
    _uninsure,
    (
        Twist(
            "only if it is worth it",
            "condition",
            {
                "plain": "If that gets me less than {least_premium:money} EUR, keep the insurance and tell me the "
                "premium.",
                "terse": "less than {least_premium:money} EUR? keep it, tell me the premium.",
                "chatty": "Though for less than {least_premium:money} EUR I would not bother, so then we keep it and "
                "you tell me the premium!",
                "formal": "Should the premium be lower than {least_premium:money} EUR, the insurance is to be kept and "
                "the premium stated.",
            },
            draw=one_of("least_premium", (25.0, 35.0, 60.0, 90.0)),
        ),
    ),
    unknown="I do not have the number of the policy.",
)


def _redeem(facts: Facts) -> Policy:
    account = yield do("get_traveller", traveller_id=facts["traveller_id"])
    if facts["points"] > account["points"]:
        raise DeadEnd("too few points")
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


REDEEM = Program(
    "redeem_points",
    "Turn points into a voucher",
    {
        "plain": "Please turn {points:int} of my points into a voucher, and tell me its number and how many points I "
        "have left.",
        "terse": "{points:int} points into a voucher. number, points left?",
        "chatty": "All those points are only gathering dust, so make a voucher of {points:int} points, and tell me its "
        "number and how many remain!",
        "formal": "I wish to redeem {points:int} points for a voucher; kindly state its number and the points that "
        "remain.",
        "non_native": "From my points please take {points:int} and make a voucher. Which number has it and how many "
        "points stay?",
    },
    _draw_redeem,
    _redeem,
    (
        Twist(
            "only if enough stay",
            "condition",
            {
                "plain": "But I want to keep {keep:int} points at least; if that is impossible, redeem none and tell "
                "me how many I have.",
                "terse": "keep >= {keep:int} points, else redeem none + tell me my points.",
                "chatty": "Only, there should be {keep:int} points left for my mother's birthday, and if that does not "
                "work out, redeem none and tell me how many I have!",
                "formal": "No fewer than {keep:int} points must remain, failing which none are to be redeemed and my "
                "balance to be stated.",
            },
            draw=one_of("keep", (500, 1200, 2500, 6000)),
        ),
    ),
)


def _what_next(facts: Facts) -> Policy:
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


WHAT_NEXT = Program(
    "next_flight",
    "Learn where the next flight goes, when it leaves and when check-in closes",
    {
        "plain": "Which flight is my next one, where does it go, when does it leave, and when does check-in close?",
        "terse": "my next flight: number, destination, departure, check-in closing?",
        "chatty": "I have lost all track! What is my next flight, where am I off to, when do we leave and until when "
        "can I check in?",
        "formal": "Please inform me of the number, destination, departure and close of check-in of my next flight.",
        "hurried": "Next flight of mine, number, where to, when, check-in until? Quick!",
        "non_native": "My next flight, which is it, to where, when it goes and until when is the check-in?",
    },
    an_account,
    _what_next,
    (
        Twist(
            "the last one instead",
            "change_of_mind",
            {
                "plain": "Sorry, not the next flight, I need the last of all the flights that I have booked.",
                "terse": "correction: the last flight booked ahead, not the next one.",
                "chatty": "Oh silly me, it is the very last of my flights that I need, not the next one!",
                "formal": "I beg your pardon: the last of my coming flights is meant, not the next.",
            },
            sets={"last": True},
        ),
        Twist(
            "and the next hotel",
            "lookup",
            {
                "plain": "Also tell me which hotel I stay at next, and in which district it is.",
                "terse": "and my next hotel + its district.",
                "chatty": "And while we are at it, which hotel do I stay at next, and in what part of town?",
                "formal": "The name and district of the hotel at which I stay next would be welcome too.",
            },
            sets={"hotel_too": True},
        ),
    ),
    unknown="I have no booking numbers at hand.",
)


ACCOUNT = (INSURE, UNINSURE, REDEEM, WHAT_NEXT)
