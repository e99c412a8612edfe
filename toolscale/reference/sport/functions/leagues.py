"""The clubs' leagues: teams, fixtures, results, referees."""

from datetime import timedelta
from typing import Any

from ._courts import _free
from ._shared import Database, _day, _find, _hours_until, _may_play, _now, _today

WRITES = {"add_player", "report_result", "postpone_fixture", "assign_referee"}

POSTPONE_HOURS = 48
REPORT_DAYS = 14


def _captain(db: Database, fixture: dict[str, Any], member_id: str) -> None:
    captains = [db["teams"][fixture[side]]["captain_id"] for side in ("home_team", "away_team")]
    if member_id not in captains:
        raise ValueError(f"only the two captains act for {fixture['fixture_id']}")


def _shown_fixture(db: Database, fixture: dict[str, Any]) -> dict[str, Any]:
    court, referee = db["courts"][fixture["court_id"]], db["referees"].get(fixture["referee_id"])
    return {
        **fixture,
        "league": db["leagues"][fixture["league_id"]]["name"],
        "home": db["teams"][fixture["home_team"]]["name"],
        "away": db["teams"][fixture["away_team"]]["name"],
        "court": court["name"],
        "day": fixture["starts"][:10],
        "start": fixture["starts"][11:],
        "referee": referee["name"] if referee else None,
    }


def _age(birth_date: str) -> int:
    born, today = _day(birth_date), _today()
    return today.year - born.year - ((today.month, today.day) < (born.month, born.day))


def list_teams(db: Database, member_id: str) -> list[dict[str, Any]]:
    """The teams that a member plays for, and whether as captain.

    member_id: whose teams.
    """
    _find(db, "members", member_id, "member")
    return [
        {
            "team_id": each["team_id"],
            "name": each["name"],
            "league_id": each["league_id"],
            "league": db["leagues"][each["league_id"]]["name"],
            "captain": each["captain_id"] == member_id,
        }
        for each in db["teams"].values()
        if member_id in each["players"]
    ]


def get_team(db: Database, team_id: str) -> dict[str, Any]:
    """A team: its players and its fixtures in order of time.

    team_id: from list_teams.
    """
    team = _find(db, "teams", team_id, "team")
    fixtures = [
        _shown_fixture(db, each)
        for each in db["fixtures"].values()
        if team_id in (each["home_team"], each["away_team"])
    ]
    return {
        **team,
        "player_names": [db["members"][each]["name"] for each in team["players"]],
        "fixtures": sorted(fixtures, key=lambda each: (each["starts"], each["fixture_id"])),
    }


def get_fixture(db: Database, fixture_id: str) -> dict[str, Any]:
    """A fixture in full: teams, court, time, referee, score, and who postponed it.

    fixture_id: such as FX-4F82A1.
    """
    return _shown_fixture(db, _find(db, "fixtures", fixture_id, "fixture"))


def get_standings(db: Database, league_id: str) -> list[dict[str, Any]]:
    """A league's table by reported results: three points for a win, one for a draw; then the difference in score.

    league_id: from list_teams.
    """
    _find(db, "leagues", league_id, "league")
    table = {
        each["team_id"]: {"team_id": each["team_id"], "team": each["name"], "played": 0, "points": 0, "difference": 0}
        for each in db["teams"].values()
        if each["league_id"] == league_id
    }
    for fixture in db["fixtures"].values():
        if fixture["league_id"] == league_id and fixture["status"] == "reported":
            margin = fixture["home_score"] - fixture["away_score"]
            for row, won in ((table[fixture["home_team"]], margin), (table[fixture["away_team"]], -margin)):
                row["played"] += 1
                row["points"] += 3 if won > 0 else 1 if won == 0 else 0
                row["difference"] += won
    ranked = sorted(table.values(), key=lambda each: (-each["points"], -each["difference"], each["team"]))
    return [{"rank": rank, **row} for rank, row in enumerate(ranked, 1)]


def add_player(db: Database, team_id: str, captain_id: str, player_id: str) -> dict[str, Any]:
    """Add a member to a team, at its captain's wish: old enough, fit, not in another team of the league.

    team_id: from list_teams.
    captain_id: the captain's member number.
    player_id: the new player's member number.
    """
    team, player = _find(db, "teams", team_id, "team"), _find(db, "members", player_id, "member")
    league = db["leagues"][team["league_id"]]
    if team["captain_id"] != captain_id:
        raise ValueError("only the captain adds players")
    if len(team["players"]) >= league["squad_maximum"]:
        raise ValueError(f"a squad of {league['name']} has at most {league['squad_maximum']} players")
    for each in db["teams"].values():
        if each["league_id"] == team["league_id"] and player_id in each["players"]:
            raise ValueError(f"{player['name']} plays for {each['name']} in this league")
    if _age(player["birth_date"]) < league["minimum_age"]:
        raise ValueError(f"players of {league['name']} are at least {league['minimum_age']} years old")
    _may_play(db, player, _now()[:10])
    team["players"].append(player_id)
    return {"team": team["name"], "player": player["name"], "squad": len(team["players"]), "league": league["name"]}


def report_result(db: Database, fixture_id: str, member_id: str, home_score: int, away_score: int) -> dict[str, Any]:
    """Report the score of a fixture that was played in the last 14 days, as one of the captains, once.

    fixture_id: a played fixture.
    member_id: the captain who reports.
    home_score: matches won by the home team.
    away_score: matches won by the visitors.
    """
    fixture = _find(db, "fixtures", fixture_id, "fixture")
    _captain(db, fixture, member_id)
    if fixture["status"] != "played" or _hours_until(fixture["starts"]) < -24 * REPORT_DAYS:
        raise ValueError(
            f"{fixture_id} is {fixture['status']}; a result is reported once, within {REPORT_DAYS} days of play"
        )
    if home_score < 0 or away_score < 0:
        raise ValueError("scores are not negative")
    fixture.update(status="reported", home_score=home_score, away_score=away_score, reported_by=member_id)
    return _shown_fixture(db, fixture)


def postpone_fixture(db: Database, fixture_id: str, member_id: str, day: str) -> dict[str, Any]:
    """Postpone a fixture to a later day, same court and hour, at a captain's wish: once, at least 48 hours before, by
    at most 21 days. The referee is released.

    fixture_id: a scheduled fixture.
    member_id: the captain who asks.
    day: YYYY-MM-DD.
    """
    fixture = _find(db, "fixtures", fixture_id, "fixture")
    _captain(db, fixture, member_id)
    if fixture["status"] != "scheduled" or _hours_until(fixture["starts"]) < POSTPONE_HOURS:
        raise ValueError(f"{fixture_id} is {fixture['status']} or begins in less than {POSTPONE_HOURS} hours")
    if fixture["postponed_by"] is not None:
        raise ValueError(f"{fixture_id} was postponed before; it is played on {fixture['starts'][:10]}")
    old = _day(fixture["starts"][:10])
    if not old < _day(day) <= old + timedelta(days=21):
        raise ValueError(f"the new day lies within 21 days after {old.isoformat()}")
    starts = f"{day}T{fixture['starts'][11:]}"
    if not _free(db, fixture["court_id"], starts, 120, fixture_id):
        raise ValueError("the court is taken at that time; choose another day")
    fixture.update(starts=starts, postponed_by=member_id, referee_id=None)
    return _shown_fixture(db, fixture)


def find_referees(db: Database, fixture_id: str) -> list[dict[str, Any]]:
    """Referees who may be assigned to a fixture: of the sport and grade, without another fixture that day.

    fixture_id: a scheduled fixture.
    """
    fixture = _find(db, "fixtures", fixture_id, "fixture")
    league = db["leagues"][fixture["league_id"]]
    busy = {
        each["referee_id"]
        for each in db["fixtures"].values()
        if each["starts"][:10] == fixture["starts"][:10] and each["fixture_id"] != fixture_id
    }
    return [
        dict(each)
        for each in db["referees"].values()
        if league["sport"] in each["sports"]
        and each["grade"] >= league["referee_grade"]
        and each["referee_id"] not in busy
    ]


def assign_referee(db: Database, fixture_id: str, referee_id: str) -> dict[str, Any]:
    """Assign a referee to a scheduled fixture that has none; the teams share the fee.

    fixture_id: a scheduled fixture.
    referee_id: from find_referees.
    """
    fixture, referee = _find(db, "fixtures", fixture_id, "fixture"), _find(db, "referees", referee_id, "referee")
    if fixture["status"] != "scheduled" or fixture["starts"] <= _now() or fixture["referee_id"] is not None:
        raise ValueError(f"{fixture_id} is {fixture['status']} or has a referee")
    if referee_id not in [each["referee_id"] for each in find_referees(db, fixture_id)]:
        raise ValueError(f"{referee['name']} is not free that day, or has not the sport and grade")
    fixture["referee_id"] = referee_id
    share = round(referee["fee"] / 2, 2)
    return {"fixture_id": fixture_id, "referee": referee["name"], "grade": referee["grade"], "fee_a_team": share}
