"""Programs about films at home: renting, the watchlist, giving a rental back."""

from random import Random

from toolscale.reference.entertainment.programs.common import a_member, in_currency, owner
from toolscale.reference.entertainment.schema import STREAM_GENRES
from toolscale.reference.kit import latest_first, must
from toolscale.reference.moments import NOW, shifted
from toolscale.reference.program import DeadEnd, Facts, Record, Reply, Solution, Steps, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)


def _draw_genre(world: World, rng: Random) -> Facts:
    return {**a_member(world, rng), "genre": rng.choice(STREAM_GENRES), "minutes": rng.choice((90, 95, 100, 110, 120))}


def rent(facts: Facts, title_id: str) -> Solution:
    """The solution of every rental: what is included need not be rented, what is too dear is left."""
    title = yield do("get_title", title_id=title_id, member_id=facts["member_id"])
    price, name = shown(title["rental_price"]), title["name"]
    if title["in_subscription"]:
        return Reply(f"{name} of {title['year']} is in your subscription, so there is nothing to rent.", (name,))
    if title["rental_price"] > facts.get("most", float("inf")):
        return Reply(f"I rented nothing: {name} costs {price} {title['currency']}.", (name, price))
    card = None
    if facts.get("by_gift_card"):
        cards = yield do("list_gift_cards", member_id=facts["member_id"])
        usable = [each for each in cards if not each["expired"] and each["balance"] >= title["rental_price"]]
        card = (yield choose(usable, key=lambda each: each["balance"]))["gift_card_id"]
    rental = yield do("rent_title", member_id=facts["member_id"], title_id=title_id, gift_card_id=card)
    return Reply(f"{name} is rented for {price} {rental['currency']}.", (name, price))


def _rent_best(facts: Facts) -> Solution:
    found = yield do(
        "search_titles",
        genre=facts["genre"],
        most_minutes=facts["minutes"],
        highest_age_rating=facts.get("highest_age"),
    )
    best = yield choose(found, key=lambda each: -each["rating"])
    return (yield from rent(facts, best["title_id"]))


def _can_pay_by_card(world: World, rng: Random, facts: Facts) -> Facts:
    rows = world.rows("gift_cards")
    pick(rng, [row for row in rows if row["member_id"] == facts["member_id"] and row["valid_until"] > NOW[:10]])
    return {}


BY_SMALLEST_CARD = WORDS.twist(
    "paid with the smallest gift card", "constraint", _can_pay_by_card, sets={"by_gift_card": True}
)
MOST_RENT = WORDS.twist("a limit on the rental", "condition", in_currency("most", 4, 5.5, 8, 14, 15))
FOR_CHILDREN = WORDS.twist(
    "for children", "constraint", lambda world, rng, facts: {"highest_age": rng.choice((6, 12, 12, 16))}
)

RENT_BEST = WORDS.program("rent_best_of_genre", _draw_genre, _rent_best, (BY_SMALLEST_CARD, MOST_RENT, FOR_CHILDREN))


def _draw_watcher(world: World, rng: Random) -> Facts:
    rows = world.rows("watchlist")
    owners = [row["member_id"] for row in rows]
    several = {each for each in owners if owners.count(each) > 1}
    return {"member_id": pick(rng, sorted(several or set(owners)))}


def _from_watchlist(facts: Facts) -> Solution:
    entries = yield do("list_watchlist", member_id=facts["member_id"])
    must(len(entries) >= 2, "nothing to choose from")
    key = "minutes" if facts.get("shortest") else "rating"
    sign = 1 if facts.get("shortest") else -1
    entry = yield choose(entries, key=lambda each: sign * each[key])
    reply = yield from rent(facts, entry["title_id"])
    if "rented nothing" not in reply.text:
        yield do("remove_from_watchlist", watch_id=entry["watch_id"])
    return reply


SHORTEST = WORDS.twist("the shortest instead", "change_of_mind", sets={"shortest": True})

RENT_FROM_LIST = WORDS.program(
    "rent_from_watchlist", _draw_watcher, _from_watchlist, (SHORTEST, BY_SMALLEST_CARD, MOST_RENT)
)


def _draw_addition(world: World, rng: Random) -> Facts:
    return {**a_member(world, rng), "genre": rng.choice(STREAM_GENRES)}


def _add_best(facts: Facts) -> Solution:
    found = yield do("search_titles", genre=facts["genre"], plan=facts.get("plan"))
    entries = yield do("list_watchlist", member_id=facts["member_id"])
    listed = {each["title_id"] for each in entries}
    best = yield choose([each for each in found if each["title_id"] not in listed], key=lambda each: -each["rating"])
    done = yield do("add_to_watchlist", member_id=facts["member_id"], title_id=best["title_id"])
    return Reply(f"{done['name']}, rated {best['rating']}, is on your watchlist.", (done["name"],))


ADD_BEST = WORDS.program(
    "add_best_to_watchlist",
    _draw_addition,
    _add_best,
    (
        WORDS.twist(
            "in a plan", "constraint", lambda world, rng, facts: {"plan": rng.choice(("basic", "standard", "family"))}
        ),
    ),
)


def _draw_prune(world: World, rng: Random) -> Facts:
    return {**_draw_watcher(world, rng), "minutes": rng.choice((90, 100, 105, 110, 115, 120))}


def _prune(facts: Facts) -> Solution:
    entries = yield do("list_watchlist", member_id=facts["member_id"])
    longer = [each for each in entries if each["minutes"] > facts["minutes"]]
    if not longer or len(longer) > 4:
        raise DeadEnd("nothing or too much is that long")
    names = []
    for each in longer:
        done = yield do("remove_from_watchlist", watch_id=each["watch_id"])
        names.append(done["name"])
    return Reply(f"Off the list: {'; '.join(names)}.", tuple(names))


PRUNE = WORDS.program("prune_watchlist", _draw_prune, _prune)


def _recent(rental: Record) -> bool:
    return bool(rental["status"] == "unwatched" and rental["rented_at"] > shifted(NOW, -14 * 1440 + 60))


def _draw_rental(world: World, rng: Random) -> Facts:
    return owner(world, rng, [row for row in world.rows("rentals") if _recent(row)])


def latest_unwatched(facts: Facts) -> Steps:
    """Step: the member's latest rental that was not begun."""
    rentals = yield do("list_rentals", member_id=facts["member_id"])
    unwatched = [each for each in rentals if each["status"] == "unwatched"]
    return (yield choose(unwatched, key=lambda each: latest_first(each["rented_at"])))


def _give_back(facts: Facts) -> Solution:
    rental = yield from latest_unwatched(facts)
    must(_recent(rental), "it is too old to be given back")
    done = yield do("refund_rental", rental_id=rental["rental_id"])
    price = shown(done["price"])
    return Reply(f"{rental['name']}: {price} {done['currency']} come back.", (rental["name"], price))


GIVE_BACK = WORDS.program("give_rental_back", _draw_rental, _give_back)

WATCHING = (RENT_BEST, RENT_FROM_LIST, ADD_BEST, PRUNE, GIVE_BACK)
