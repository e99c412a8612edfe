"""Films at home: the catalogue, the watchlist, and rentals."""

from datetime import timedelta
from typing import Any, Literal

from ._shared import Database, _check_age, _find, _hours_before, _new_key, _now, _today, _usable_card

WRITES = {"add_to_watchlist", "remove_from_watchlist", "rent_title", "refund_rental"}


def _rental_rate(db: Database, title: dict[str, Any], currency: str) -> dict[str, Any]:
    rate: dict[str, Any] = db["rental_rates"][f"RR-{title['rate'].upper()}-{currency}"]
    return rate


def search_titles(
    db: Database,
    name: str | None = None,
    genre: Literal["comedy", "crime", "documentary", "drama", "family", "science fiction"] | None = None,
    plan: Literal["basic", "standard", "family"] | None = None,
    most_minutes: int | None = None,
    highest_age_rating: int | None = None,
) -> list[dict[str, Any]]:
    """Titles of the streaming catalogue that meet every criterion given, in order of their names.

    name: words of the title, at least three letters.
    genre: one of the genres.
    plan: only what this plan includes.
    most_minutes: nothing longer.
    highest_age_rating: nothing rated for a higher age.
    """
    if all(each is None for each in (name, genre, plan, most_minutes, highest_age_rating)):
        raise ValueError("give at least one criterion")
    if name is not None and len(name.strip()) < 3:
        raise ValueError("give at least three letters of the title")
    found = [
        dict(title)
        for title in db["titles"].values()
        if (name is None or name.strip().lower() in title["name"].lower())
        and genre in (None, title["genre"])
        and (plan is None or plan in title["included_in"])
        and (most_minutes is None or title["minutes"] <= most_minutes)
        and (highest_age_rating is None or title["age_rating"] <= highest_age_rating)
    ]
    return sorted(found, key=lambda title: title["name"])


def get_title(db: Database, title_id: str, member_id: str) -> dict[str, Any]:
    """A title with its rental price for a member, and whether the member's subscription includes it.

    title_id: such as TI-4107.
    member_id: who would watch it.
    """
    title = _find(db, "titles", title_id, "title")
    member = _find(db, "members", member_id, "member")
    rate = _rental_rate(db, title, member["currency"])
    plans = [
        db["plans"][each["plan_id"]]["plan"]
        for each in db["subscriptions"].values()
        if each["member_id"] == member_id and each["status"] == "active"
    ]
    return {
        **title,
        "rental_price": rate["price"],
        "days_to_start": rate["days"],
        "currency": member["currency"],
        "in_subscription": any(plan in title["included_in"] for plan in plans),
    }


def list_watchlist(db: Database, member_id: str) -> list[dict[str, Any]]:
    """What a member has on the watchlist, the oldest entry first.

    member_id: whose watchlist.
    """
    _find(db, "members", member_id, "member")
    found = [
        {
            "watch_id": each["watch_id"],
            "title_id": each["title_id"],
            "name": db["titles"][each["title_id"]]["name"],
            "genre": db["titles"][each["title_id"]]["genre"],
            "minutes": db["titles"][each["title_id"]]["minutes"],
            "rating": db["titles"][each["title_id"]]["rating"],
            "added_on": each["added_on"],
        }
        for each in db["watchlist"].values()
        if each["member_id"] == member_id
    ]
    return sorted(found, key=lambda each: (each["added_on"], each["watch_id"]))


def add_to_watchlist(db: Database, member_id: str, title_id: str) -> dict[str, Any]:
    """Put a title on a member's watchlist.

    member_id: whose watchlist.
    title_id: a title that is not on it.
    """
    _find(db, "members", member_id, "member")
    title = _find(db, "titles", title_id, "title")
    if any((each["member_id"], each["title_id"]) == (member_id, title_id) for each in db["watchlist"].values()):
        raise ValueError(f"{title['name']} is on the watchlist already")
    key = _new_key(db, "watchlist", "WL")
    db["watchlist"][key] = {
        "watch_id": key,
        "member_id": member_id,
        "title_id": title_id,
        "added_on": _today().isoformat(),
    }
    return {**db["watchlist"][key], "name": title["name"]}


def remove_from_watchlist(db: Database, watch_id: str) -> dict[str, Any]:
    """Take a title off a watchlist.

    watch_id: from list_watchlist.
    """
    entry = _find(db, "watchlist", watch_id, "entry of a watchlist")
    del db["watchlist"][watch_id]
    return {**entry, "name": db["titles"][entry["title_id"]]["name"]}


def list_rentals(db: Database, member_id: str) -> list[dict[str, Any]]:
    """A member's rentals, the latest first. They are unwatched until they are started.

    member_id: whose rentals.
    """
    _find(db, "members", member_id, "member")
    found = [
        {**each, "name": db["titles"][each["title_id"]]["name"]}
        for each in db["rentals"].values()
        if each["member_id"] == member_id
    ]
    return sorted(found, key=lambda each: (each["rented_at"], each["rental_id"]), reverse=True)


def rent_title(db: Database, member_id: str, title_id: str, gift_card_id: str | None = None) -> dict[str, Any]:
    """Rent a title, paid by the card on file or by a gift card. Members rent only what is rated for their age, what
    their subscription does not include, and what they do not have as a rental that is still open.

    member_id: who rents.
    title_id: what to rent.
    gift_card_id: gift card of the member that covers the price; without it the card on file is charged.
    """
    member = _find(db, "members", member_id, "member")
    title = get_title(db, title_id, member_id)
    _check_age(member, title["age_rating"], title["name"])
    if title["in_subscription"]:
        raise ValueError(f"the member's subscription includes {title['name']}; it need not be rented")
    for each in db["rentals"].values():
        held = (each["member_id"], each["title_id"]) == (member_id, title_id)
        if held and each["status"] in ("unwatched", "started"):
            raise ValueError(f"{title['name']} is rented already: {each['rental_id']}")
    if gift_card_id is not None:
        card = _usable_card(db, gift_card_id, member_id, title["rental_price"], member["currency"])
        card["balance"] = round(card["balance"] - title["rental_price"], 2)
    key = _new_key(db, "rentals", "RN")
    db["rentals"][key] = {
        "rental_id": key,
        "member_id": member_id,
        "title_id": title_id,
        "price": title["rental_price"],
        "currency": member["currency"],
        "rented_at": _now(),
        "start_by": (_today() + timedelta(days=title["days_to_start"])).isoformat(),
        "status": "unwatched",
    }
    return {**db["rentals"][key], "name": title["name"]}


def refund_rental(db: Database, rental_id: str) -> dict[str, Any]:
    """Give an unwatched rental back within 14 days of renting; the price goes to the card on file.

    rental_id: from list_rentals.
    """
    rental = _find(db, "rentals", rental_id, "rental")
    if rental["status"] != "unwatched":
        raise ValueError(f"rental {rental_id} is {rental['status']}; only an unwatched one is refunded")
    if rental["rented_at"] < _hours_before(_now(), 14 * 24):
        raise ValueError(f"rental {rental_id} was made on {rental['rented_at'][:10]}, more than 14 days ago")
    rental["status"] = "refunded"
    return {**rental, "name": db["titles"][rental["title_id"]]["name"]}
