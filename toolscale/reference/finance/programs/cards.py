"""Programs about cards that are gone, resting, or about to expire."""

from datetime import date
from random import Random

from toolscale.reference.finance.programs.shared import limit_on, owner
from toolscale.reference.kit import a_record, must
from toolscale.reference.moments import TODAY
from toolscale.reference.program import DeadEnd, Facts, Reply, Solution, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)

OTHER_DELIVERY = WORDS.twist(
    "another way of delivery",
    "change_of_mind",
    draw=lambda world, rng, facts: {"delivery": "post" if facts["delivery"] == "courier" else "courier"},
)


def _draw_gone(world: World, rng: Random) -> Facts:
    card = pick(rng, [each for each in world.rows("cards") if each["status"] in ("active", "frozen")])
    return {
        **owner(card),
        "card_id": card["card_id"],
        "fate": rng.choice(("lost", "stolen", "damaged")),
        "delivery": rng.choice(("post", "courier")),
    }


def _told(done: Facts) -> Reply:
    """What is said of a new card."""
    fee, arrives = shown(done["fee"]), done["arrives_on"]
    text = f"The new card {done['card_id']} arrives on {arrives} and costs {fee} {done['currency']}."
    return Reply(text, (done["card_id"], arrives, fee))


def _gone(facts: Facts) -> Solution:
    yield do("block_card", card_id=facts["card_id"], reason=facts["fate"])
    return _told((yield do("replace_card", card_id=facts["card_id"], delivery=facts["delivery"])))


GONE = WORDS.program("replace_lost_card", _draw_gone, _gone, (OTHER_DELIVERY,), again="card_id")


def _freeze(facts: Facts) -> Solution:
    card = yield do("get_card", card_id=facts["card_id"])
    must(card["status"] == "active", "the card does not work anyway")
    yield do("block_card", card_id=facts["card_id"], reason=facts.get("fate", "frozen"))
    return Reply(f"It is blocked; it would be good until {card['expires_on']}.", (card["expires_on"],))


FREEZE = WORDS.program(
    "freeze_card",
    a_record("cards", "card_id", lambda card: card["status"] == "active"),
    _freeze,
    (
        WORDS.twist("stolen after all", "change_of_mind", sets={"fate": "stolen"}),
        WORDS.twist("no new one", "distractor"),
    ),
    again="card_id",
)


def _unfreeze(facts: Facts) -> Solution:
    card = yield do("get_card", card_id=facts["card_id"])
    must(card["status"] == "frozen", "the card is not frozen")
    before = shown(card["daily_limit"])
    new = facts.get("limit")
    if new and (new > card["highest_limit"] or new == card["daily_limit"]):
        raise DeadEnd("no such limit")
    yield do("unfreeze_card", card_id=facts["card_id"])
    if not new:
        return Reply(f"It works again, up to {before} {card['currency']} a day.", (before,))
    yield do("set_card_limit", card_id=facts["card_id"], daily_limit=new)
    return Reply(f"It works again; the limit was {before} {card['currency']} a day.", (before,))


UNFREEZE = WORDS.program(
    "unfreeze_card",
    a_record("cards", "card_id", lambda card: card["status"] == "frozen"),
    _unfreeze,
    (
        WORDS.twist(
            "with another limit",
            "constraint",
            draw=limit_on("cards", "card_id", "daily_limit", "limit", (0.3, 0.5, 0.7, 1.3)),
        ),
    ),
)


def _draw_expiring(world: World, rng: Random) -> Facts:
    working = [each for each in world.rows("cards") if each["status"] == "active"]
    soon = [each for each in working if (date.fromisoformat(each["expires_on"]) - TODAY).days <= 80]
    card = pick(rng, soon or working)
    return {**owner(card), "delivery": rng.choice(("post", "courier"))}


def _expiring(facts: Facts) -> Solution:
    cards = yield do("list_cards", customer_id=facts["customer_id"])
    working = [each for each in cards if each["status"] == "active" and not each["replaced_by"]]
    first = yield choose(working, key=lambda each: each["expires_on"])
    expires = first["expires_on"]
    if (date.fromisoformat(expires) - TODAY).days > facts["days"]:
        return Reply(f"None does: {first['card_id']} is the first, on {expires}.", (first["card_id"], expires))
    done = yield do("replace_card", card_id=first["card_id"], delivery=facts["delivery"])
    reply = _told(done)
    tell = (expires, done["card_id"], done["arrives_on"])
    return Reply(f"{first['card_id']} expires on {expires}. {reply.text}", tell)


EXPIRING = WORDS.program(
    "renew_expiring_card",
    lambda world, rng: {**_draw_expiring(world, rng), "days": rng.choice((30, 45, 60))},
    _expiring,
    (OTHER_DELIVERY,),
)

CARDS = (GONE, FREEZE, UNFREEZE, EXPIRING)
