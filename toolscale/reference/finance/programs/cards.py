"""Programs about cards that are gone, resting, or about to expire."""

from datetime import date
from random import Random

from toolscale.reference.finance.programs.shared import a_record, limit_on, owner, says
from toolscale.reference.moments import TODAY
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Reply, Twist, World, choose, do, pick
from toolscale.reference.sums import shown

OTHER_DELIVERY = Twist(
    "another way of delivery",
    "change_of_mind",
    says(
        "[Thinking of it|Come to think of it], have the new card sent by {delivery}.",
        "send the card by {delivery}, i mean.",
        "Oh, I have just seen my calendar, so let the new card come by {delivery} after all!",
        "I should, after all, prefer delivery of the card by {delivery}.",
        hurried="No, the card by {delivery}!",
    ),
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


def _gone(facts: Facts) -> Policy:
    yield do("block_card", card_id=facts["card_id"], reason=facts["fate"])
    return _told((yield do("replace_card", card_id=facts["card_id"], delivery=facts["delivery"])))


GONE = Program(
    "replace_lost_card",
    "Block a card that is lost, stolen or damaged, and have a new one sent",
    says(
        "My card {card_id} is {fate}. Please block it for good and send me a new one by {delivery}; [I need to know "
        "the number, the day it arrives and the fee, if any|tell me its number, when it comes and what it costs, if "
        "anything].",
        "card {card_id} {fate}. block it, new one by {delivery}. card number, arrival, fee if any?",
        "[You will not believe it|What a day], my card {card_id} is {fate}! Do block it for good and send me a new one "
        "by {delivery}, and what is its number, when will it be here, and is there a fee?",
        "I regret to report that my card {card_id} is {fate}. Kindly block it permanently, dispatch a replacement by "
        "{delivery}, and advise me of its number, its day of arrival and the fee, if any.",
        hurried="Card {card_id} is {fate}, block it, new one by {delivery}, number, day and fee please!",
        non_native="With my card {card_id} is problem, it is {fate}; block please and a new one send by {delivery}, "
        "which number, which day comes, and costs something?",
    ),
    _draw_gone,
    _gone,
    (OTHER_DELIVERY,),
    again="card_id",
)


def _freeze(facts: Facts) -> Policy:
    card = yield do("get_card", card_id=facts["card_id"])
    if card["status"] != "active":
        raise DeadEnd("the card does not work anyway")
    yield do("block_card", card_id=facts["card_id"], reason=facts.get("fate", "frozen"))
    return Reply(f"It is blocked; it would be good until {card['expires_on']}.", (card["expires_on"],))


FREEZE = Program(
    "freeze_card",
    "Freeze a card for the time being",
    says(
        "[I cannot find my card|My card has gone missing, perhaps at home], so please freeze my card {card_id} for "
        "now. And tell me until when it [is valid|would be good].",
        "freeze card {card_id} for now. valid until?",
        "I have turned the whole flat upside down! Freeze my card {card_id} for the moment, please, it will turn up; "
        "and how long is that one valid anyway?",
        "As a precaution I request that my card {card_id} be frozen until further notice; kindly state the date of its "
        "expiry.",
        confused="I had it yesterday, or was it the other one? Better freeze my card {card_id} for a while, and until "
        "when is it valid, did you say?",
    ),
    a_record("cards", "card_id", lambda card: card["status"] == "active"),
    _freeze,
    (
        Twist(
            "stolen after all",
            "change_of_mind",
            says(
                "Hold on, my neighbour saw somebody take it: [do not freeze it, block it as stolen|block it as stolen "
                "instead].",
                "update: not freeze, block as stolen.",
                "Oh no, my friend has just rung, somebody took it from the table, so not frozen but blocked as stolen!",
                "I have learnt meanwhile that it was taken; it is to be blocked as stolen rather than frozen.",
            ),
            sets={"fate": "stolen"},
        ),
        Twist(
            "no new one",
            "distractor",
            says(
                "I do not want a new card.",
                "no new card needed.",
                "And no new card, please, I have quite enough plastic!",
                "A new card is not required.",
            ),
        ),
    ),
    again="card_id",
)


def _unfreeze(facts: Facts) -> Policy:
    card = yield do("get_card", card_id=facts["card_id"])
    if card["status"] != "frozen":
        raise DeadEnd("the card is not frozen")
    before = shown(card["daily_limit"])
    new = facts.get("limit")
    if new and (new > card["highest_limit"] or new == card["daily_limit"]):
        raise DeadEnd("no such limit")
    yield do("unfreeze_card", card_id=facts["card_id"])
    if not new:
        return Reply(f"It works again, up to {before} {card['currency']} a day.", (before,))
    yield do("set_card_limit", card_id=facts["card_id"], daily_limit=new)
    return Reply(f"It works again; the limit was {before} {card['currency']} a day.", (before,))


UNFREEZE = Program(
    "unfreeze_card",
    "Make a frozen card work again",
    says(
        "[I found it, it was in my coat|It turned up again], so please make my frozen card {card_id} work again. What "
        "daily limit [did I have on it|is on it]?",
        "found it, unfreeze card {card_id}. its daily limit so far?",
        "It was in the laundry all the time, can you imagine! So wake my frozen card {card_id} up again, and what was "
        "the limit a day on it?",
        "As the item has come to light, please lift the freeze on my card {card_id} and state the daily limit that "
        "stood on it.",
        non_native="I found again my card {card_id} that you have frozen, please open it again, and what limit for the "
        "day it had?",
    ),
    a_record("cards", "card_id", lambda card: card["status"] == "frozen"),
    _unfreeze,
    (
        Twist(
            "with another limit",
            "constraint",
            says(
                "And from now on it should have a daily limit of {limit:money}.",
                "then set its daily limit to {limit:money}.",
                "I have learnt my lesson, by the way, so give it a daily limit of {limit:money} from now on!",
                "Its daily limit is thereupon to be set to {limit:money}.",
            ),
            draw=limit_on("cards", "card_id", "daily_limit", "limit", (0.3, 0.5, 0.7, 1.3)),
        ),
    ),
)


def _draw_expiring(world: World, rng: Random) -> Facts:
    working = [each for each in world.rows("cards") if each["status"] == "active"]
    soon = [each for each in working if (date.fromisoformat(each["expires_on"]) - TODAY).days <= 80]
    card = pick(rng, soon or working)
    return {**owner(card), "delivery": rng.choice(("post", "courier"))}


def _expiring(facts: Facts) -> Policy:
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


EXPIRING = Program(
    "renew_expiring_card",
    "Have the card that expires first replaced, if it does so soon",
    says(
        "Which of my working cards expires first? If that is within {days:int} days, please order a new one in its "
        "place, by {delivery}, and tell me its number, [the old one's date of expiry|when the old one expires] and "
        "when it comes; otherwise just tell me which it is and its date.",
        "my working card expiring first: if within {days:int} days, replace it, by {delivery}; number, old expiry, "
        "arrival? else only which one + date.",
        "I never look at those little dates! If the first of my working cards to expire does so within {days:int} "
        "days, do order its successor by {delivery}, and tell me the new number, the old date and when it arrives; if "
        "not, only say which it is and when!",
        "Of my working cards, kindly replace the first to expire, by {delivery}, provided that this falls within "
        "{days:int} days, stating the new number, the old date of expiry and the day of arrival; otherwise merely name "
        "the card and the date.",
        non_native="From my cards that work, which finish first? If it is in the next {days:int} days, order a new for "
        "it by {delivery} and say the number, the old date and when comes; if not, only which and which date.",
    ),
    lambda world, rng: {**_draw_expiring(world, rng), "days": rng.choice((30, 45, 60))},
    _expiring,
    (OTHER_DELIVERY,),
    unknown="I do not have the cards with me.",
)

CARDS = (GONE, FREEZE, UNFREEZE, EXPIRING)
