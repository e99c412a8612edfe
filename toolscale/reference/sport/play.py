"""What happens on the courts: bookings, complaints, the leagues' fixtures; nothing overlaps."""

from collections.abc import Iterable, Mapping
from itertools import combinations
from random import Random
from typing import Any

from toolscale.artifacts import Database
from toolscale.reference.ids import Ids
from toolscale.reference.moments import NOW, at, day, shifted, some_clock
from toolscale.reference.people import People
from toolscale.reference.sport.catalogue import CLUBS, COUNTRIES, SPORTS, TEAM_NAMES
from toolscale.reference.sport.functions.bookings import COMPENSATION_PERCENT
from toolscale.reference.sport.plausibility import court_price

Record = dict[str, Any]
Records = Mapping[str, Record]

_TEAMS_A_LEAGUE = 4
_REFEREES = 18


class Diary:
    """When courts are taken."""

    def __init__(self) -> None:
        self._taken: list[tuple[str, str, str]] = []

    def take(self, court_id: str, starts: str, minutes: int) -> bool:
        """Take a court if it is free, and say whether it was."""
        ends = shifted(starts, minutes)
        if any(court == court_id and begin < ends and starts < end for court, begin, end in self._taken):
            return False
        self._taken.append((court_id, starts, ends))
        return True


def referees(ids: Ids, people: People, rng: Random) -> dict[str, Record]:
    """Referees of one or two sports; the better the grade, the higher the fee, and no two fees are alike."""
    found: dict[str, Record] = {}
    for number in range(_REFEREES):
        key, grade = ids.digits("RF", 4), 1 + number % 3
        sports = rng.sample(SPORTS[:3], 2)
        found[key] = {
            "referee_id": key,
            "name": people.one(rng.choice(COUNTRIES)).name,
            "sports": sorted(sports),
            "grade": grade,
            "fee": 18.0 + 8 * grade + number * 0.5,
        }
    return found


def leagues(members: Records, courts: Records, officials: Records, diary: Diary, ids: Ids, rng: Random) -> Database:
    """A league in each club, four teams each: some results, some still to be reported, some matches to come."""
    tables: Database = {"leagues": {}, "teams": {}, "fixtures": {}}
    names = iter(rng.sample(TEAM_NAMES, len(TEAM_NAMES)))
    for club in CLUBS:
        sport = club.league_sport
        key = f"LG-{club.code}-{sport[:3].upper()}"
        league: Record = {
            "league_id": key,
            "club_id": f"CLUB-{club.code}",
            "name": club.league,
            "sport": sport,
            "minimum_age": 18,
            "squad_maximum": 4,
            "referee_grade": rng.choice((1, 2, 2)),
        }
        tables["leagues"][key] = league
        local = [each["member_id"] for each in members.values() if each["home_club"] == league["club_id"]]
        players = iter(rng.sample(local, len(local)))
        teams = []
        for _ in range(_TEAMS_A_LEAGUE):
            squad = [next(players), next(players)]
            team = {
                "team_id": ids.hex("TM"), "league_id": key, "name": next(names), "captain_id": squad[0],
                "players": squad,
            }  # fmt: skip
            tables["teams"][team["team_id"]] = team
            teams.append(team["team_id"])
        for fixture in _fixtures(league, teams, tables["teams"], courts, officials, diary, ids, rng):
            tables["fixtures"][fixture["fixture_id"]] = fixture
    return tables


def _fixtures(
    league: Record, teams: list[str], squads: Records, courts: Records, officials: Records, diary: Diary, ids: Ids,
    rng: Random,
) -> Iterable[Record]:  # fmt: skip
    pairs = [pair if rng.random() < 0.5 else pair[::-1] for pair in combinations(teams, 2)]
    rounds = [*pairs, *((away, home) for home, away in rng.sample(pairs, 2))]
    days = [-31, -24, -9, -6, 4, 8, 12, 15]
    grounds = [each["court_id"] for each in courts.values() if each["club_id"] == league["club_id"]]
    grounds = [key for key in grounds if courts[key]["sport"] == league["sport"]]
    able = [
        key
        for key, each in officials.items()
        if league["sport"] in each["sports"] and each["grade"] >= league["referee_grade"]
    ]
    for offset, (home, away) in zip(days, rounds, strict=True):
        court, starts = rng.choice(grounds), at(day(offset), rng.choice(("18:00", "18:30", "19:00", "19:30")))
        diary.take(court, starts, 120)
        status = "reported" if offset < -14 else "played" if offset < 0 else "scheduled"
        score = rng.choice(((3, 0), (2, 1), (1, 2), (0, 3), (3, 0), (2, 1))) if status == "reported" else (None, None)
        postponed = status == "scheduled" and rng.random() < 0.4
        yield {
            "fixture_id": ids.hex("FX"),
            "league_id": league["league_id"],
            "home_team": home,
            "away_team": away,
            "court_id": court,
            "referee_id": None if status == "scheduled" and (postponed or rng.random() < 0.5) else rng.choice(able),
            "starts": starts,
            "status": status,
            "postponed_by": squads[rng.choice((home, away))]["captain_id"] if postponed else None,
            "home_score": score[0],
            "away_score": score[1],
            "reported_by": squads[home]["captain_id"] if status == "reported" else None,
        }


def court_bookings(
    members: Records, courts: Records, plans: Records, clubs: Records, harm: Records, diary: Diary, ids: Ids,
    rng: Random,
) -> dict[str, Record]:  # fmt: skip
    """Bookings of members in their home clubs: to come (some within a day), played, and a few cancelled."""
    bookings: dict[str, Record] = {}
    hurt = {each["member_id"] for each in harm.values() if each["status"] == "open"}
    for number, (key, member) in enumerate(members.items()):
        coming = 4 if number % 6 == 3 else rng.choice((1, 2, 2))
        if member["frozen_from"] or key in hurt:
            coming = 0
        plan = [("confirmed", rng.randint(2, 14)) for _ in range(coming)]
        plan += [("played", -rng.randint(1, 26)) for _ in range(rng.choice((0, 1, 1)))]
        if coming and rng.random() < 0.4:
            plan[0] = ("confirmed", 0)
        if rng.random() < 0.12:
            plan.append(("cancelled", rng.randint(1, 12)))
        for status, offset in plan:
            booking = _booking(member, status, offset, courts, plans, clubs, ids, rng)
            if status == "cancelled" or diary.take(booking["court_id"], booking["starts"], booking["minutes"]):
                bookings[booking["booking_id"]] = booking
    return bookings


def _booking(
    member: Record, status: str, offset: int, courts: Records, plans: Records, clubs: Records, ids: Ids, rng: Random
) -> Record:
    court = rng.choice([each for each in courts.values() if each["club_id"] == member["home_club"]])
    latest = "17:00" if not court["indoor"] else "20:00"
    starts = at(day(offset), some_clock(rng, "11:00" if offset == 0 else "09:00", latest, 60))
    minutes = rng.choice((60, 60, 90, 120))
    price = court_price(court, plans[member["plan_id"]], minutes)
    back = rng.choice(("card", "credit")) if status == "cancelled" else None
    return {
        "booking_id": ids.hex("CB"),
        "member_id": member["member_id"],
        "court_id": court["court_id"],
        "starts": starts,
        "minutes": minutes,
        "guests": rng.choice((0, 0, 0, 1)),
        "price": price,
        "paid_by": rng.choice(("card", "card", "credit")),
        "status": status,
        "refund": price if back else None,
        "refund_to": back,
    }


def complaints(bookings: Records, ids: Ids, rng: Random) -> dict[str, Record]:
    """Complaints about some of the courts that were played on."""
    found: dict[str, Record] = {}
    for booking in bookings.values():
        if booking["status"] == "played" and rng.random() < 0.14:
            key, topic = ids.hex("CM"), rng.choice(sorted(COMPENSATION_PERCENT))
            found[key] = {
                "complaint_id": key,
                "member_id": booking["member_id"],
                "booking_id": booking["booking_id"],
                "topic": topic,
                "amount": round(booking["price"] * COMPENSATION_PERCENT[topic] / 100, 2),
                "payout": rng.choice(("card", "credit")),
                "filed_at": min(shifted(booking["starts"], rng.choice((150, 900, 1500))), NOW),
            }
    return found
