"""Programs about gift cards and points."""

from random import Random

from toolscale.reference.entertainment.programs.common import a_member, another_member, latest, says, twist
from toolscale.reference.moments import NOW, day
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Record, Reply, World, choose, do, pick
from toolscale.reference.sums import shown

_AMOUNTS = {"SEK": (200.0, 300.0, 500.0, 800.0), "PLN": (60.0, 100.0, 150.0, 200.0)}


def _amounts(world: World, member_id: str) -> tuple[float, ...]:
    member = world.get("members", member_id)
    if member is None:
        raise DeadEnd("the member is out of sight")
    return _AMOUNTS.get(member["currency"], (20.0, 25.0, 35.0, 50.0, 75.0))


def _draw_gift(world: World, rng: Random) -> Facts:
    facts = a_member(world, rng)
    amount = rng.choice(_amounts(world, facts["member_id"]))
    return {**facts, "friend": another_member(world, rng, facts), "amount": amount}


def _give(facts: Facts) -> Policy:
    friend = yield do("get_member", member_id=facts["friend"])
    card = yield do("buy_gift_card", member_id=facts["member_id"], recipient_id=facts["friend"], amount=facts["amount"])
    until = card["valid_until"]
    return Reply(f"{friend['name']} has the card; it is valid until {until}.", (friend["name"], until))


GIVE = Program(
    "give_gift_card",
    "Give another member a gift card",
    says(
        "I want to give [a friend|a colleague], member {friend}, a gift card with {amount:money} on it in my currency. "
        "Whose name is that number in, and how long is the card valid?",
        "gift card {amount:money} (my currency) for member {friend}. name on that number + valid until?",
        "It is [my dear old friend's|my best friend's] birthday, member {friend}, and a gift card with "
        "{amount:money} in my money is just the thing! Tell me the name you have for that number, so that I know "
        "it is right, and how long it lasts.",
        "Please issue to member {friend}, at my expense, a gift card of {amount:money} in my currency, and confirm "
        "that "
        "member's name and the last day of validity.",
        "For other member {friend} I want a gift card, {amount:money} in my money; what name has this number and until "
        "when is good?",
    ),
    _draw_gift,
    _give,
    (
        twist(
            "another sum",
            "change_of_mind",
            says(
                "Sorry, make that a gift card with {amount:money} instead.",
                "gift card: rather {amount:money}.",
                "Oh, one should not be stingy nor silly, so let there be {amount:money} on the gift card!",
                "I amend the sum of the gift card to {amount:money}.",
            ),
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


def _merge(facts: Facts) -> Policy:
    cards = yield do("list_gift_cards", member_id=facts["member_id"])
    valid = [each for each in cards if not each["expired"]]
    if len(valid) < 2 or len({each["currency"] for each in valid}) > 1:
        raise DeadEnd("there is nothing to merge")
    target = yield choose(valid, key=lambda each: latest(each["valid_until"]))
    others = [each for each in valid if each is not target]
    if facts.get("only_smallest"):
        others = [(yield choose(others, key=lambda each: each["balance"]))]
    for each in others:
        done = yield do("merge_gift_cards", from_card=each["gift_card_id"], to_card=target["gift_card_id"])
    balance, card = shown(done["balance"]), target["gift_card_id"]
    return Reply(f"{card} now holds {balance} {done['currency']}.", (card, balance))


MERGE = Program(
    "merge_gift_cards",
    "Put all gift cards together on one",
    says(
        "I have several gift cards that are still valid. Move everything onto the one that stays valid longest, and "
        "tell "
        "me [its number and how much is on it|that card's number and balance].",
        "merge all my valid gift cards onto the one that expires last. number + balance?",
        "My purse is full of gift cards! Put everything that is still good onto the one that lasts longest, and tell "
        "me "
        "which that is and how rich I am!",
        "Kindly consolidate my valid gift cards on whichever expires last, and state its number and balance.",
        "I have more gift cards still good, please put all money in the one which is good the longest; what number and "
        "how much is there?",
    ),
    lambda world, rng: {
        "member_id": pick(rng, _owners(world, valid_cards(world), 2) or _owners(world, valid_cards(world)))
    },
    _merge,
    (
        twist(
            "only the smallest",
            "change_of_mind",
            says(
                "No, not all the cards: only move over what is on the one with the smallest balance among the others.",
                "correction: of the gift cards only move the smallest of the others.",
                "Wait, let me keep some cards, so only empty the one that has the least on it of the others!",
                "I restrict my request: of the gift cards, only the smallest of the other balances is to be moved.",
            ),
            only_smallest=True,
        ),
    ),
    unknown="[I do not have the cards here.|I do not know their numbers by heart.]",
)


def lapsed(world: World, first: int, last: int) -> list[Record]:
    """Gift cards in sight with money on them that ran out so many days ago."""
    return [
        row
        for row in world.rows("gift_cards")
        if day(-last) <= row["valid_until"] <= day(-first) and row["balance"] > 0 and not row["extended"]
    ]


def _revive(facts: Facts) -> Policy:
    cards = yield do("list_gift_cards", member_id=facts["member_id"])
    expired = [each for each in cards if each["expired"] and each["valid_until"] >= day(-365)]
    card = yield choose(expired, key=lambda each: -each["balance"])
    done = yield do("extend_gift_card", gift_card_id=card["gift_card_id"])
    number, balance, until = done["gift_card_id"], shown(done["balance"]), done["valid_until"]
    text = f"{number} with {balance} {done['currency']} is valid again until {until}."
    return Reply(text, (number, until))


REVIVE = Program(
    "revive_gift_card",
    "Have an expired gift card made valid again",
    says(
        "A gift card of mine has expired within the last year. Make it valid again, if there are several the one with "
        "the most on it, and tell me its number and the new date.",
        "extend my gift card that expired in the last year (if several, the one with most money). number + valid "
        "until?",
        "I found a gift card in a coat, and it has expired, less than a year ago! Bring it back to life, or the "
        "fullest "
        "of them if I have more, and tell me its number and until when I have now!",
        "Kindly extend the gift card of mine that expired in the course of the last year, if several that with the "
        "highest balance, and state its number and the new date.",
        "My gift card is finished in the last year, please make it good again, the one with most money if are more; "
        "what number and until when?",
    ),
    lambda world, rng: {"member_id": pick(rng, _owners(world, lapsed(world, 1, 364)))},
    _revive,
    unknown="[I cannot read the number on it.|I do not have the card at hand.]",
)


def _draw_points(world: World, rng: Random) -> Facts:
    member = pick(rng, [row for row in world.rows("members") if row["points"] >= 600])
    return {"member_id": member["member_id"], "points": 50 * rng.randint(10, min(40, member["points"] // 50))}


def _redeem(facts: Facts) -> Policy:
    member = yield do("get_member", member_id=facts["member_id"])
    if member["points"] < facts["points"]:
        raise DeadEnd("there are too few points")
    if member["points"] - facts["points"] < facts.get("keep", 0):
        points = str(member["points"])
        return Reply(f"I left your {points} points as they are.", (points,))
    card = yield do("redeem_points", member_id=facts["member_id"], points=facts["points"])
    balance, left = shown(card["balance"]), str(card["points_left"])
    text = f"The gift card holds {balance} {card['currency']}; points left: {left}."
    return Reply(text, (balance, *([left] if card["points_left"] else [])))


REDEEM = Program(
    "redeem_points",
    "Turn points into a gift card",
    says(
        "Turn {points:int} of my points into a gift card, and tell me how much is on it and how many points are left.",
        "redeem {points:int} points for a gift card. value + points left?",
        "I have been collecting so diligently, now {points:int} of my points shall become a gift card! What is it "
        "worth, "
        "and how many points do I keep?",
        "Please convert {points:int} points of my account into a gift card, stating its value and the points "
        "remaining.",
        "Make from {points:int} points a gift card for me; how much money is in and how many points stay?",
    ),
    _draw_points,
    _redeem,
    (
        twist(
            "so many stay",
            "condition",
            says(
                "But only if {keep:int} points or more stay on the account; otherwise leave it and tell me how many I "
                "have.",
                "only if {keep:int}+ points stay, else leave it, tell me how many i have.",
                "Only, I want {keep:int} points or more to stay for a rainy day, else leave it and tell me how many "
                "there "
                "are!",
                "This is conditional on {keep:int} points or more remaining; otherwise state the present number.",
            ),
            lambda world, rng, facts: {"keep": rng.choice((100, 200, 300, 500, 1200))},
        ),
    ),
)

GIFT_CARDS = (GIVE, MERGE, REVIVE, REDEEM)
