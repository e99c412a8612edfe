"""Programs about the leagues: results, postponements, referees, squads, the table."""

from random import Random

from toolscale.reference.moments import some_day
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Reply, Twist, World, choose, do, pick
from toolscale.reference.sport.programs.common import IN_TWO_DAYS, Record, Step, fit, members, seen
from toolscale.reference.sums import shown


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


def _report(facts: Facts) -> Policy:
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


REPORT = Program(
    "report_result",
    "Report the result of a league match",
    {
        "plain": "I am captain and want to report a result: {fixture_id} ended {home:int} to {away:int}, the home "
        "team's matches first. Please enter that. Which team was at home, and who leads the table now?",
        "terse": "result {fixture_id}: home {home:int}, visitors {away:int}. name of home team? leaders now?",
        "chatty": "What an evening we had! For {fixture_id} please put down {home:count} for the home team and "
        "{away:count} for the visitors. What is that home team called again, and who is on top of the table now?",
        "formal": "As a captain I report the result of {fixture_id}: {home:count} for the home team and {away:count} "
        "for the visitors. Kindly enter it and name the home team and the present leaders of the table.",
        "non_native": "I am the captain, the result of {fixture_id} is {home:count} for the team of home and "
        "{away:count} for the guests; please write it, and say who was the home team and who is now first in the "
        "table.",
    },
    _draw_result,
    _report,
    (
        Twist(
            "another score",
            "change_of_mind",
            {
                "plain": "Hold on, I misread the sheet: it was {home_again:count} for the home team and "
                "{away_again:count} for the visitors.",
                "terse": "correction: home {home_again:int}, visitors {away_again:int}.",
                "chatty": "Oh dear, I was holding the sheet upside down, it is {home_again:count} for the home team "
                "and {away_again:count} for the visitors!",
                "formal": "I must rectify this: the home team won {home_again:count} and the visitors "
                "{away_again:count}.",
            },
            draw=_another_score,
        ),
    ),
)


def _postpone(facts: Facts) -> Policy:
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


POSTPONE = Program(
    "postpone_fixture",
    "Postpone a league match to a later day",
    {
        "plain": "[Half of my team is ill|My team mate is away], so as captain I ask you to postpone {fixture_id} to "
        "{day:date}. On which court and at what time do we play then?",
        "terse": "captain here: postpone {fixture_id} to {day:date}. court + hour then?",
        "chatty": "We are [all in bed with a cold|stuck at a wedding], my poor team, so please postpone {fixture_id} "
        "to {day:date}, I am the captain! Which court is it and at what hour?",
        "formal": "In my capacity as captain I request that {fixture_id} be postponed to {day:date}; please confirm "
        "the court and the hour.",
        "hurried": "Captain, no time: {fixture_id} has to be postponed to {day:date}, which court, what hour?",
    },
    _draw_postponement,
    _postpone,
    (
        Twist(
            "not if a referee is assigned",
            "condition",
            {
                "plain": "If a referee has been assigned already, leave it alone and just tell me the referee's name.",
                "terse": "not if it has a referee, then just the referee's name.",
                "chatty": "But if some poor referee is assigned already, leave it and just tell me the referee's name!",
                "formal": "If a referee is already assigned, please desist and state only the referee's name.",
            },
            sets={"unless_referee": True},
        ),
        Twist(
            "another day",
            "change_of_mind",
            {
                "plain": "I have just heard from the others that {other_day:date} is better, so take that day.",
                "terse": "others prefer {other_day:date}, use that.",
                "chatty": "Ah, my phone just buzzed, the others say {other_day:date}, so let it be that day!",
                "formal": "The other team has since proposed {other_day:date}, which is to be taken instead.",
            },
            draw=lambda world, rng, facts: {"other_day": some_day(rng, 16, 23)},
        ),
    ),
)


def _referee(facts: Facts) -> Policy:
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


REFEREE = Program(
    "assign_referee",
    "Assign the cheapest referee to a league match",
    {
        "plain": "There is no referee yet for {fixture_id}. Please assign the cheapest one who may do it. Who is it, "
        "and what does each team pay?",
        "terse": "{fixture_id} needs a referee, cheapest eligible. name + fee per team?",
        "chatty": "Last time we [argued about every ball|had no referee and nearly came to blows], so please get the "
        "cheapest referee you have for {fixture_id}! Who comes, and what is each team's share?",
        "formal": "For {fixture_id} a referee remains to be assigned; please choose the one with the lowest fee, and "
        "state the name and the share of each team.",
        "confused": "We need somebody with a whistle for {fixture_id}, is that called a referee? The cheapest will do; "
        "who is it, and what has each team to pay?",
    },
    _draw_without_referee,
    _referee,
    (
        Twist(
            "of a certain grade",
            "constraint",
            {
                "plain": "The referee must have grade {grade:int} or higher.",
                "terse": "grade {grade:int} or up.",
                "chatty": "But somebody with grade {grade:int} or better, we are quite serious by now!",
                "formal": "A referee of grade {grade:int} or above is required.",
            },
            draw=lambda world, rng, facts: {"grade": rng.choice((2, 3))},
        ),
        Twist(
            "a limit on the fee",
            "condition",
            {
                "plain": "If the referee's whole fee is above {most:money} EUR, assign nobody and tell me who it would "
                "have been and the fee.",
                "terse": "fee above {most:money} EUR: nobody, just name + fee.",
                "chatty": "If even the cheapest asks more than {most:money} EUR in all, we whistle ourselves, so then "
                "assign nobody and tell me the name and the fee!",
                "formal": "Should the entire fee exceed {most:money} EUR, no assignment is desired, only the name and "
                "the fee.",
            },
            draw=lambda world, rng, facts: {"most": rng.choice((30.0, 36.0, 42.0, 50.0))},
        ),
    ),
    again="fixture_id",
)


def my_team(facts: Facts) -> Step:
    """The only team that the member leads, or else plays for."""
    teams = yield do("list_teams", member_id=facts["member_id"])
    return (yield choose(teams, key=lambda each: not each["captain"]))


def _add(facts: Facts) -> Policy:
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
    club = seen(world, "leagues", team["league_id"])["club_id"]
    playing = {player for each in world.rows("teams") for player in each["players"]}
    others = [each["member_id"] for each in fit(world) if each["member_id"] not in playing]
    near = [key for key in others if seen(world, "members", key)["home_club"] == club]
    return {"member_id": team["captain_id"], "player": pick(rng, near or others)}


ADD_PLAYER = Program(
    "add_player",
    "Add a member to one's league team",
    {
        "plain": "[We are one short|We need a substitute], so as captain I want to add the member with the number "
        "{player} to my team. Please do so. What is the full name of the new player, and under which name does our "
        "team play?",
        "terse": "add member {player} to my league team, i'm captain. player's name + our team name?",
        "chatty": "I met somebody at the bar who plays like a dream! Member number {player}, please add that to my "
        "team, I am the captain! And what was the name, for the shirt, and how do you spell our team?",
        "formal": "As captain I request that the member with the number {player} be added to my team; please confirm "
        "the name of the player and that of the team.",
        "non_native": "I am captain and want the member number {player} also in my team; please say how is the name of "
        "this person, and how my team is written.",
    },
    _draw_player,
    _add,
)


def _standing(facts: Facts) -> Policy:
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


STANDING = Program(
    "league_standing",
    "Ask for the table of one's league",
    {
        "plain": "Which team leads the league that I play in, and how many points has mine? I also need the full names "
        "of the players who are entered for my team.",
        "terse": "my league: who leads, how many points do we have, who is entered in our squad (full names)?",
        "chatty": "My brother asks about our league every day: who is on top, how many points have we got, and what "
        "are the full names of everybody entered for our team?",
        "formal": "Please name the leaders of the league in which I compete, the points of my own team, and the "
        "players entered for it in full.",
        "hurried": "Who leads my league, our points, and the names in our squad, go!",
    },
    _draw_playing,
    _standing,
    unknown="[I do not know the number of the league.|I have no idea how the league is numbered.]",
)


def _next_match(facts: Facts) -> Policy:
    mine = yield from my_team(facts)
    team = yield do("get_team", team_id=mine["team_id"])
    coming = [each for each in team["fixtures"] if each["status"] == "scheduled"]
    if not coming:
        raise DeadEnd("nothing is to come")
    fixture = yield choose(coming, key=lambda each: each["starts"])
    rival = fixture["away"] if fixture["home_team"] == team["team_id"] else fixture["home"]
    text = f"You meet {rival} on {fixture['day']} at {fixture['start']}, on {fixture['court']}."
    return Reply(text, (rival, fixture["day"], fixture["start"], fixture["court"]))


NEXT_MATCH = Program(
    "next_league_match",
    "Ask when, where and against whom the next league match is",
    {
        "plain": "When is the next league match of my team, against whom, and on which court? I need the date and the "
        "time.",
        "terse": "our next league match: opponent, date, time, court?",
        "chatty": "My team is asking me and I have [no clue|lost the list]: against whom is our next league match, on "
        "what day and at what time, on which court?",
        "formal": "Please advise me of the next league match of my team, that is, of the opponent, the date, the hour "
        "and the court.",
        "confused": "There is a league match of ours soon, but against whom was it, and when, and on which court?",
    },
    _draw_playing,
    _next_match,
    unknown="[I do not have the list of fixtures.|I have lost the list of fixtures.]",
)

LEAGUES = (REPORT, POSTPONE, REFEREE, ADD_PLAYER, STANDING, NEXT_MATCH)
