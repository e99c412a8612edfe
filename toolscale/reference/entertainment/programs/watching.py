"""Programs about films at home: renting, the watchlist, giving a rental back."""

from random import Random

from toolscale.reference.entertainment.programs.common import a_member, in_currency, latest, owner, says, twist
from toolscale.reference.entertainment.schema import STREAM_GENRES
from toolscale.reference.moments import NOW, shifted
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Record, Reply, Steps, World, choose, do, pick
from toolscale.reference.sums import shown


def _draw_genre(world: World, rng: Random) -> Facts:
    return {**a_member(world, rng), "genre": rng.choice(STREAM_GENRES), "minutes": rng.choice((90, 95, 100, 110, 120))}


def rent(facts: Facts, title_id: str) -> Policy:
    """The policy of every rental: what is included need not be rented, what is too dear is left."""
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


def _rent_best(facts: Facts) -> Policy:
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


BY_SMALLEST_CARD = twist(
    "paid with the smallest gift card",
    "constraint",
    says(
        "Pay with my gift card that has the least on it and still covers it.",
        "pay by gift card: smallest balance that covers it.",
        "And pay with one of my gift cards, the one with the least money left that will still do!",
        "Payment is to be made by whichever of my gift cards has the lowest sufficient balance.",
        "Pay with gift card please, the one with the smallest money which is enough.",
    ),
    _can_pay_by_card,
    by_gift_card=True,
)
MOST_RENT = twist(
    "a limit on the rental",
    "condition",
    says(
        "If it costs more than {most:money}, [do not rent it|leave it] and tell me the price.",
        "max {most:money}, else don't rent, tell me the price.",
        "But for more than {most:money} I would rather read a book, so then just tell me the price!",
        "Should the price exceed {most:money}, refrain from renting and state it.",
    ),
    in_currency("most", 4, 5.5, 8, 14, 15),
)
FOR_CHILDREN = twist(
    "for children",
    "constraint",
    says(
        "The children are watching too, so nothing that is rated above {highest_age:int}.",
        "age rating {highest_age:int} at most.",
        "My little cousins will be here, so it must not be rated above {highest_age:int}, please!",
        "The age rating must not exceed {highest_age:int}.",
    ),
    lambda world, rng, facts: {"highest_age": rng.choice((6, 12, 12, 16))},
)

RENT_BEST = Program(
    "rent_best_of_genre",
    "Rent the best-rated title of a genre that is not too long",
    says(
        "[For tonight I am looking for something to watch|I want to stay in tonight]: the genre is {genre}, and it "
        "should last at most {minutes:int} minutes. Rent me the one that viewers rate highest, unless my subscription "
        "has it anyway, and tell me the title and the price if there is one.",
        "tonight: genre {genre}, {minutes:int} min max, top rated by viewers. rent it unless it's in my subscription. "
        "title + price?",
        "It is pouring outside, so sofa it is! Find me the best-rated title, genre {genre}, no longer than "
        "{minutes:int} "
        "minutes, and rent it if my subscription does not have it! What is it called and what do I pay, if anything?",
        "Please select from the genre {genre} the title with the highest viewers' rating that lasts no more than "
        "{minutes:int} minutes, rent it unless it is part of my subscription, and name the title and any price.",
        "I want tonight a film of genre {genre}, not more than {minutes:int} minutes, with best points of viewers; "
        "rent "
        "it if is not in my subscription; say title and price if I pay.",
    ),
    _draw_genre,
    _rent_best,
    (BY_SMALLEST_CARD, MOST_RENT, FOR_CHILDREN),
)


def _draw_watcher(world: World, rng: Random) -> Facts:
    rows = world.rows("watchlist")
    owners = [row["member_id"] for row in rows]
    several = {each for each in owners if owners.count(each) > 1}
    return {"member_id": pick(rng, sorted(several or set(owners)))}


def _from_watchlist(facts: Facts) -> Policy:
    entries = yield do("list_watchlist", member_id=facts["member_id"])
    if len(entries) < 2:
        raise DeadEnd("nothing to choose from")
    key = "minutes" if facts.get("shortest") else "rating"
    sign = 1 if facts.get("shortest") else -1
    entry = yield choose(entries, key=lambda each: sign * each[key])
    reply = yield from rent(facts, entry["title_id"])
    if "rented nothing" not in reply.text:
        yield do("remove_from_watchlist", watch_id=entry["watch_id"])
    return reply


SHORTEST = twist(
    "the shortest instead",
    "change_of_mind",
    says(
        "No, I am too tired: take the shortest on the list instead of the best-rated.",
        "no, shortest on the list instead of top rated.",
        "Oh, I always fall asleep anyway, so better the shortest one than the best-rated!",
        "On reflection, the shortest title on the list is preferred to the highest-rated.",
        "No, better the most short film of the list, not the one with best points.",
    ),
    shortest=True,
)

RENT_FROM_LIST = Program(
    "rent_from_watchlist",
    "Rent the best-rated title of one's watchlist and take it off the list",
    says(
        "[Time to watch something from my list|My watchlist gets longer and longer]: rent the title on my watchlist "
        "that "
        "viewers rate highest, or just tell me if my subscription has it. In either case take it off the list. What is "
        "it, and what does it cost, if anything?",
        "my watchlist: rent the top rated one (skip renting if it's in my subscription), then take it off the list. "
        "title + price if any?",
        "I have so much on my watchlist, it is a scandal! Rent me whatever on it is rated best, no need if it is in my "
        "subscription, and cross it off the list. What shall I be watching, and for how much?",
        "Please rent whichever title on my watchlist is rated highest by viewers, unless my subscription includes it, "
        "remove it from the list in either event, and name title and price, if any.",
        "From my watchlist take the film with best points, rent it if is not in subscription, and always take it away "
        "from the list; tell title and price if I pay.",
    ),
    _draw_watcher,
    _from_watchlist,
    (SHORTEST, BY_SMALLEST_CARD, MOST_RENT),
)


def _draw_addition(world: World, rng: Random) -> Facts:
    return {**a_member(world, rng), "genre": rng.choice(STREAM_GENRES)}


def _add_best(facts: Facts) -> Policy:
    found = yield do("search_titles", genre=facts["genre"], plan=facts.get("plan"))
    entries = yield do("list_watchlist", member_id=facts["member_id"])
    listed = {each["title_id"] for each in entries}
    best = yield choose([each for each in found if each["title_id"] not in listed], key=lambda each: -each["rating"])
    done = yield do("add_to_watchlist", member_id=facts["member_id"], title_id=best["title_id"])
    return Reply(f"{done['name']}, rated {best['rating']}, is on your watchlist.", (done["name"],))


ADD_BEST = Program(
    "add_best_to_watchlist",
    "Put the best title of a genre that is not yet there on the watchlist",
    says(
        "Put something new on my watchlist: of the genre {genre}, the title with the highest rating by viewers that is "
        "not on it yet. [Which is it?|What is it called?]",
        "watchlist: add top rated of genre {genre} that's not on it yet. which?",
        "I need something to look forward to! What is the best-rated thing in the genre {genre} that is not on my "
        "watchlist yet? Put it there and tell me its name!",
        "Please add to my watchlist the title of the genre {genre} with the highest viewers' rating among those not "
        "yet "
        "on it, and name it.",
        "In my watchlist please put the best one with genre {genre} which is not there now; how is the name?",
    ),
    _draw_addition,
    _add_best,
    (
        twist(
            "in a plan",
            "constraint",
            says(
                "It has to be one that the {plan} plan includes.",
                "only what's in the {plan} plan.",
                "And only something that comes with the {plan} plan, please!",
                "Only titles included in the {plan} plan are to be considered.",
            ),
            lambda world, rng, facts: {"plan": rng.choice(("basic", "standard", "family"))},
        ),
    ),
)


def _draw_prune(world: World, rng: Random) -> Facts:
    return {**_draw_watcher(world, rng), "minutes": rng.choice((90, 100, 105, 110, 115, 120))}


def _prune(facts: Facts) -> Policy:
    entries = yield do("list_watchlist", member_id=facts["member_id"])
    longer = [each for each in entries if each["minutes"] > facts["minutes"]]
    if not longer or len(longer) > 4:
        raise DeadEnd("nothing or too much is that long")
    names = []
    for each in longer:
        done = yield do("remove_from_watchlist", watch_id=each["watch_id"])
        names.append(done["name"])
    return Reply(f"Off the list: {'; '.join(names)}.", tuple(names))


PRUNE = Program(
    "prune_watchlist",
    "Take everything that is too long off the watchlist",
    says(
        "I never find the time for long films: take everything that lasts longer than {minutes:int} minutes off my "
        "watchlist and tell me what [went|you removed].",
        "watchlist: remove all > {minutes:int} min. which ones?",
        "Who has so much time? Everything on my watchlist that goes on for more than {minutes:int} minutes can go, but "
        "do tell me which those were!",
        "Kindly remove from my watchlist all titles with a running time above {minutes:int} minutes and name them.",
        "All films in my watchlist with more than {minutes:int} minutes, please take them away and say me which.",
    ),
    _draw_prune,
    _prune,
)


def _recent(rental: Record) -> bool:
    return bool(rental["status"] == "unwatched" and rental["rented_at"] > shifted(NOW, -14 * 1440 + 60))


def _draw_rental(world: World, rng: Random) -> Facts:
    return owner(world, rng, [row for row in world.rows("rentals") if _recent(row)])


def latest_unwatched(facts: Facts) -> Steps:
    """Step: the member's latest rental that was not begun."""
    rentals = yield do("list_rentals", member_id=facts["member_id"])
    unwatched = [each for each in rentals if each["status"] == "unwatched"]
    return (yield choose(unwatched, key=lambda each: latest(each["rented_at"])))


def _give_back(facts: Facts) -> Policy:
    rental = yield from latest_unwatched(facts)
    if not _recent(rental):
        raise DeadEnd("it is too old to be given back")
    done = yield do("refund_rental", rental_id=rental["rental_id"])
    price = shown(done["price"])
    return Reply(f"{rental['name']}: {price} {done['currency']} come back.", (rental["name"], price))


GIVE_BACK = Program(
    "give_rental_back",
    "Give the latest unwatched rental back",
    says(
        "[I rented something and have not found the time|I pressed the wrong button], so refund the latest rental "
        "that I "
        "have not started yet. Which film is it and how much comes back?",
        "refund my latest unstarted rental. title + amount?",
        "I was too quick with the remote! Give back the latest film that I rented and have not begun, and tell me "
        "which "
        "one that was and what you refund!",
        "Please refund the most recent of my rentals that has not been started, naming film and amount.",
        "The last film I rented and not started, I want give it back; which is it and how much money returns?",
    ),
    _draw_rental,
    _give_back,
    unknown="[I do not remember what it was called.|I do not know the number of that rental.]",
)

WATCHING = (RENT_BEST, RENT_FROM_LIST, ADD_BEST, PRUNE, GIVE_BACK)
