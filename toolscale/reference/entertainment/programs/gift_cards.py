"""Programs about gift cards and points."""

from random import Random

from toolscale.reference.entertainment.programs.common import a_member, another_member
from toolscale.reference.kit import known, latest_first, must
from toolscale.reference.moments import NOW, day
from toolscale.reference.program import DeadEnd, Facts, Record, Reply, Solution, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)

_AMOUNTS = {"SEK": (200.0, 300.0, 500.0, 800.0), "PLN": (60.0, 100.0, 150.0, 200.0)}


def _amounts(world: World, member_id: str) -> tuple[float, ...]:
    member = known(world, "members", member_id)
    return _AMOUNTS.get(member["currency"], (20.0, 25.0, 35.0, 50.0, 75.0))


def _draw_gift(world: World, rng: Random) -> Facts:
    facts = a_member(world, rng)
    amount = rng.choice(_amounts(world, facts["member_id"]))
    return {**facts, "friend": another_member(world, rng, facts), "amount": amount}


def _give(facts: Facts) -> Solution:
    friend = yield do("get_member", member_id=facts["friend"])
    card = yield do("buy_gift_card", member_id=facts["member_id"], recipient_id=facts["friend"], amount=facts["amount"])
    until = card["valid_until"]
    return Reply(f"{friend['name']} has the card; it is valid until {until}.", (friend["name"], until))


GIVE = WORDS.program(
    "give_gift_card",
    _draw_gift,
    _give,
    (
        WORDS.twist(
            "another sum",
            "change_of_mind",
            lambda world, rng, facts: {
                "amount": pick(rng, [a for a in _amounts(world, facts["member_id"]) if a != facts["amount"]])
            },
        ),
    ),
)


def _owners(world: World, suits: list[Record], least: int = 1) -> list[str]:
    owners = [row["member_id"] for row in suits]
    return sorted({each for each in owners if owners.count(each) >= least})


def valid_cards(world: World) -> list[Record]:
    """Gift cards in sight that can be spent."""
    return [row for row in world.rows("gift_cards") if row["valid_until"] >= NOW[:10] and row["balance"] > 0]


def _merge(facts: Facts) -> Solution:
    cards = yield do("list_gift_cards", member_id=facts["member_id"])
    valid = [each for each in cards if not each["expired"]]
    if len(valid) < 2 or len({each["currency"] for each in valid}) > 1:
        raise DeadEnd("there is nothing to merge")
    target = yield choose(valid, key=lambda each: latest_first(each["valid_until"]))
    others = [each for each in valid if each is not target]
    if facts.get("only_smallest"):
        others = [(yield choose(others, key=lambda each: each["balance"]))]
    for each in others:
        done = yield do("merge_gift_cards", from_card=each["gift_card_id"], to_card=target["gift_card_id"])
    balance, card = shown(done["balance"]), target["gift_card_id"]
    return Reply(f"{card} now holds {balance} {done['currency']}.", (card, balance))


MERGE = WORDS.program(
    "merge_gift_cards",
    lambda world, rng: {
        "member_id": pick(rng, _owners(world, valid_cards(world), 2) or _owners(world, valid_cards(world)))
    },
    _merge,
    (WORDS.twist("only the smallest", "change_of_mind", sets={"only_smallest": True}),),
)


def lapsed(world: World, first: int, last: int) -> list[Record]:
    """Gift cards in sight with money on them that ran out so many days ago."""
    return [
        row
        for row in world.rows("gift_cards")
        if day(-last) <= row["valid_until"] <= day(-first) and row["balance"] > 0 and not row["extended"]
    ]


def _revive(facts: Facts) -> Solution:
    cards = yield do("list_gift_cards", member_id=facts["member_id"])
    expired = [each for each in cards if each["expired"] and each["valid_until"] >= day(-365)]
    card = yield choose(expired, key=lambda each: -each["balance"])
    done = yield do("extend_gift_card", gift_card_id=card["gift_card_id"])
    number, balance, until = done["gift_card_id"], shown(done["balance"]), done["valid_until"]
    text = f"{number} with {balance} {done['currency']} is valid again until {until}."
    return Reply(text, (number, until))


REVIVE = WORDS.program(
    "revive_gift_card", lambda world, rng: {"member_id": pick(rng, _owners(world, lapsed(world, 1, 364)))}, _revive
)


def _draw_points(world: World, rng: Random) -> Facts:
    member = pick(rng, [row for row in world.rows("members") if row["points"] >= 600])
    return {"member_id": member["member_id"], "points": 50 * rng.randint(10, min(40, member["points"] // 50))}


def _redeem(facts: Facts) -> Solution:
    member = yield do("get_member", member_id=facts["member_id"])
    must(member["points"] >= facts["points"], "there are too few points")
    if member["points"] - facts["points"] < facts.get("keep", 0):
        points = str(member["points"])
        return Reply(f"I left your {points} points as they are.", (points,))
    card = yield do("redeem_points", member_id=facts["member_id"], points=facts["points"])
    balance, left = shown(card["balance"]), str(card["points_left"])
    text = f"The gift card holds {balance} {card['currency']}; points left: {left}."
    return Reply(text, (balance, *([left] if card["points_left"] else [])))


REDEEM = WORDS.program(
    "redeem_points",
    _draw_points,
    _redeem,
    (
        WORDS.twist(
            "so many stay", "condition", lambda world, rng, facts: {"keep": rng.choice((100, 200, 300, 500, 1200))}
        ),
    ),
)

GIFT_CARDS = (GIVE, MERGE, REVIVE, REDEEM)
