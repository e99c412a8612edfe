"""Requests about streaming and gift cards that the policy forbids: the proof is looked up and told."""

from random import Random

from toolscale.reference.entertainment.programs.common import (
    of_age,
    owner,
    says,
)
from toolscale.reference.entertainment.programs.gift_cards import lapsed
from toolscale.reference.entertainment.programs.subscriptions import own_subscription, subscribers
from toolscale.reference.moments import NOW, shifted
from toolscale.reference.program import (
    DeadEnd,
    Facts,
    Policy,
    Program,
    Refusal,
    Reply,
    Steps,
    World,
    choose,
    do,
    pick,
)
from toolscale.reference.sums import shown


def _draw_minor(world: World, rng: Random) -> Facts:
    adult_titles = [row for row in world.rows("titles") if row["age_rating"] == 18]
    listed = {(row["member_id"], row["title_id"]) for row in world.rows("watchlist")}
    pairs = [
        (member["member_id"], title["name"])
        for member in world.rows("members")
        for title in adult_titles
        if not of_age(member, title) and (member["member_id"], title["title_id"]) not in listed
    ]
    member_id, name = pick(rng, pairs)
    return {"member_id": member_id, "title": name}


def _the_title(facts: Facts) -> Steps:
    found = yield do("search_titles", name=facts["title"])
    return (yield choose([each for each in found if each["name"] == facts["title"]], key=lambda each: each["name"]))


def _too_young(facts: Facts) -> Policy:
    title = yield from _the_title(facts)
    member = yield do("get_member", member_id=facts["member_id"])
    if of_age(member, title):
        raise DeadEnd("the member is old enough")
    yield do("add_to_watchlist", member_id=facts["member_id"], title_id=title["title_id"])
    born = member["birth_date"]
    text = f"It is rated {title['age_rating']} and you were born on {born}, so I put it on your watchlist."
    return Reply(text, (born,))


def _rent_all_the_same(facts: Facts) -> Steps:
    title = yield from _the_title(facts)
    yield do("rent_title", member_id=facts["member_id"], title_id=title["title_id"])


TOO_YOUNG = Program(
    "refuse_minor_rental",
    "Ask to rent a film that is rated above one's age",
    says(
        "Rent me {title} [for the weekend|for tonight]. If the age on my account stands against it, put it on my "
        "watchlist instead and tell me which date of birth you have for me.",
        "rent {title}. if my age is a problem: watchlist instead, and what's the birth date you have?",
        "Everybody keeps telling me about {title}, so rent it for me! And if my age is in the way again, at least put "
        "it "
        "on my watchlist and tell me what date of birth you think I have!",
        "Kindly rent {title} to me or, should my recorded age stand against it, place it on my watchlist and state the "
        "date of birth that is recorded.",
        "I want to rent {title}. If I am not enough old for you, put it in my watchlist and say what birth date you "
        "have "
        "of me.",
    ),
    _draw_minor,
    _too_young,
    refusal=Refusal("shows_and_films_for_their_age", _rent_all_the_same),
)


def _bound(facts: Facts) -> Policy:
    subscription = yield from own_subscription(facts)
    until, price = subscription["minimum_until"], shown(subscription["monthly_price"])
    if until <= NOW[:10]:
        raise DeadEnd("the minimum term is over")
    return Reply(f"It is bound until {until}, at {price} {subscription['currency']} a month.", (until, price))


def _end_all_the_same(facts: Facts) -> Steps:
    subscription = yield from own_subscription(facts)
    yield do("cancel_subscription", subscription_id=subscription["subscription_id"])


MINIMUM_TERM = Program(
    "refuse_early_end",
    "Ask to end a subscription within its minimum term",
    says(
        "I want out of my streaming subscription at once. If it is still within its minimum term, leave it and tell me "
        "until which day I am bound, and what I pay a month.",
        "end my streaming now. still in minimum term? then leave it: bound until when, price a month?",
        "I do not even own a television any more, so out of the streaming subscription I want, today! Unless there is "
        "some minimum term, then leave it, but until when, and how much do you take each month?",
        "I request immediate termination of my streaming subscription. Should its minimum term still run, leave it in "
        "place and state its last day and the monthly price.",
        "I want stop streaming now. If there is still minimum time, leave so and say me until what day and how much in "
        "month.",
    ),
    lambda world, rng: owner(world, rng, subscribers(world, bound=True)),
    _bound,
    refusal=Refusal("minimum_term_is_kept", _end_all_the_same),
)


def _draw_old_rental(world: World, rng: Random) -> Facts:
    old = [
        row
        for row in world.rows("rentals")
        if row["status"] == "unwatched" and row["rented_at"] < shifted(NOW, -14 * 1440)
    ]
    rental = pick(rng, old)
    title = world.get("titles", rental["title_id"])
    if title is None:
        raise DeadEnd("the title is out of sight")
    return {"member_id": rental["member_id"], "title": title["name"]}


def _the_rental(facts: Facts) -> Steps:
    rentals = yield do("list_rentals", member_id=facts["member_id"])
    return (yield choose([each for each in rentals if each["name"] == facts["title"]], key=lambda each: each["name"]))


def _too_old(facts: Facts) -> Policy:
    rental = yield from _the_rental(facts)
    title = yield do("get_title", title_id=rental["title_id"], member_id=facts["member_id"])
    if rental["rented_at"] > shifted(NOW, -14 * 1440) or rental["status"] != "unwatched":
        raise DeadEnd("it is refunded after all")
    made, minutes = rental["rented_at"][:10], str(title["minutes"])
    text = (
        f"You rented it on {made}, more than 14 days ago; start it by {rental['start_by']}, it lasts {minutes} minutes."
    )
    return Reply(text, (made, rental["start_by"], minutes))


def _refund_rental_all_the_same(facts: Facts) -> Steps:
    rental = yield from _the_rental(facts)
    yield do("refund_rental", rental_id=rental["rental_id"])


LATE_RENTAL = Program(
    "refuse_late_rental_refund",
    "Ask for the money back for a film that was rented long ago",
    says(
        "I never came round to watching {title}, so refund that rental. If it is too late, tell me the day on which I "
        "rented it, until which day I can still begin it, and how many minutes it lasts.",
        "refund my rental of {title}, never started. too late? then: day rented, start by, minutes?",
        "I rented {title} and then life happened, so the money back, please! Or if that is no longer done, on which "
        "day "
        "did I rent it, by which day must I begin, and how many minutes will it take me?",
        "Kindly refund the rental of {title}, which I have not begun. If the period has lapsed, state the day of "
        "rental, "
        "the last day to begin, and the length in minutes.",
    ),
    _draw_old_rental,
    _too_old,
    refusal=Refusal("rentals_are_given_back_unwatched", _refund_rental_all_the_same),
)


def _draw_dead_card(world: World, rng: Random) -> Facts:
    card = pick(rng, lapsed(world, 367, 999))
    return {"member_id": card["member_id"], "gift_card": card["gift_card_id"]}


def _gone(facts: Facts) -> Policy:
    card = yield do("get_gift_card", gift_card_id=facts["gift_card"])
    member = yield do("get_member", member_id=facts["member_id"])
    balance, until, points = shown(card["balance"]), card["valid_until"], str(member["points"])
    text = f"It ran out on {until}, more than a year ago, with {balance} {card['currency']}. You have {points} points."
    return Reply(text, (balance, until, points))


def _revive_all_the_same(facts: Facts) -> Steps:
    yield do("extend_gift_card", gift_card_id=facts["gift_card"])


DEAD_CARD = Program(
    "refuse_old_gift_card",
    "Ask to revive a gift card that ran out too long ago",
    says(
        "My gift card {gift_card} has run out, please extend it. If that is no longer possible, tell me on which day "
        "it "
        "ran out and how much was on it, and how many points I have, as I might turn those into a new one.",
        "extend gift card {gift_card}. too old? then: expiry date, balance, and my points.",
        "In the bottom of a drawer I found the gift card {gift_card}, poor old thing! Do bring it back to life, or if "
        "it "
        "is beyond help, when did it die, how much have I lost, and how many points are there to console me?",
        "I ask for an extension of the gift card {gift_card}; should this be excluded, kindly state the day of its "
        "expiry, its balance, and the points that I hold.",
        "The gift card {gift_card} is finished, make it good again please. If is too old, say when it finished, how "
        "much "
        "was in, and how many points I have.",
    ),
    _draw_dead_card,
    _gone,
    refusal=Refusal("gift_cards_are_revived_once", _revive_all_the_same),
)

REFUSED_AT_HOME = (TOO_YOUNG, MINIMUM_TERM, LATE_RENTAL, DEAD_CARD)
