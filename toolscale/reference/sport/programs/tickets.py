"""Programs about tickets for matches: buying, the best one can afford, returning, better seats."""

from random import Random

from toolscale.reference.kit import known, latest_first, must
from toolscale.reference.moments import day
from toolscale.reference.program import Facts, Reply, Solution, World, choose, do, pick
from toolscale.reference.sport.programs.common import (
    IN_TWO_DAYS,
    WAYS,
    Record,
    Step,
    members,
    near_price,
    unless_said,
    way,
)
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)


def _match(facts: Facts) -> Step:
    found = yield do("search_matches", city=facts["city"], sport=facts["sport"], first_day=facts["first"])
    key = latest_first if facts.get("last_one") else str
    match = yield choose(found, key=lambda each: key(each["starts"]))
    return (yield do("get_match", match_id=match["match_id"]))


def _bought(facts: Facts, match: Record, offer: Record) -> Solution:
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


def _buy(facts: Facts) -> Solution:
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


LATER_MATCH = WORDS.twist("the last match on sale", "change_of_mind", sets={"last_one": True})
TOTAL = WORDS.twist(
    "a limit on the total", "condition", draw=lambda world, rng, facts: {"most": rng.choice((25.0, 60.0, 110.0, 200.0))}
)

BUY = WORDS.program(
    "buy_tickets_for_next_match",
    lambda world, rng: {
        **_draw_match(world, rng),
        "category": rng.choice(("upper tier", "lower tier", "lower tier", "box")),
    },
    _buy,
    (
        LATER_MATCH,
        TOTAL,
        WORDS.twist(
            "another category",
            "change_of_mind",
            draw=lambda world, rng, facts: {
                "other_category": pick(
                    rng, [c for c in ("lower tier", "box", "upper tier") if c != facts.get("category")]
                )
            },
        ),
    ),
)


def _best_seats(facts: Facts) -> Solution:
    match = yield from _match(facts)
    within = [
        each for each in match["categories"] if each["price"] <= facts["each"] and each["seats_left"] >= facts["seats"]
    ]
    offer = yield choose(within, key=lambda each: -each["price"])
    bought = yield from _bought(facts, match, offer)
    return Reply(f"{bought.text} That is in the {offer['category']}.", (*bought.tell, offer["category"]))


BEST_SEATS = WORDS.program(
    "buy_best_affordable_seats",
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
        and (known(world, "matches", each["match_id"])["starts"] > IN_TWO_DAYS) == later
    ]
    chosen = pick(rng, suitable)
    return {"member_id": chosen["member_id"], "ticket_id": chosen["ticket_id"]}


def _return(facts: Facts) -> Solution:
    full = yield do("get_ticket", ticket_id=facts["ticket_id"])
    to, refund = facts.get("refund_to") or way(facts), shown(full["refund_if_returned"])
    if full["refund_if_returned"] < facts.get("least", 0):
        return Reply(f"I returned nothing: only {refund} EUR would come back.", (refund,))
    yield do("return_tickets", ticket_id=facts["ticket_id"], refund_to=to)
    return Reply(f"The seats in the {full['arena']} are returned for {refund} EUR.", (full["arena"], refund))


RETURN = WORDS.program(
    "return_tickets",
    lambda world, rng: {**ticket(world, rng, ("lower tier", "box")), "way": rng.choice(sorted(WAYS))},
    _return,
    (
        WORDS.twist("only if enough comes back", "condition", draw=near_price("tickets", "ticket_id")),
        WORDS.twist(
            "to the card after all",
            "change_of_mind",
            draw=lambda world, rng, facts: unless_said(facts, "card"),
            sets={"refund_to": "card"},
        ),
    ),
    again="ticket_id",
)


def _upgrade(facts: Facts) -> Solution:
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


UPGRADE = WORDS.program(
    "upgrade_tickets",
    _draw_upgrade,
    _upgrade,
    (
        WORDS.twist(
            "a limit on the supplement",
            "condition",
            draw=lambda world, rng, facts: {"most": rng.choice((20.0, 45.0, 100.0, 180.0, 260.0))},
        ),
    ),
)


def _return_dearest(facts: Facts) -> Solution:
    listed = yield do("list_tickets", member_id=facts["member_id"])
    full = []
    for each in listed:
        full.append((yield do("get_ticket", ticket_id=each["ticket_id"])))
    able = [each for each in full if each["refund_if_returned"] and each["return_until"] > day(0)]
    must(len(full) >= 2, "there is only one ticket")
    best = yield choose(able, key=lambda each: -each["refund_if_returned"])
    yield do("return_tickets", ticket_id=best["ticket_id"], refund_to=facts.get("refund_to", "credit"))
    refund = shown(best["refund_if_returned"])
    text = f"I returned {best['home_side']} against {best['visitors']} for {refund} EUR."
    return Reply(text, (best["home_side"], best["visitors"], refund))


def _draw_tickets(world: World, rng: Random) -> Facts:
    owners = [each["member_id"] for each in world.rows("tickets") if each["status"] == "valid"]
    return {"member_id": pick(rng, [key for key in owners if owners.count(key) > 1] or owners)}


RETURN_DEAREST = WORDS.program(
    "return_the_most_valuable_tickets",
    _draw_tickets,
    _return_dearest,
    (WORDS.twist("to the card rather than credit", "change_of_mind", sets={"refund_to": "card"}),),
)

TICKETS = (BUY, BEST_SEATS, RETURN, UPGRADE, RETURN_DEAREST)
