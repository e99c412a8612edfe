"""What is special about the sports clubs: courts that are never let twice, queues that move up, rules that refuse."""

from itertools import pairwise
from typing import Any

import pytest

from tests.reference.rehearsal import Stage, whole_database
from toolscale.artifacts import PRESENT, Call, CallOutcome
from toolscale.reference.domain import reference_domain
from toolscale.reference.moments import NOW, day, shifted
from toolscale.reference.sport.functions.bookings import COMPENSATION_PERCENT
from toolscale.reference.sport.functions.injuries import WEEKS_OF_REST
from toolscale.reference.voices import VOICES

SPORT = reference_domain("sport")
Record = dict[str, Any]


@pytest.fixture(scope="module")
def stage() -> Stage:
    return Stage("sport", seed=3)


def rows(stage: Stage, table: str, **fields: Any) -> list[Record]:
    """The records of a table with these values."""
    database: Any = stage.database
    return [each for each in database[table].values() if all(each[name] == value for name, value in fields.items())]


def outcomes(stage: Stage, *calls: Call) -> list[CallOutcome]:
    return list(stage.sandbox.run(list(calls)).outcomes)


def ask(stage: Stage, name: str, **arguments: Any) -> CallOutcome:
    return outcomes(stage, Call(name=name, arguments=arguments))[0]


def result(stage: Stage, name: str, **arguments: Any) -> Any:
    outcome = ask(stage, name, **arguments)
    assert outcome.ok, outcome.error
    return outcome.result


@pytest.mark.parametrize("seed", [0, 1, 7])
def test_no_court_is_let_twice_at_a_time(seed: int) -> None:
    database: Any = whole_database(SPORT, seed)
    taken: dict[str, list[tuple[str, str]]] = {}
    for booking in database["court_bookings"].values():
        if booking["status"] != "cancelled":
            ends = shifted(booking["starts"], booking["minutes"])
            taken.setdefault(booking["court_id"], []).append((booking["starts"], ends))
    for fixture in database["fixtures"].values():
        taken.setdefault(fixture["court_id"], []).append((fixture["starts"], shifted(fixture["starts"], 120)))
    for times in taken.values():
        times.sort()
        assert all(ends <= begins for (_, ends), (begins, _) in pairwise(times))


def test_injured_and_frozen_members_have_no_court_to_come() -> None:
    database: Any = whole_database(SPORT, 0)
    resting = {each["member_id"] for each in database["injuries"].values() if each["status"] == "open"}
    resting |= {key for key, each in database["members"].items() if each["frozen_from"]}
    assert resting
    for booking in database["court_bookings"].values():
        assert booking["status"] != "confirmed" or booking["member_id"] not in resting


def test_a_court_found_free_can_be_booked_once_at_the_price_it_was_found_for(stage: Stage) -> None:
    free_of_care = {each["member_id"] for each in rows(stage, "members", frozen_from=None)}
    free_of_care -= {each["member_id"] for each in rows(stage, "injuries", status="open")}
    booked = [each["member_id"] for each in rows(stage, "court_bookings", status="confirmed")]
    member = next(key for key in sorted(free_of_care) if booked.count(key) < 3)
    where = {"day": day(20), "start": "12:00", "minutes": 90}
    club = rows(stage, "members", member_id=member)[0]["home_club"]
    found = result(stage, "search_courts", member_id=member, club_id=club, sport="padel", **where)
    book = Call(name="book_court", arguments={"member_id": member, "court_id": found[0]["court_id"], **where})
    first, second = outcomes(stage, book, book)
    assert first.ok
    assert first.result["price"] == found[0]["price"]  # type: ignore[index, call-overload]
    assert "is taken" in (second.error or "")


def test_a_court_is_cancelled_a_day_before_and_never_twice(stage: Stage) -> None:
    limit = shifted(NOW, 24 * 60)
    late = next(each for each in rows(stage, "court_bookings", status="confirmed") if NOW < each["starts"] < limit)
    early = next(each for each in rows(stage, "court_bookings", status="confirmed") if each["starts"] > limit)
    refused = ask(stage, "cancel_court_booking", booking_id=late["booking_id"], refund_to="card")
    assert "could be cancelled or moved until" in (refused.error or "")
    cancel = Call(name="cancel_court_booking", arguments={"booking_id": early["booking_id"], "refund_to": "credit"})
    first, second = outcomes(stage, cancel, cancel)
    member = rows(stage, "members", member_id=early["member_id"])[0]
    credit = first.result["credit"]  # type: ignore[index, call-overload]
    assert credit == pytest.approx(member["credit"] + early["price"])
    assert "is cancelled" in (second.error or "")


def test_who_gives_up_a_full_class_makes_room_for_the_first_who_waits(stage: Stage) -> None:
    waiting: dict[str, list[tuple[str, str]]] = {}
    for each in rows(stage, "class_places", status="waiting"):
        waiting.setdefault(each["class_id"], []).append((each["asked_at"], each["place_id"]))
    place = next(each for each in rows(stage, "class_places", status="booked") if each["class_id"] in waiting)
    replay = stage.sandbox.run([Call(name="leave_class", arguments={"place_id": place["place_id"]})])
    changed: Any = {ref.key: record for ref, record in replay.changes.items()}
    first_in_line = min(waiting[place["class_id"]])[1]
    assert changed[first_in_line]["status"] == "booked"
    assert changed[place["place_id"]]["status"] == "cancelled"
    assert place["class_id"] not in changed


def test_only_a_full_class_has_a_waiting_list(stage: Stage) -> None:
    hurt = {each["member_id"] for each in rows(stage, "injuries", status="open")}
    member = next(each for each in rows(stage, "members", frozen_from=None) if each["member_id"] not in hurt)
    roomy = next(each for each in rows(stage, "classes") if each["places_left"] and each["starts"] > NOW)
    full = next(each for each in rows(stage, "classes", places_left=0))
    for lesson, wait in ((roomy, True), (full, False)):
        refused = ask(
            stage, "join_class", member_id=member["member_id"], class_id=lesson["class_id"], waiting_list=wait
        )
        assert refused.error_type == "ValueError"


def test_an_open_injury_keeps_its_member_from_playing_until_a_note_of_the_right_date(stage: Stage) -> None:
    ready = next(each for each in rows(stage, "injuries", status="open") if each["earliest_return"] < day(0))
    court = rows(stage, "courts")[0]["court_id"]
    book = Call(
        name="book_court",
        arguments={
            "member_id": ready["member_id"],
            "court_id": court,
            "day": day(20),
            "start": "12:00",
            "minutes": 60,
        },
    )
    note = {"injury_id": ready["injury_id"], "seen_on": PRESENT.date().isoformat()}
    early = {**note, "seen_on": ready["happened_on"]}
    before, too_early, cleared, after = outcomes(
        stage,
        book,
        Call(name="submit_doctors_note", arguments=early),
        Call(name="submit_doctors_note", arguments=note),
        book,
    )
    assert "is not cleared" in (before.error or "")
    assert "must be dated from" in (too_early.error or "")
    assert cleared.ok
    assert after.ok, after.error


def test_a_cheaper_plan_waits_for_the_term_and_a_dearer_one_does_not(stage: Stage) -> None:
    bound = next(
        each
        for each in rows(stage, "members", frozen_from=None, plan_id="PLAN-CLASSIC")
        if each["contract_until"] > "2026-12-01"
    )
    cheaper = ask(stage, "change_plan", member_id=bound["member_id"], plan_id="PLAN-BASIC")
    assert bound["contract_until"] in (cheaper.error or "")
    dearer = result(stage, "change_plan", member_id=bound["member_id"], plan_id="PLAN-COMPLETE")
    assert (dearer["from"], dearer["contract_until"]) == ("2026-12-01", "2027-11-30")


def test_a_change_a_freeze_and_an_end_exclude_each_other(stage: Stage) -> None:
    member = next(each for each in rows(stage, "members", frozen_from=None, freeze_days_used=0, plan_id="PLAN-BASIC"))
    user = member["member_id"]
    change = Call(name="change_plan", arguments={"member_id": user, "plan_id": "PLAN-COMPLETE"})
    freeze = Call(name="freeze_membership", arguments={"member_id": user, "first_day": day(30), "days": 14})
    end = Call(name="end_membership", arguments={"member_id": user, "last_day": day(800), "reason": "cost"})
    for first, second in (
        (change, end),
        (freeze, change),
        (freeze, end),
        (end, freeze),
        (end, change),
        (change, freeze),
    ):
        entered, refused = outcomes(stage, first, second)
        assert entered.ok, entered.error
        assert refused.error_type == "ValueError", (first.name, second.name)


def test_a_frozen_contract_runs_on_for_as_many_days(stage: Stage) -> None:
    busy = {each["member_id"] for each in rows(stage, "court_bookings", status="confirmed")}
    member = next(
        each
        for each in rows(stage, "members", frozen_from=None, freeze_days_used=0)
        if each["member_id"] not in busy and each["contract_until"] > day(60)
    )
    done = result(stage, "freeze_membership", member_id=member["member_id"], first_day=day(10), days=14)
    assert shifted(f"{member['contract_until']}T00:00", 14 * 24 * 60)[:10] == done["contract_until"]
    assert done["frozen_until"] == day(23)


def test_the_table_counts_every_reported_match_once(stage: Stage) -> None:
    for league in rows(stage, "leagues"):
        table = result(stage, "get_standings", league_id=league["league_id"])
        reported = rows(stage, "fixtures", league_id=league["league_id"], status="reported")
        assert sum(row["played"] for row in table) == 2 * len(reported)
        assert sum(row["points"] for row in table) == 3 * len(reported)
        assert sum(row["difference"] for row in table) == 0
        assert [row["points"] for row in table] == sorted((row["points"] for row in table), reverse=True)


def test_a_result_is_reported_by_a_captain_and_once(stage: Stage) -> None:
    fixture = rows(stage, "fixtures", status="played")[0]
    team = rows(stage, "teams", team_id=fixture["home_team"])[0]
    mate = next(player for player in team["players"] if player != team["captain_id"])
    score = {"fixture_id": fixture["fixture_id"], "home_score": 2, "away_score": 1}
    by_captain = Call(name="report_result", arguments={**score, "member_id": team["captain_id"]})
    by_mate = Call(name="report_result", arguments={**score, "member_id": mate})
    stranger, first, second = outcomes(stage, by_mate, by_captain, by_captain)
    assert "only the two captains" in (stranger.error or "")
    assert first.ok
    assert "is reported" in (second.error or "")


def test_a_postponed_fixture_loses_its_referee_and_moves_no_more(stage: Stage) -> None:
    fixture = next(
        each for each in rows(stage, "fixtures", status="scheduled", postponed_by=None) if each["referee_id"]
    )
    captain = rows(stage, "teams", team_id=fixture["home_team"])[0]["captain_id"]
    for later in range(1, 8):
        target = shifted(fixture["starts"], later * 24 * 60)[:10]
        asked = {"fixture_id": fixture["fixture_id"], "member_id": captain, "day": target}
        postpone = Call(name="postpone_fixture", arguments=asked)
        first, second = outcomes(stage, postpone, postpone)
        if first.ok:
            assert first.result["referee_id"] is None  # type: ignore[index, call-overload]
            assert "was postponed before" in (second.error or "")
            return
    raise AssertionError("the court is taken on every day of a week")


def test_upper_tier_tickets_stay_and_others_come_back_less_a_tenth(stage: Stage) -> None:
    ahead = {each["match_id"] for each in rows(stage, "matches") if each["starts"] > shifted(NOW, 48 * 60)}
    tickets = [each for each in rows(stage, "tickets") if each["match_id"] in ahead]
    upper = next(each for each in tickets if each["category"] == "upper tier")
    lower = next(each for each in tickets if each["category"] == "lower tier")
    refused = ask(stage, "return_tickets", ticket_id=upper["ticket_id"], refund_to="card")
    assert "cannot be returned" in (refused.error or "")
    done = result(stage, "return_tickets", ticket_id=lower["ticket_id"], refund_to="card")
    assert done["refund"] == pytest.approx(lower["price"] * 0.9)


def test_constants_of_the_functions_are_those_of_the_catalogue(stage: Stage) -> None:
    sources = "\n".join(function.source for function in SPORT.functions)
    assert f"COMPENSATION_PERCENT = {COMPENSATION_PERCENT}" in sources
    assert f"WEEKS_OF_REST = {WEEKS_OF_REST}" in sources


def test_every_program_has_voices_of_its_own() -> None:
    for program in SPORT.programs:
        assert {"plain", "terse", "chatty", "formal"} <= program.voices.keys() <= VOICES.keys(), program.name
        for twist in program.twists:
            assert len(twist.voices) >= 3, twist.name
    assert set().union(*(program.voices for program in SPORT.programs)) == VOICES.keys()
