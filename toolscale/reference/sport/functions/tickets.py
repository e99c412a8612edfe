"""Tickets for matches that members watch."""

from typing import Any, Literal

from ._shared import Database, _day, _find, _hours_until, _may_use, _new_key, _now, _pay_out, _shift

WRITES = {"buy_tickets", "return_tickets", "upgrade_tickets"}

MOST_SEATS = 6
RETURN_HOURS = 48
RETURN_FEE_PERCENT = 10


def _seats(match: dict[str, Any], category: str) -> dict[str, Any]:
    for each in match["categories"]:
        if each["category"] == category:
            found: dict[str, Any] = each
            return found
    raise ValueError("category must be upper tier, lower tier or box")


def _shown_ticket(db: Database, ticket: dict[str, Any]) -> dict[str, Any]:
    match = db["matches"][ticket["match_id"]]
    fields = ("sport", "home_side", "visitors", "arena", "city", "starts")
    refund = 0.0 if ticket["category"] == "upper tier" else round(ticket["price"] * (100 - RETURN_FEE_PERCENT) / 100, 2)
    return {
        **ticket,
        **{field: match[field] for field in fields},
        "day": match["starts"][:10],
        "refund_if_returned": refund,
        "return_until": _shift(match["starts"], -60 * RETURN_HOURS),
    }


def search_matches(
    db: Database,
    city: str,
    sport: Literal["football", "handball", "basketball", "volleyball", "ice hockey"],
    first_day: str,
) -> list[dict[str, Any]]:
    """Matches of a sport in a city from a day on, in order of time, with categories, prices in EUR and seats left.

    city: such as Hamburg.
    sport: what is played.
    first_day: YYYY-MM-DD.
    """
    since = max(_now(), _day(first_day).isoformat())
    found = [
        dict(each)
        for each in db["matches"].values()
        if each["city"].lower() == city.strip().lower() and each["sport"] == sport and each["starts"] > since
    ]
    return sorted(found, key=lambda each: (each["starts"], each["match_id"]))


def get_match(db: Database, match_id: str) -> dict[str, Any]:
    """A match in full: sides, arena, time, categories with prices in EUR and seats left.

    match_id: from search_matches, or of a ticket.
    """
    return dict(_find(db, "matches", match_id, "match"))


def buy_tickets(
    db: Database, member_id: str, match_id: str, category: Literal["upper tier", "lower tier", "box"], seats: int
) -> dict[str, Any]:
    """Buy seats for a match, charged to the card on file; at most six for one match.

    member_id: who buys.
    match_id: from search_matches.
    category: upper tier, lower tier or box.
    seats: how many.
    """
    member, match = _find(db, "members", member_id, "member"), _find(db, "matches", match_id, "match")
    offered = _seats(match, category)
    _may_use(member, _now()[:10])
    held = sum(
        each["seats"]
        for each in db["tickets"].values()
        if each["member_id"] == member_id and each["match_id"] == match_id and each["status"] == "valid"
    )
    if match["starts"] <= _now():
        raise ValueError("the match has begun")
    if seats < 1 or held + seats > MOST_SEATS:
        raise ValueError(f"a member buys at most {MOST_SEATS} seats for a match and has {held}")
    if offered["seats_left"] < seats:
        raise ValueError(f"only {offered['seats_left']} seats are left in the {category}")
    offered["seats_left"] -= seats
    key = _new_key("TK")
    db["tickets"][key] = {
        "ticket_id": key,
        "member_id": member_id,
        "match_id": match_id,
        "category": category,
        "seats": seats,
        "price": round(offered["price"] * seats, 2),
        "status": "valid",
        "refund_to": None,
    }
    return _shown_ticket(db, db["tickets"][key])


def list_tickets(db: Database, member_id: str) -> list[dict[str, Any]]:
    """A member's valid tickets, in order of time.

    member_id: whose tickets.
    """
    _find(db, "members", member_id, "member")
    mine = [e for e in db["tickets"].values() if e["member_id"] == member_id and e["status"] == "valid"]
    fields = ("ticket_id", "home_side", "visitors", "day", "category", "seats")
    shown = [{field: full[field] for field in fields} for full in (_shown_ticket(db, each) for each in mine)]
    return sorted(shown, key=lambda each: (each["day"], each["ticket_id"]))


def get_ticket(db: Database, ticket_id: str) -> dict[str, Any]:
    """A ticket in full: match, arena, seats, price, and what comes back until when if it is returned.

    ticket_id: such as TK-4F82A1.
    """
    return _shown_ticket(db, _find(db, "tickets", ticket_id, "ticket"))


def return_tickets(db: Database, ticket_id: str, refund_to: Literal["card", "credit"]) -> dict[str, Any]:
    """Return the seats of a ticket until 48 hours before the match, less a fee of 10%. Upper tier tickets stay.

    ticket_id: a valid ticket.
    refund_to: the card on file, or credit on the account.
    """
    ticket = _find(db, "tickets", ticket_id, "ticket")
    shown = _shown_ticket(db, ticket)
    if ticket["status"] != "valid" or _hours_until(shown["starts"]) < RETURN_HOURS:
        raise ValueError(f"{ticket_id} is {ticket['status']}; tickets are returned until {shown['return_until']}")
    if ticket["category"] == "upper tier":
        raise ValueError("upper tier tickets cannot be returned")
    member = db["members"][ticket["member_id"]]
    _pay_out(member, shown["refund_if_returned"], refund_to)
    _seats(db["matches"][ticket["match_id"]], ticket["category"])["seats_left"] += ticket["seats"]
    ticket.update(status="returned", refund_to=refund_to)
    return {"ticket_id": ticket_id, "refund": shown["refund_if_returned"], "credit": member["credit"]}


def upgrade_tickets(db: Database, ticket_id: str, category: Literal["lower tier", "box"]) -> dict[str, Any]:
    """Exchange all seats of a ticket for a dearer category; the difference goes to the card on file.

    ticket_id: a valid ticket.
    category: the dearer category.
    """
    ticket = _find(db, "tickets", ticket_id, "ticket")
    match = db["matches"][ticket["match_id"]]
    offered, old = _seats(match, category), _seats(match, ticket["category"])
    if ticket["status"] != "valid" or match["starts"] <= _now():
        raise ValueError(f"{ticket_id} is {ticket['status']}, or the match has begun")
    if offered["price"] <= old["price"]:
        raise ValueError(f"{category} is not dearer than {ticket['category']}")
    if offered["seats_left"] < ticket["seats"]:
        raise ValueError(f"only {offered['seats_left']} seats are left in the {category}")
    offered["seats_left"] -= ticket["seats"]
    old["seats_left"] += ticket["seats"]
    price = round(offered["price"] * ticket["seats"], 2)
    charged = round(price - ticket["price"], 2)
    ticket.update(category=category, price=price)
    return {**_shown_ticket(db, ticket), "charged": charged}
