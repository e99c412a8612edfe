"""Programs about the leagues: results, postponements, referees, squads, the table."""

from random import Random

from toolscale.reference.kit import known, must
from toolscale.reference.moments import some_day
from toolscale.reference.program import Facts, Reply, Solution, World, choose, do, pick
from toolscale.reference.sport.programs.common import IN_TWO_DAYS, Record, Step, fit, members
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)


def fixtures(world: World, status: str) -> list[tuple[str, Record]]:
    """Fixtures of a status, each with a captain of one of its teams who may be the user."""
    users = {each["member_id"] for each in members(world)}
    found = []
    for fixture in world.rows("fixtures"):
        for side in ("home_team", "away_team"):
            team = world.get("teams", fixture[side])
            if team and team["captain_id"] in users and fixture["status"] == status:
                found.append((team["captain_id"], fixture))
    return found


def _report(facts: Facts) -> Solution:
    fixture = yield do("get_fixture", fixture_id=facts["fixture_id"])
    yield do(
        "report_result",
        fixture_id=facts["fixture_id"],
        member_id=facts["member_id"],
        home_score=facts.get("home_again", facts["home"]),
        away_score=facts.get("away_again", facts["away"]),
    )
    table = yield do("get_standings", league_id=fixture["league_id"])
    leader = yield choose(table, key=lambda each: each["rank"])
    text = f"Reported for {fixture['home']} against {fixture['away']}; {leader['team']} lead the table now."
    return Reply(text, (fixture["home"], leader["team"]))


def _draw_result(world: World, rng: Random) -> Facts:
    captain, fixture = pick(rng, fixtures(world, "played"))
    home, away = rng.choice(((3, 0), (2, 1), (1, 2), (0, 3)))
    return {"member_id": captain, "fixture_id": fixture["fixture_id"], "home": home, "away": away}


def _another_score(world: World, rng: Random, facts: Facts) -> Facts:
    scores = [score for score in ((3, 0), (2, 1), (1, 2), (0, 3)) if score[0] != facts["home"]]
    home, away = rng.choice(scores)
    return {"home_again": home, "away_again": away}


REPORT = WORDS.program(
    "report_result", _draw_result, _report, (WORDS.twist("another score", "change_of_mind", draw=_another_score),)
)


def _postpone(facts: Facts) -> Solution:
    if facts.get("unless_referee"):
        fixture = yield do("get_fixture", fixture_id=facts["fixture_id"])
        if fixture["referee"]:
            return Reply(f"I left it alone: {fixture['referee']} is assigned to it.", (fixture["referee"],))
    done = yield do(
        "postpone_fixture",
        fixture_id=facts["fixture_id"],
        member_id=facts["member_id"],
        day=facts.get("other_day", facts["day"]),
    )
    text = f"It is played on {done['court']} at {done['start']} on {done['day']}."
    return Reply(text, (done["court"], done["start"]))


def _draw_postponement(world: World, rng: Random) -> Facts:
    free = [each for each in fixtures(world, "scheduled") if not each[1]["postponed_by"]]
    captain, fixture = pick(rng, [each for each in free if each[1]["starts"] > IN_TWO_DAYS])
    return {"member_id": captain, "fixture_id": fixture["fixture_id"], "day": some_day(rng, 16, 23)}


POSTPONE = WORDS.program(
    "postpone_fixture",
    _draw_postponement,
    _postpone,
    (
        WORDS.twist("not if a referee is assigned", "condition", sets={"unless_referee": True}),
        WORDS.twist(
            "another day", "change_of_mind", draw=lambda world, rng, facts: {"other_day": some_day(rng, 16, 23)}
        ),
    ),
)


def _referee(facts: Facts) -> Solution:
    found = yield do("find_referees", fixture_id=facts["fixture_id"])
    suitable = [each for each in found if each["grade"] >= facts.get("grade", 1)]
    referee = yield choose(suitable, key=lambda each: each["fee"])
    if referee["fee"] > facts.get("most", referee["fee"]):
        fee = shown(referee["fee"])
        return Reply(f"I assigned nobody: {referee['name']} asks {fee} EUR.", (referee["name"], fee))
    done = yield do("assign_referee", fixture_id=facts["fixture_id"], referee_id=referee["referee_id"])
    share = shown(done["fee_a_team"])
    return Reply(f"{done['referee']} comes; each team pays {share} EUR.", (done["referee"], share))


def _draw_without_referee(world: World, rng: Random) -> Facts:
    captain, fixture = pick(rng, [each for each in fixtures(world, "scheduled") if not each[1]["referee_id"]])
    return {"member_id": captain, "fixture_id": fixture["fixture_id"]}


REFEREE = WORDS.program(
    "assign_referee",
    _draw_without_referee,
    _referee,
    (
        WORDS.twist("of a certain grade", "constraint", draw=lambda world, rng, facts: {"grade": rng.choice((2, 3))}),
        WORDS.twist(
            "a limit on the fee",
            "condition",
            draw=lambda world, rng, facts: {"most": rng.choice((30.0, 36.0, 42.0, 50.0))},
        ),
    ),
    again="fixture_id",
)


def my_team(facts: Facts) -> Step:
    """The only team that the member leads, or else plays for."""
    teams = yield do("list_teams", member_id=facts["member_id"])
    return (yield choose(teams, key=lambda each: not each["captain"]))


def _add(facts: Facts) -> Solution:
    team = yield from my_team(facts)
    done = yield do(
        "add_player",
        team_id=team["team_id"],
        captain_id=facts["member_id"],
        player_id=facts["player"],
    )
    text = f"{done['player']} now plays for {done['team']} in the {done['league']}."
    return Reply(text, (done["player"], done["team"]))


def _draw_player(world: World, rng: Random) -> Facts:
    users = {each["member_id"] for each in members(world)}
    team = pick(rng, [each for each in world.rows("teams") if each["captain_id"] in users])
    club = known(world, "leagues", team["league_id"])["club_id"]
    playing = {player for each in world.rows("teams") for player in each["players"]}
    others = [each["member_id"] for each in fit(world) if each["member_id"] not in playing]
    near = [key for key in others if known(world, "members", key)["home_club"] == club]
    return {"member_id": team["captain_id"], "player": pick(rng, near or others)}


ADD_PLAYER = WORDS.program("add_player", _draw_player, _add)


def _standing(facts: Facts) -> Solution:
    team = yield from my_team(facts)
    table = yield do("get_standings", league_id=team["league_id"])
    leader = yield choose(table, key=lambda each: each["rank"])
    mine = yield choose([each for each in table if each["team_id"] == team["team_id"]], key=lambda each: each["rank"])
    squad = yield do("get_team", team_id=mine["team_id"])
    names = tuple(squad["player_names"])
    points = str(mine["points"])
    text = f"{leader['team']} lead; you are number {mine['rank']}, points: {points}. You play with {', '.join(names)}."
    return Reply(text, (leader["team"], *([points] if mine["points"] else []), *names))


def _draw_playing(world: World, rng: Random) -> Facts:
    users = {each["member_id"] for each in members(world)}
    return {"member_id": pick(rng, [key for each in world.rows("teams") for key in each["players"] if key in users])}


STANDING = WORDS.program("league_standing", _draw_playing, _standing)


def _next_match(facts: Facts) -> Solution:
    mine = yield from my_team(facts)
    team = yield do("get_team", team_id=mine["team_id"])
    coming = [each for each in team["fixtures"] if each["status"] == "scheduled"]
    must(coming, "nothing is to come")
    fixture = yield choose(coming, key=lambda each: each["starts"])
    rival = fixture["away"] if fixture["home_team"] == team["team_id"] else fixture["home"]
    text = f"You meet {rival} on {fixture['day']} at {fixture['start']}, on {fixture['court']}."
    return Reply(text, (rival, fixture["day"], fixture["start"], fixture["court"]))


NEXT_MATCH = WORDS.program("next_league_match", _draw_playing, _next_match)

LEAGUES = (REPORT, POSTPONE, REFEREE, ADD_PLAYER, STANDING, NEXT_MATCH)
