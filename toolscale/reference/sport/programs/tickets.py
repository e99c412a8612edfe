"""Programs about tickets for matches: buying, the best one can afford, returning, better seats."""

from random import Random

from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Reply, Twist, World, choose, do, pick
from toolscale.reference.sport.programs.common import (
    IN_TWO_DAYS,
    WAYS,
    Record,
    Step,
    later_first,
    members,
    near_price,
    seen,
    unless_said,
    way,
)
from toolscale.reference.sums import shown


def _match(facts: Facts) -> Step:
    found = yield do("search_matches", city=facts["city"], sport=facts["sport"], first_day=facts["first"])
    key = later_first if facts.get("last_one") else str
    match = yield choose(found, key=lambda each: key(each["starts"]))
    return (yield do("get_match", match_id=match["match_id"]))


def _bought(facts: Facts, match: Record, offer: Record) -> Policy:
    total = shown(offer["price"] * facts["seats"])
    if offer["price"] * facts["seats"] > facts.get("most", 100_000):
        return Reply(f"I bought nothing: it would be {total} EUR.", (total,))
    ticket = yield do(
        "buy_tickets",
        member_id=facts["member_id"],
        match_id=match["match_id"],
        category=offer["category"],
        seats=facts["seats"],
    )
    text = f"You see {match['home_side']} against {match['visitors']} ({ticket['ticket_id']}) for {total} EUR."
    return Reply(text, (match["visitors"], total))


def _buy(facts: Facts) -> Policy:
    match = yield from _match(facts)
    wanted = facts.get("other_category", facts["category"])
    offer = yield choose(
        [each for each in match["categories"] if each["category"] == wanted],
        key=lambda each: each["price"],
    )
    return (yield from _bought(facts, match, offer))


def _draw_match(world: World, rng: Random) -> Facts:
    match = pick(rng, world.rows("matches"))
    return {
        "member_id": pick(rng, members(world))["member_id"],
        "city": match["city"],
        "sport": match["sport"],
        "first": rng.choice((day(1), day(3), min(match["starts"][:10], day(20)))),
        "seats": rng.choice((2, 2, 3, 4)),
    }


LATER_MATCH = Twist(
    "the last match on sale",
    "change_of_mind",
    {
        "plain": "Better still, let it be the last such match that is on sale.",
        "terse": "rather the last such match on sale.",
        "chatty": "Ah no, my friends are only free later, so take the last such match you have on sale!",
        "formal": "We have since agreed upon the last such match on sale.",
    },
    sets={"last_one": True},
)
TOTAL = Twist(
    "a limit on the total",
    "condition",
    {
        "plain": "If the tickets come to more than {most:money} EUR altogether, buy none and tell me the sum.",
        "terse": "tickets above {most:money} EUR in total: buy none, tell me the sum.",
        "chatty": "If that is more than {most:money} EUR for all of us, we watch it at home, so then buy none and tell "
        "me the sum!",
        "formal": "If the total exceeds {most:money} EUR, no tickets are to be bought, and the sum is to be stated.",
    },
    draw=lambda world, rng, facts: {"most": rng.choice((25.0, 60.0, 110.0, 200.0))},
)

BUY = Program(
    "buy_tickets_for_next_match",
    "Buy seats of a category for the next match of a sport",
    {
        "plain": "Please buy me {seats:count} tickets in the {category} for the next {sport} match in {city} from "
        "{first:date} on. Who are the visitors, and what do I pay in all?",
        "terse": "{seats:int} tickets: next {sport} match in {city} from {first:date}, {category}. visitors + total?",
        "chatty": "[It is my father's birthday|We have not been out in ages], so get us {seats:count} tickets for the "
        "next {sport} match in {city} from {first:date} on, in the {category}! Who is visiting, and what is the "
        "damage?",
        "formal": "I wish to attend the next {sport} match held in {city} on or after {first:date}; please obtain "
        "{seats:count} tickets in the {category}, and state the visitors and the total.",
        "non_native": "Please {seats:count} tickets for the next {sport} game in {city} since {first:date}, in the "
        "{category}; who comes as visitor, and how much for all?",
    },
    lambda world, rng: {
        **_draw_match(world, rng),
        "category": rng.choice(("upper tier", "lower tier", "lower tier", "box")),
    },
    _buy,
    (
        LATER_MATCH,
        TOTAL,
        Twist(
            "another category",
            "change_of_mind",
            {
                "plain": "Please take the {other_category} instead, whatever category I wrote before.",
                "terse": "category: {other_category} instead.",
                "chatty": "Oh, my knees and the cold, let us rather sit in the {other_category} after all!",
                "formal": "The category is to be changed to the {other_category}.",
            },
            draw=lambda world, rng, facts: {
                "other_category": pick(
                    rng, [c for c in ("lower tier", "box", "upper tier") if c != facts.get("category")]
                )
            },
        ),
    ),
)


def _best_seats(facts: Facts) -> Policy:
    match = yield from _match(facts)
    within = [
        each for each in match["categories"] if each["price"] <= facts["each"] and each["seats_left"] >= facts["seats"]
    ]
    offer = yield choose(within, key=lambda each: -each["price"])
    bought = yield from _bought(facts, match, offer)
    return Reply(f"{bought.text} That is in the {offer['category']}.", (*bought.tell, offer["category"]))


BEST_SEATS = Program(
    "buy_best_affordable_seats",
    "Buy the best seats within a price for the next match of a sport",
    {
        "plain": "I can spend {each:money} EUR a seat on the next {sport} match in {city} from {first:date} on. Please "
        "buy {seats:count} seats in the dearest category that fits and has enough left. Which category "
        "is it, who are the visitors, and what is the total?",
        "terse": "next {sport} in {city} from {first:date}: {seats:int} seats, best category with enough left, up to "
        "{each:money} EUR a seat. category, visitors, total?",
        "chatty": "We have saved {each:money} EUR a head for the next {sport} match in {city} from {first:date} on, "
        "and there are {seats:count} of us, so buy us the poshest category with enough seats that this pays for! Which "
        "is it, who is visiting, and what is it altogether?",
        "formal": "For the next {sport} match in {city} on or after {first:date} please procure {seats:count} seats in "
        "the highest category that has so many left, within {each:money} EUR per seat; state the category, the "
        "visitors and the total.",
    },
    lambda world, rng: {**_draw_match(world, rng), "each": rng.choice((20.0, 30.0, 36.0, 60.0, 100.0))},
    _best_seats,
    (LATER_MATCH, TOTAL),
)


def ticket(world: World, rng: Random, categories: tuple[str, ...], *, later: bool = True) -> Facts:
    """A valid ticket of one of the categories, for a match more than two days ahead or before that."""
    suitable = [
        each
        for each in world.rows("tickets")
        if each["status"] == "valid"
        and each["category"] in categories
        and (seen(world, "matches", each["match_id"])["starts"] > IN_TWO_DAYS) == later
    ]
    chosen = pick(rng, suitable)
    return {"member_id": chosen["member_id"], "ticket_id": chosen["ticket_id"]}


def _return(facts: Facts) -> Policy:
    full = yield do("get_ticket", ticket_id=facts["ticket_id"])
    to, refund = facts.get("refund_to") or way(facts), shown(full["refund_if_returned"])
    if full["refund_if_returned"] < facts.get("least", 0):
        return Reply(f"I returned nothing: only {refund} EUR would come back.", (refund,))
    yield do("return_tickets", ticket_id=facts["ticket_id"], refund_to=to)
    return Reply(f"The seats in the {full['arena']} are returned for {refund} EUR.", (full["arena"], refund))


RETURN = Program(
    "return_tickets",
    "Return tickets for a match",
    {
        "plain": "[We cannot go|My friends have no time], so please return {ticket_id}, with the money {way}. How much "
        "is it, and in which arena would it have been?",
        "terse": "return {ticket_id}, refund {way}. how much? which arena was it?",
        "chatty": "[Somebody has to watch the dog|My boss has other plans for me], so {ticket_id} must be returned, "
        "what a pity! Could the money come {way}, how much will it be, and which arena are we missing?",
        "formal": "I return {ticket_id} and ask for the reimbursement to go {way}; please state the amount and "
        "the arena concerned.",
        "hurried": "Can't go, return {ticket_id}, refund goes {way}, how much and which arena?",
        "non_native": "I can not see the game, please take back {ticket_id}, the money comes {way}; how much, and "
        "which arena was it?",
    },
    lambda world, rng: {**ticket(world, rng, ("lower tier", "box")), "way": rng.choice(sorted(WAYS))},
    _return,
    (
        Twist(
            "only if enough comes back",
            "condition",
            {
                "plain": "If less than {least:money} EUR comes back for them, I keep them, and you tell me the sum.",
                "terse": "less than {least:money} EUR back: keep them, tell me the sum.",
                "chatty": "If it is less than {least:money} EUR I will give them to my niece, so then keep them and "
                "tell me the sum!",
                "formal": "Should the reimbursement be below {least:money} EUR, I prefer to keep them and merely ask "
                "for the sum.",
            },
            draw=near_price("tickets", "ticket_id"),
        ),
        Twist(
            "to the card after all",
            "change_of_mind",
            {
                "plain": "Whatever I said about the money, it should go to the card.",
                "terse": "money to the card after all.",
                "chatty": "Wait, the card is better, I have to pay my dentist, so to the card with it in any case!",
                "formal": "In amendment of the above, the sum is in any event to go to the card.",
            },
            draw=lambda world, rng, facts: unless_said(facts, "card"),
            sets={"refund_to": "card"},
        ),
    ),
    again="ticket_id",
)


def _upgrade(facts: Facts) -> Policy:
    full = yield do("get_ticket", ticket_id=facts["ticket_id"])
    match = yield do("get_match", match_id=full["match_id"])
    price = {each["category"]: each["price"] for each in match["categories"]}
    more = shown((price[facts["better"]] - price[full["category"]]) * full["seats"])
    if float(more) > facts.get("most", float(more)):
        return Reply(f"I left the seats as they are: it would be {more} EUR more.", (more,))
    yield do("upgrade_tickets", ticket_id=facts["ticket_id"], category=facts["better"])
    return Reply(f"Better seats in the {full['arena']} are yours for {more} EUR more.", (full["arena"], more))


def _draw_upgrade(world: World, rng: Random) -> Facts:
    better = rng.choice(("lower tier", "box", "box"))
    return {
        **ticket(world, rng, ("upper tier",) if better == "lower tier" else ("upper tier", "lower tier")),
        "better": better,
    }


UPGRADE = Program(
    "upgrade_tickets",
    "Exchange tickets for a better category",
    {
        "plain": "[My mother is coming along and needs comfort|We want to treat ourselves]: please change {ticket_id} "
        "to the {better} for all of us, charged to my card. What do I pay on top, and which arena do we go to?",
        "terse": "{ticket_id}: better seats, {better}, charge my card. extra cost? arena?",
        "chatty": "[I got a bonus|It is our anniversary], so let us be comfortable for once and put all of {ticket_id} "
        "into the {better} and charge my card! How much more is it, and which arena was that again?",
        "formal": "I request that all seats of {ticket_id} be exchanged for the {better} at the expense of my card; "
        "kindly state the supplement and the arena.",
        "confused": "Can one sit better than with {ticket_id}? I think the {better} is what I want, on my card. What "
        "is it on top of what I paid, and where is the arena, what is it called?",
    },
    _draw_upgrade,
    _upgrade,
    (
        Twist(
            "a limit on the supplement",
            "condition",
            {
                "plain": "I pay {most:money} EUR on top at most; if it is more, leave the seats and tell me the sum.",
                "terse": "max {most:money} EUR extra, else leave the seats, tell me the sum.",
                "chatty": "But not more than {most:money} EUR on top, or my sister will find out, so above that leave "
                "the seats and tell me the sum!",
                "formal": "A supplement beyond {most:money} EUR is not acceptable; in that case, state the sum only.",
            },
            draw=lambda world, rng, facts: {"most": rng.choice((20.0, 45.0, 100.0, 180.0, 260.0))},
        ),
    ),
)


def _return_dearest(facts: Facts) -> Policy:
    listed = yield do("list_tickets", member_id=facts["member_id"])
    full = []
    for each in listed:
        full.append((yield do("get_ticket", ticket_id=each["ticket_id"])))
    able = [each for each in full if each["refund_if_returned"] and each["return_until"] > day(0)]
    if len(full) < 2:
        raise DeadEnd("there is only one ticket")
    best = yield choose(able, key=lambda each: -each["refund_if_returned"])
    yield do("return_tickets", ticket_id=best["ticket_id"], refund_to=facts.get("refund_to", "credit"))
    refund = shown(best["refund_if_returned"])
    text = f"I returned {best['home_side']} against {best['visitors']} for {refund} EUR."
    return Reply(text, (best["home_side"], best["visitors"], refund))


def _draw_tickets(world: World, rng: Random) -> Facts:
    owners = [each["member_id"] for each in world.rows("tickets") if each["status"] == "valid"]
    return {"member_id": pick(rng, [key for key in owners if owners.count(key) > 1] or owners)}


RETURN_DEAREST = Program(
    "return_the_most_valuable_tickets",
    "Return those of one's tickets that bring the most",
    {
        "plain": "I have tickets for several matches, which is too much for me. Please return the ones for which I get "
        "back the most, as credit. Which match is that, and how much is it?",
        "terse": "of my match tickets return the ones with the biggest refund, as credit. which match, amount?",
        "chatty": "I have bought far too many matches, [as always|my sister says]! Whichever of my tickets brings the "
        "most back, return those for credit, and tell me which match I shall miss and what I get!",
        "formal": "Of the match tickets in my possession, please return those that yield the highest refund, by way of "
        "credit, and name the match and the amount.",
        "non_native": "From all my tickets of matches please give back which brings most money, as credit; which match "
        "is it, and how much?",
    },
    _draw_tickets,
    _return_dearest,
    (
        Twist(
            "to the card rather than credit",
            "change_of_mind",
            {
                "plain": "No credit, actually: I need that money on my card.",
                "terse": "on my card, not credit.",
                "chatty": "Hm, credit does not pay the rent, so on my card with that money, please!",
                "formal": "Contrary to the above, that money is required on my card.",
            },
            sets={"refund_to": "card"},
        ),
    ),
    unknown="[I do not have the ticket numbers.|The ticket numbers are at home.]",
)

TICKETS = (BUY, BEST_SEATS, RETURN, UPGRADE, RETURN_DEAREST)
