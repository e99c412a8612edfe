"""A member's account: membership, points and gift cards."""

from datetime import date, timedelta
from typing import Any, Literal

from ._prices import _level
from ._shared import Database, _add_gift_card, _find, _new_key, _performance_of, _today, _usable_card

WRITES = {"buy_membership", "upgrade_membership", "redeem_points", "buy_gift_card", "merge_gift_cards",
          "extend_gift_card"}  # fmt: skip

POINT_VALUE = {"EUR": 0.01, "GBP": 0.01, "CHF": 0.01, "SEK": 0.1, "PLN": 0.04}
GIFT_LIMITS = {"EUR": (10, 250), "GBP": (10, 250), "CHF": (10, 250), "SEK": (100, 2500), "PLN": (40, 1000)}


def get_member(db: Database, member_id: str) -> dict[str, Any]:
    """A member's account: contact, points, membership, subscription that has not ended, and places on waiting lists.

    member_id: such as MB-10234.
    """
    member = _find(db, "members", member_id, "member")
    waits = []
    for each in db["waitlist"].values():
        if each["member_id"] == member_id:
            performance, venue, show = _performance_of(db, each)
            waits.append(
                {**each, "title": show["title"], "venue": venue["name"], "starts_at": performance["starts_at"]}
            )
    memberships = [
        {**each, "level": db["levels"][each["level_id"]]["level"]}
        for each in db["memberships"].values()
        if each["member_id"] == member_id and each["valid_until"] >= _today().isoformat()
    ]
    subscriptions = [
        each["subscription_id"]
        for each in db["subscriptions"].values()
        if each["member_id"] == member_id and each["status"] != "ended"
    ]
    return {
        **member,
        "membership": memberships[0] if memberships else None,
        "subscription_id": subscriptions[0] if subscriptions else None,
        "waiting_for": waits,
    }


def list_gift_cards(db: Database, member_id: str) -> list[dict[str, Any]]:
    """A member's gift cards with money on them, the one that expires first in front; also those that have expired.

    member_id: whose cards.
    """
    _find(db, "members", member_id, "member")
    today = _today().isoformat()
    found = [
        {**card, "expired": card["valid_until"] < today}
        for card in db["gift_cards"].values()
        if card["member_id"] == member_id and card["balance"] > 0
    ]
    return sorted(found, key=lambda card: (card["valid_until"], card["gift_card_id"]))


def get_gift_card(db: Database, gift_card_id: str) -> dict[str, Any]:
    """A gift card: holder, balance, and until when it is valid.

    gift_card_id: such as GC-4F82A1.
    """
    card = _find(db, "gift_cards", gift_card_id, "gift card")
    return {**card, "expired": card["valid_until"] < _today().isoformat()}


def list_memberships(db: Database, member_id: str) -> list[dict[str, Any]]:
    """The memberships on sale, at the yearly prices for a member: what they take off tickets, the cheapest first.

    member_id: who would become a member.
    """
    currency = _find(db, "members", member_id, "member")["currency"]
    found = [dict(level) for level in db["levels"].values() if level["currency"] == currency]
    return sorted(found, key=lambda level: level["yearly_price"])


def buy_membership(db: Database, member_id: str, level: Literal["plus", "patron"]) -> dict[str, Any]:
    """Sell a year's membership, from today, charged to the card on file. Plus and patron pay no booking fees and less
    for tickets.

    member_id: who becomes a member; somebody without a valid membership.
    level: which membership.
    """
    member = _find(db, "members", member_id, "member")
    if _level(db, member_id) is not None:
        raise ValueError("there is a valid membership; plus can be upgraded to patron")
    level_id = f"LV-{level.upper()}-{member['currency']}"
    bought = _find(db, "levels", level_id, "membership")
    key, today = _new_key(db, "memberships", "MS"), _today()
    db["memberships"][key] = {
        "membership_id": key,
        "member_id": member_id,
        "level_id": level_id,
        "valid_from": today.isoformat(),
        "valid_until": (today + timedelta(days=364)).isoformat(),
    }
    return {**db["memberships"][key], "price": bought["yearly_price"], "currency": bought["currency"]}


def upgrade_membership(db: Database, membership_id: str) -> dict[str, Any]:
    """Turn a plus membership into a patron membership for the days that are left. The difference of the yearly prices
    is charged day by day to the card on file.

    membership_id: from get_member.
    """
    membership = _find(db, "memberships", membership_id, "membership")
    old = db["levels"][membership["level_id"]]
    days = (date.fromisoformat(membership["valid_until"]) - _today()).days
    if old["level"] != "plus" or days < 0:
        raise ValueError(f"only a valid plus membership is upgraded, this is {old['level']}")
    new = db["levels"][f"LV-PATRON-{old['currency']}"]
    membership["level_id"] = new["level_id"]
    price = round((new["yearly_price"] - old["yearly_price"]) * days / 365, 2)
    return {**membership, "level": "patron", "charged": price, "currency": new["currency"]}


def redeem_points(db: Database, member_id: str, points: int) -> dict[str, Any]:
    """Turn at least 500 points into a gift card: a hundred points are 1 EUR, GBP or CHF, 10 SEK or 4 PLN.

    member_id: whose points.
    points: how many.
    """
    member = _find(db, "members", member_id, "member")
    if points < 500:
        raise ValueError("at least 500 points are redeemed")
    if points > member["points"]:
        raise ValueError(f"the member has only {member['points']} points")
    member["points"] -= points
    amount = round(points * POINT_VALUE[member["currency"]], 2)
    return {**_add_gift_card(db, member_id, member_id, amount, member["currency"]), "points_left": member["points"]}


def buy_gift_card(db: Database, member_id: str, recipient_id: str, amount: float) -> dict[str, Any]:
    """Buy a gift card for another member or oneself, in the buyer's currency, charged to the card on file. It is valid
    for three years.

    member_id: who pays.
    recipient_id: member who receives it.
    amount: from 10 to 250 EUR, GBP or CHF, 100 to 2500 SEK, 40 to 1000 PLN.
    """
    currency = _find(db, "members", member_id, "member")["currency"]
    _find(db, "members", recipient_id, "member")
    least, most = GIFT_LIMITS[currency]
    if not least <= amount <= most:
        raise ValueError(f"gift cards hold {least} to {most} {currency}")
    return _add_gift_card(db, recipient_id, member_id, amount, currency)


def merge_gift_cards(db: Database, from_card: str, to_card: str) -> dict[str, Any]:
    """Move all that is on one gift card to another of the same member and currency. Neither may have expired.

    from_card: gift card to empty.
    to_card: gift card that receives the money.
    """
    target = _find(db, "gift_cards", to_card, "gift card")
    if from_card == to_card:
        raise ValueError("these are one and the same card")
    source = _usable_card(db, from_card, target["member_id"], 0.0, target["currency"])
    _usable_card(db, to_card, target["member_id"], 0.0, target["currency"])
    if not source["balance"]:
        raise ValueError(f"gift card {from_card} is empty")
    target["balance"] = round(target["balance"] + source["balance"], 2)
    source["balance"] = 0.0
    return {"to_card": to_card, "balance": target["balance"], "currency": target["currency"],
            "valid_until": target["valid_until"]}  # fmt: skip


def extend_gift_card(db: Database, gift_card_id: str) -> dict[str, Any]:
    """Revive a gift card that expired at most a year ago: it is valid for 180 days from today. Only once a card.

    gift_card_id: an expired card with money on it.
    """
    card, today = _find(db, "gift_cards", gift_card_id, "gift card"), _today()
    if card["valid_until"] >= today.isoformat():
        raise ValueError(f"gift card {gift_card_id} is valid until {card['valid_until']}")
    if card["extended"]:
        raise ValueError(f"gift card {gift_card_id} was extended once before")
    if (today - date.fromisoformat(card["valid_until"])).days > 365 or not card["balance"]:
        raise ValueError(
            f"gift card {gift_card_id} expired on {card['valid_until']}, which is too long ago, or is empty"
        )
    card["valid_until"], card["extended"] = (today + timedelta(days=180)).isoformat(), True
    return dict(card)
