"""Requests about streaming and gift cards that the policy forbids: the proof is looked up and told."""

from random import Random

from toolscale.reference.entertainment.programs.common import of_age, owner
from toolscale.reference.entertainment.programs.gift_cards import lapsed
from toolscale.reference.entertainment.programs.subscriptions import own_subscription, subscribers
from toolscale.reference.kit import just, known, must
from toolscale.reference.moments import NOW, shifted
from toolscale.reference.program import DeadEnd, Facts, Refusal, Reply, Solution, Steps, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)


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


def _too_young(facts: Facts) -> Solution:
    title = yield from _the_title(facts)
    member = yield do("get_member", member_id=facts["member_id"])
    must(not of_age(member, title), "the member is old enough")
    yield do("add_to_watchlist", member_id=facts["member_id"], title_id=title["title_id"])
    born = member["birth_date"]
    text = f"It is rated {title['age_rating']} and you were born on {born}, so I put it on your watchlist."
    return Reply(text, (born,))


def _rent_all_the_same(facts: Facts) -> Steps:
    title = yield from _the_title(facts)
    yield do("rent_title", member_id=facts["member_id"], title_id=title["title_id"])


TOO_YOUNG = WORDS.program(
    "refuse_minor_rental", _draw_minor, _too_young, refusal=Refusal("shows_and_films_for_their_age", _rent_all_the_same)
)


def _bound(facts: Facts) -> Solution:
    subscription = yield from own_subscription(facts)
    until, price = subscription["minimum_until"], shown(subscription["monthly_price"])
    must(until > NOW[:10], "the minimum term is over")
    return Reply(f"It is bound until {until}, at {price} {subscription['currency']} a month.", (until, price))


def _end_all_the_same(facts: Facts) -> Steps:
    subscription = yield from own_subscription(facts)
    yield do("cancel_subscription", subscription_id=subscription["subscription_id"])


MINIMUM_TERM = WORDS.program(
    "refuse_early_end",
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
    title = known(world, "titles", rental["title_id"])
    return {"member_id": rental["member_id"], "title": title["name"]}


def _the_rental(facts: Facts) -> Steps:
    rentals = yield do("list_rentals", member_id=facts["member_id"])
    return (yield choose([each for each in rentals if each["name"] == facts["title"]], key=lambda each: each["name"]))


def _too_old(facts: Facts) -> Solution:
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


LATE_RENTAL = WORDS.program(
    "refuse_late_rental_refund",
    _draw_old_rental,
    _too_old,
    refusal=Refusal("rentals_are_given_back_unwatched", _refund_rental_all_the_same),
)


def _draw_dead_card(world: World, rng: Random) -> Facts:
    card = pick(rng, lapsed(world, 367, 999))
    return {"member_id": card["member_id"], "gift_card": card["gift_card_id"]}


def _gone(facts: Facts) -> Solution:
    card = yield do("get_gift_card", gift_card_id=facts["gift_card"])
    member = yield do("get_member", member_id=facts["member_id"])
    balance, until, points = shown(card["balance"]), card["valid_until"], str(member["points"])
    text = f"It ran out on {until}, more than a year ago, with {balance} {card['currency']}. You have {points} points."
    return Reply(text, (balance, until, points))


DEAD_CARD = WORDS.program(
    "refuse_old_gift_card",
    _draw_dead_card,
    _gone,
    refusal=Refusal("gift_cards_are_revived_once", just("extend_gift_card", gift_card_id="gift_card")),
)

REFUSED_AT_HOME = (TOO_YOUNG, MINIMUM_TERM, LATE_RENTAL, DEAD_CARD)
