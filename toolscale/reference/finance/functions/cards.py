"""Cards: their state, their limits, where they work, and new ones."""

from datetime import date
from typing import Any, Literal

from ._shared import (
    Database,
    _amount,
    _cents,
    _check_funds,
    _fee,
    _joined,
    _new_key,
    _one,
    _own,
    _today,
    _working_days_later,
)

WRITES = {"block_card", "unfreeze_card", "replace_card", "set_card_limit", "set_card_use"}


def list_cards(db: Database, customer_id: str) -> list[dict[str, Any]]:
    """A customer's cards, with the last four digits, state, daily limit and date of expiry.

    customer_id: whose.
    """
    return [dict(card) for card in _own(db, "cards", customer_id)]


def get_card(db: Database, card_id: str) -> dict[str, Any]:
    """One card, with the currency of its account and the highest daily limit there.

    card_id: such as CD-48213.
    """
    card = _one(db, "cards", card_id)
    account = _joined(db, "accounts", card["account_id"])
    highest = _joined(db, "currencies", account["currency"])["highest_card_limit"]
    return {**card, "currency": account["currency"], "highest_limit": highest}


def block_card(db: Database, card_id: str, reason: Literal["frozen", "lost", "stolen", "damaged"]) -> dict[str, Any]:
    """Block a card at once. Frozen can be undone; lost, stolen and damaged are final.

    card_id: card to block; it must be active, ordered or frozen.
    reason: frozen is for the time being.
    """
    card = _one(db, "cards", card_id)
    if reason not in ("frozen", "lost", "stolen", "damaged"):
        raise ValueError("the reason must be frozen, lost, stolen or damaged")
    if card["status"] not in ("active", "ordered", "frozen") or card["status"] == reason:
        raise ValueError(f"card {card_id} is {card['status']} already")
    card["status"] = reason
    return dict(card)


def unfreeze_card(db: Database, card_id: str) -> dict[str, Any]:
    """Make a frozen card work again. A card that was lost, stolen or damaged never does.

    card_id: a frozen card.
    """
    card = _one(db, "cards", card_id)
    if card["status"] != "frozen":
        raise ValueError(f"card {card_id} is {card['status']}, not frozen")
    card["status"] = "active"
    return dict(card)


def replace_card(db: Database, card_id: str, delivery: Literal["post", "courier"]) -> dict[str, Any]:
    """Order a new card in place of one that is lost, stolen or damaged, or that expires within 60 days. A lost or
    damaged card costs the replacement fee, a courier the courier fee; the customer's plan takes its share off. The fee
    is charged to the card's account.

    card_id: card to replace.
    delivery: post takes five working days, a courier two.
    """
    card = _one(db, "cards", card_id)
    if delivery not in ("post", "courier"):
        raise ValueError("delivery must be post or courier")
    if card["replaced_by"]:
        raise ValueError(f"card {card_id} is replaced already, by {card['replaced_by']}")
    days_left = (date.fromisoformat(card["expires_on"]) - _today()).days
    if card["status"] not in ("lost", "stolen", "damaged") and days_left > 60:
        raise ValueError(f"card {card_id} is {card['status']} and good until {card['expires_on']}")
    account = _joined(db, "accounts", card["account_id"])
    kinds = ["replacement_fee"] if card["status"] in ("lost", "damaged") else []
    fee = _fee(db, account, *kinds, *(["courier_fee"] if delivery == "courier" else []))
    _check_funds(account, fee)
    key = _new_key(db, "cards", "CD")
    account["balance"] = _cents(account["balance"] - fee)
    card["replaced_by"] = key
    db["cards"][key] = {
        **card,
        "card_id": key,
        "last4": key[-4:],
        "status": "ordered",
        "expires_on": f"{_today().year + 4}-{_today():%m}-28",
        "arrives_on": _working_days_later(2 if delivery == "courier" else 5),
        "replaced_by": None,
    }
    return {**db["cards"][key], "fee": fee, "currency": account["currency"]}


def set_card_limit(db: Database, card_id: str, daily_limit: float) -> dict[str, Any]:
    """Set how much an active card may spend a day, up to the highest limit of its account's currency.

    card_id: an active card.
    daily_limit: in the account's currency.
    """
    card, daily_limit = _one(db, "cards", card_id), _amount(daily_limit, "the limit")
    if card["status"] != "active":
        raise ValueError(f"card {card_id} is {card['status']}: only active cards can be changed")
    account = _joined(db, "accounts", card["account_id"])
    highest = _joined(db, "currencies", account["currency"])["highest_card_limit"]
    if daily_limit > highest:
        raise ValueError(f"the highest daily limit is {highest:.2f} {account['currency']}")
    before, card["daily_limit"] = card["daily_limit"], daily_limit
    return {"card_id": card_id, "daily_limit": daily_limit, "before": before, "currency": account["currency"]}


def set_card_use(
    db: Database, card_id: str, use: Literal["online", "abroad", "contactless"], allowed: bool
) -> dict[str, Any]:
    """Allow or forbid one use of an active card.

    card_id: an active card.
    use: online payments, payments abroad, or payments without contact.
    allowed: whether it shall work.
    """
    card = _one(db, "cards", card_id)
    if use not in ("online", "abroad", "contactless"):
        raise ValueError("use must be online, abroad or contactless")
    if card["status"] != "active":
        raise ValueError(f"card {card_id} is {card['status']}: only active cards can be changed")
    if card[use] == allowed:
        raise ValueError(f"{use} is {'allowed' if allowed else 'forbidden'} already")
    card[use] = allowed
    return dict(card)
