"""The sports clubs' policy as predicates on calls (docs/environment-format.md)."""

from datetime import date, datetime, timedelta
from typing import Any

Record = dict[str, Any]
Database = dict[str, dict[str, Record]]


def _changed(table: str, before: Database, after: Database) -> list[tuple[Record, Record]]:
    return [(before[table][key], each) for key, each in after[table].items() if before[table].get(key, each) != each]


def _added(table: str, before: Database, after: Database) -> list[Record]:
    return [each for key, each in after[table].items() if key not in before[table]]


def _hours_left(moment: str) -> float:
    return (datetime.fromisoformat(moment) - datetime.now()).total_seconds() / 3600


def a_court_is_changed_a_day_before(before: Database, call: Record, after: Database) -> str | None:
    """A court is cancelled or moved at least 24 hours before it begins; later it is neither."""
    for old, new in _changed("court_bookings", before, after):
        altered = any(old[field] != new[field] for field in ("status", "starts", "court_id"))
        if altered and _hours_left(old["starts"]) < 24:
            return f"{old['booking_id']} begins in less than 24 hours"
    return None


def a_cancelled_court_is_refunded_in_full(before: Database, call: Record, after: Database) -> str | None:
    """The whole price of a cancelled court comes back."""
    for old, new in _changed("court_bookings", before, after):
        if new["status"] == "cancelled" and new["refund"] != old["price"]:
            return f"{new['refund']} EUR came back for {old['price']} EUR"
    return None


def four_courts_at_a_time(before: Database, call: Record, after: Database) -> str | None:
    """A member has at most four courts booked at a time."""
    for booking in _added("court_bookings", before, after):
        held = [
            each
            for each in after["court_bookings"].values()
            if (each["member_id"], each["status"]) == (booking["member_id"], "confirmed")
        ]
        if len(held) > 4:
            return f"{booking['member_id']} has {len(held)} courts booked"
    return None


def a_guest_costs_a_pass(before: Database, call: Record, after: Database) -> str | None:
    """At most three guests a court, and each takes a guest pass."""
    for old, new in _changed("court_bookings", before, after):
        more = new["guests"] - old["guests"]
        passes = [base["members"][old["member_id"]]["guest_passes"] for base in (before, after)]
        if new["guests"] > 3 or (more > 0 and passes[0] - passes[1] != more):
            return f"{new['guests']} guests for {passes[0] - passes[1]} passes"
    return None


def injured_members_rest(before: Database, call: Record, after: Database) -> str | None:
    """Who has an injury that is not cleared gets no court, no class and no place in a team."""
    newcomers = {
        each["member_id"] for table in ("court_bookings", "class_places") for each in _added(table, before, after)
    }
    for old, new in _changed("teams", before, after):
        newcomers |= set(new["players"]) - set(old["players"])
    for injury in before["injuries"].values():
        if injury["status"] == "open" and injury["member_id"] in newcomers:
            return f"{injury['injury_id']} of {injury['member_id']} is not cleared"
    return None


def a_doctor_clears_after_the_rest(before: Database, call: Record, after: Database) -> str | None:
    """A doctor's note is accepted from the earliest return on."""
    for old, new in _changed("injuries", before, after):
        if new["status"] == "cleared" and new["seen_on"] < old["earliest_return"]:
            return f"the note of {new['seen_on']} is before {old['earliest_return']}"
    return None


def a_cheaper_plan_waits_for_the_term(before: Database, call: Record, after: Database) -> str | None:
    """A cheaper plan is possible only when the term of the present one is over by the first of next month."""
    first_of_next = (datetime.now().date().replace(day=1) + timedelta(days=32)).replace(day=1).isoformat()
    for old, new in _changed("members", before, after):
        if new["next_plan_id"] != old["next_plan_id"]:
            fee, present = (before["plans"][key]["monthly_fee"] for key in (new["next_plan_id"], old["plan_id"]))
            if fee < present and old["contract_until"] >= first_of_next:
                return f"{old['member_id']} is bound until {old['contract_until']}"
    return None


def a_freeze_keeps_to_the_plan(before: Database, call: Record, after: Database) -> str | None:
    """A freeze takes 14 days or more, and no more than the plan's days of the year."""
    for old, new in _changed("members", before, after):
        taken = new["freeze_days_used"] - old["freeze_days_used"]
        if taken and (taken < 14 or new["freeze_days_used"] > before["plans"][old["plan_id"]]["freeze_days_a_year"]):
            return f"{taken} days on top of {old['freeze_days_used']}"
    return None


def a_membership_ends_after_its_term(before: Database, call: Record, after: Database) -> str | None:
    """A membership ends not before its term and not within 30 days."""
    notice = (datetime.now().date() + timedelta(days=30)).isoformat()
    for old, new in _changed("members", before, after):
        if new["ends_on"] != old["ends_on"] and new["ends_on"] < max(notice, old["contract_until"]):
            return f"{old['member_id']} may leave after {max(notice, old['contract_until'])}"
    return None


def a_fixture_is_postponed_once(before: Database, call: Record, after: Database) -> str | None:
    """A fixture is postponed once, by a captain, at least 48 hours before and by at most 21 days."""
    for old, new in _changed("fixtures", before, after):
        if new["starts"] == old["starts"]:
            continue
        later = date.fromisoformat(new["starts"][:10]) - date.fromisoformat(old["starts"][:10])
        if old["postponed_by"] or _hours_left(old["starts"]) < 48 or not 0 < later.days <= 21:
            return f"{old['fixture_id']} was moved by {later.days} days"
        if new["postponed_by"] not in [before["teams"][old[side]]["captain_id"] for side in ("home_team", "away_team")]:
            return f"{new['postponed_by']} is no captain of {old['fixture_id']}"
    return None


def a_referee_has_the_grade(before: Database, call: Record, after: Database) -> str | None:
    """A referee has the sport and at least the league's grade."""
    for old, new in _changed("fixtures", before, after):
        referee = after["referees"].get(new["referee_id"]) if new["referee_id"] != old["referee_id"] else None
        league = after["leagues"][new["league_id"]]
        if referee and (league["sport"] not in referee["sports"] or referee["grade"] < league["referee_grade"]):
            return f"{referee['name']} may not referee {league['name']}"
    return None


def a_hire_takes_two_weeks_at_most(before: Database, call: Record, after: Database) -> str | None:
    """A hire takes 14 days at the most."""
    changed = [new for _, new in _changed("hires", before, after)]
    long = [each["hire_id"] for each in (*_added("hires", before, after), *changed) if each["days"] > 14]
    return f"longer than 14 days: {', '.join(long)}" if long else None


def upper_tier_tickets_stay(before: Database, call: Record, after: Database) -> str | None:
    """Upper tier tickets cannot be returned; others until 48 hours before the match."""
    for old, new in _changed("tickets", before, after):
        if new["status"] == "returned":
            if old["category"] == "upper tier":
                return f"{old['ticket_id']} is for the upper tier"
            if _hours_left(before["matches"][old["match_id"]]["starts"]) < 48:
                return f"the match of {old['ticket_id']} is less than 48 hours away"
    return None


def six_seats_a_match(before: Database, call: Record, after: Database) -> str | None:
    """A member buys at most six seats for a match."""
    for ticket in _added("tickets", before, after):
        seats = sum(
            each["seats"]
            for each in after["tickets"].values()
            if all(each[field] == ticket[field] for field in ("member_id", "match_id", "status"))
        )
        if seats > 6:
            return f"{seats} seats for {ticket['match_id']}"
    return None


def credit_is_never_overdrawn(before: Database, call: Record, after: Database) -> str | None:
    """Nobody pays with credit that they do not have."""
    below = [key for key, each in after["members"].items() if each["credit"] < 0]
    return f"below zero: {', '.join(below)}" if below else None
