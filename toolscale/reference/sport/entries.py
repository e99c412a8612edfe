"""The sports clubs' world: entries of eleven subjects, consistent with each other, from a seed."""

from datetime import date, timedelta
from random import Random
from typing import Any

from toolscale.artifacts import Database
from toolscale.reference.ids import Ids
from toolscale.reference.moments import TODAY, birth_date, day
from toolscale.reference.people import People
from toolscale.reference.sport.catalogue import ACTIVITIES, CLUBS, COUNTRIES, COURT_KINDS, GEAR, PLANS, Club
from toolscale.reference.sport.leisure import classes, hires, injuries, matches, tickets
from toolscale.reference.sport.play import Diary, complaints, court_bookings, leagues, referees

Record = dict[str, Any]

_MEMBERS_A_CLUB = 11
_ABROAD = ("PL", "SE", "NL", "GB", "DK", "CZ", "FI", "CA")
_NORTH = ("HAM", "VIE", "ANR", "ORK")


def world(seed: int) -> dict[str, Database]:
    """Subject -> table -> key -> record, in an order in which every reference points backwards.

    The same seed gives the same world: about 1,050 entries around the present, Monday 23 November 2026.
    """
    rng = Random(f"sport {seed}")
    ids, people, diary = Ids(rng), People(seed, (*COUNTRIES, *_ABROAD)), Diary()
    clubs, courts = _clubs(), _courts(rng)
    plans = {plan.plan_id: plan._asdict() for plan in PLANS}
    coaches = _coaches(ids, people, rng)
    members = _members(ids, people, rng)
    officials = referees(ids, people, rng)
    league = leagues(members, courts, officials, diary, ids, rng)
    harm = injuries(members, ids, rng)
    booked = court_bookings(members, courts, plans, clubs, harm, diary, ids, rng)
    lessons, places = classes(clubs, coaches, members, plans, harm, ids, rng)
    gear = _gear(rng)
    shows = matches(ids, rng)
    in_north = {key for key, each in members.items() if each["home_club"][5:] in _NORTH}
    return {
        "clubs and their courts": {"clubs": clubs, "courts": courts},
        "membership plans": {"plans": plans},
        "members of the northern clubs": {"members": {key: members[key] for key in members if key in in_north}},
        "members of the southern clubs": {"members": {key: members[key] for key in members if key not in in_north}},
        "coaches and their classes": {"coaches": coaches, "classes": lessons},
        "places in classes and on waiting lists": {"class_places": places},
        "leagues, teams and fixtures": {**league, "referees": officials},
        "court bookings and complaints": {"court_bookings": booked, "complaints": complaints(booked, ids, rng)},
        "equipment and its hires": {"equipment": gear, "hires": hires(members, gear, ids, rng)},
        "matches and tickets": {"matches": shows, "tickets": tickets(members, shows, ids, rng)},
        "injuries": {"injuries": harm},
    }


def _clubs() -> dict[str, Record]:
    return {
        f"CLUB-{club.code}": {
            "club_id": f"CLUB-{club.code}",
            "name": club.name,
            "city": club.city,
            "country": club.country,
            "opens": club.opens,
            "closes": club.closes,
            "desk_phone": club.phone,
        }
        for club in CLUBS
    }


def _courts(rng: Random) -> dict[str, Record]:
    courts: dict[str, Record] = {}
    for club in CLUBS:
        dearer = rng.choice((-1.50, -1.00, 0.00, 1.00, 2.50))
        dropped = rng.choice([kind for kind in COURT_KINDS if kind.sport in ("tennis", "squash")])
        kinds = [kind for kind in COURT_KINDS if kind is not dropped]
        numbers: dict[str, int] = {}
        for number, kind in enumerate(kinds, 1):
            numbers[kind.sport] = numbers.get(kind.sport, 0) + 1
            key = f"CT-{club.code}-{number:02}"
            courts[key] = {
                "court_id": key,
                "club_id": f"CLUB-{club.code}",
                "name": f"{kind.sport.title()} {numbers[kind.sport]}",
                "sport": kind.sport,
                "surface": kind.surface,
                "indoor": kind.indoor,
                "hourly_rate": kind.rate + dearer,
            }
    return courts


def _coaches(ids: Ids, people: People, rng: Random) -> dict[str, Record]:
    coaches: dict[str, Record] = {}
    for club in CLUBS:
        shuffled = rng.sample(ACTIVITIES, len(ACTIVITIES))
        for number in range(3):
            person, key = people.one(club.country), ids.digits("CO", 4)
            coaches[key] = {
                "coach_id": key,
                "club_id": f"CLUB-{club.code}",
                "name": person.name,
                "activities": sorted(shuffled[2 * number : 2 * number + 2]),
                "email": person.email,
            }
    return coaches


def _members(ids: Ids, people: People, rng: Random) -> dict[str, Record]:
    members = [_member(club, ids, people, rng) for club in CLUBS for _ in range(_MEMBERS_A_CLUB)]
    return {each["member_id"]: each for each in members}


def _member(club: Club, ids: Ids, people: People, rng: Random) -> Record:
    person = people.one(club.country if rng.random() < 0.75 else rng.choice(_ABROAD))
    plan = rng.choice(PLANS)
    joined = TODAY - timedelta(days=rng.randint(40, 1800))
    until = _term_end(joined, plan.minimum_months)
    if until < TODAY:
        until = date(2026, 11, 30) if rng.random() < 0.6 else TODAY + timedelta(days=rng.randint(20, 300))
    frozen = rng.random() < 0.06
    start = rng.randint(-10, -2)
    used = rng.choice((0, 0, 0, 14, 21)) if not frozen else 21
    return {
        "member_id": ids.digits("SM"),
        "name": person.name,
        "email": person.email,
        "birth_date": birth_date(rng, 18, 72),
        "home_club": f"CLUB-{club.code}",
        "plan_id": plan.plan_id,
        "next_plan_id": None,
        "joined_on": joined.isoformat(),
        "contract_until": until.isoformat(),
        "ends_on": None,
        "end_reason": None,
        "frozen_from": day(start) if frozen else None,
        "frozen_until": day(start + 20) if frozen else None,
        "freeze_days_used": used,
        "credit": rng.choice((0.0, 7.5, 12.4, 18.0, 26.75, 34.2, 41.6, 55.0, 63.9, 82.3)) + rng.choice((0, 0.8, 3.15)),
        "guest_passes": rng.choice((0, 1, 2, 3, 4, 6)),
    }


def _term_end(joined: date, months: int) -> date:
    """The last day of a term that began on the first of the month after joining."""
    total = joined.year * 12 + joined.month + months
    return date(total // 12, total % 12 + 1, 1) - timedelta(days=1)


def _gear(rng: Random) -> dict[str, Record]:
    gear: dict[str, Record] = {}
    for club in CLUBS:
        for number, offer in enumerate(GEAR, 1):
            if rng.random() < 0.3:
                continue
            key = f"EQ-{club.code}-{number:02}"
            gear[key] = {
                "equipment_id": key,
                "club_id": f"CLUB-{club.code}",
                "name": offer.name,
                "kind": offer.kind,
                "daily_rate": offer.daily_rate,
                "deposit": offer.deposit,
                "stock": offer.stock,
            }
    return gear
