"""What tasks tell and look up is what their users ask for, seen on tasks drawn from fixed seeds and in the programs."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.reference.drawn import drawn, followed, stage_of
from toolscale.environment import Session
from toolscale.reference import teacher
from toolscale.reference.domain import reference_domain, reference_domains
from toolscale.reference.program import CallRefused, DeadEnd, Goal, World, asked_last, calls

PRESCRIBED = {
    "ecommerce": {"get_cart", "get_order", "list_reviews", "list_stock_alerts", "list_subscriptions"},
    "weather": {"get_customer", "list_alerts"},
}
"""What the policy has the agent read before it writes."""


@pytest.mark.parametrize("name", reference_domains())
def test_nothing_told_of_a_request_is_made_stale_by_a_later_one(name):
    for each in drawn(name):
        assert not each.stale, each.task.instruction


@pytest.mark.parametrize("name", reference_domains())
def test_what_a_request_tells_is_not_said_in_another(name):
    for each in drawn(name):
        said = each.made.draft["reason_for_call"].splitlines()
        for goal, reply in zip(each.goals, each.replies, strict=True):
            own, said = said[: (size := 1 + len(goal.twists) + len(goal.repeats))], said[size:]
            rest = [each.made.draft[part] for part in ("known_info", "unknown_info")]
            for fact in {*reply.tell} - {*each.task.communicate_info}:
                assert any(re.search(re.escape(fact), line, re.IGNORECASE) for line in (*own, *rest)), fact


@pytest.mark.parametrize("name", reference_domains())
def test_a_question_beside_the_requests_comes_last_and_none_of_them_speaks_of_after_this(name):
    for each in drawn(name):
        questions = [twist for goal in each.goals[:-1] for twist, _ in goal.twists if twist.after and not twist.takes]
        assert questions == [], each.task.instruction
    for twist in reference_domain(name).twists:
        for line in twist.voices.values() if twist.after and not twist.takes else ():
            assert not re.search(r"\b(after (this|that)|afterwards|thereafter|that is done|that is settled)\b", line), (
                line
            )


def test_a_request_that_writes_comes_before_those_that_only_ask():
    domain = reference_domain("sport")
    programs = {each.name: Goal(each, {}) for each in domain.programs}
    asks, moves = programs["next_court"], programs["swap_for_a_cheaper_court"]
    assert calls(moves.program.solve, domain.writes)
    assert not calls(asks.program.solve, domain.writes)
    assert teacher.before_questions([asks, moves], domain) == [moves, asks]
    assert teacher.before_questions([moves, asks], domain) == [moves, asks]
    assert teacher.before_questions([asks, asks, moves], domain) == [moves, asks, asks]


def test_questions_are_answered_after_all_requests():
    domain = reference_domain("travel")
    points = next(twist for twist in domain.twists if twist.name == "how many points there are")
    first, second = (Goal(program, {}) for program in domain.programs[:2])
    assert asked_last([first.with_twist(points, {}), second]) == [first, second.with_twist(points, {})]


@pytest.mark.parametrize("name", reference_domains())
def test_a_question_added_to_a_request_has_a_fact_to_tell(name):
    stage = stage_of(name)
    world = World(stage.database, stage.domain.identity)
    questions = [(each, twist) for each in stage.domain.programs for twist in each.twists if _asks_to_be_told(twist)]
    for program, twist in Random(name).sample(questions, min(2, len(questions))):
        more = _told(stage, world, program, twist)
        assert more is None or more, (program.name, twist.name)


def _asks_to_be_told(twist):
    return twist.operator == "lookup" and re.search(r"\?|tell|know|name", twist.voices["plain"])


def _told(stage, world, program, twist):
    """What is told for a twist that is not told without it; None where no draw has both."""
    for seed in range(4):
        try:
            facts = program.draw(world, Random(seed))
            goal = Goal(program, facts)
            asked = goal.with_twist(twist, twist.draw(world, Random(seed), facts))
            return _tell(stage, asked) - _tell(stage, goal)
        except (DeadEnd, CallRefused):
            continue
    return None


def _tell(stage, goal):
    _, reply = followed(Session(stage.sandbox), goal)
    return {*reply.tell}


@pytest.mark.parametrize("name", reference_domains())
def test_no_program_reads_what_nothing_it_does_or_tells_needs(name):
    domain = reference_domain(name)
    refusals = {program.solve.__name__ for program in domain.programs if program.refusal}
    prescribed = PRESCRIBED.get(name, set())
    idle = [
        f"{path.name}:{line} {function}"
        for path in sorted((domain.folder / "programs").glob("*.py"))
        for solution in _functions(path)
        if solution.name not in refusals
        for function, line in _idle_reads(solution, domain.writes)
        if function not in prescribed
    ]
    assert idle == []


def _functions(path: Path) -> Iterator[ast.FunctionDef]:
    return (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef))


def _idle_reads(solution: ast.FunctionDef, writes: frozenset[str]) -> list[tuple[str, int]]:
    """The reads of a solution whose result only guards (`if ...: raise`) and the reply's text look at."""
    reads: list[tuple[str, str, int]] = []
    made_of: dict[str, set[str]] = {}
    live: set[str] = set()
    for node in _statements(solution.body):
        match node:
            case ast.Assign(value=ast.Yield(value=call)) | ast.Expr(value=ast.Yield(value=call)) if _called(call):
                live |= _names(call)
                if _called(call) not in writes:
                    kept = ast.unparse(node.targets[0]) if isinstance(node, ast.Assign) else ""
                    reads.append((kept, _called(call), node.lineno))
            case ast.Assign(targets=targets, value=value) if not _asks(value):
                for name in set().union(*map(_targets, targets)):
                    made_of.setdefault(name, set()).update(_names(value))
            case ast.For(target=target, iter=source):
                for name in _targets(target):
                    made_of.setdefault(name, set()).update(_names(source))
            case ast.If(test=test, body=[ast.Raise()], orelse=[]):
                pass
            case ast.If(test=test):
                live |= _names(test)
            case ast.Return(value=ast.Call(func=ast.Name(id="Reply"), args=[_, *told])):
                live |= set().union(*map(_names, told))
            case _:
                live |= _names(node)
    while more := {name for made, names in made_of.items() if made in live for name in names} - live:
        live |= more
    return [(function, line) for name, function, line in reads if name not in live]


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Every statement; of those that hold others, the head comes first."""
    for node in body:
        if not isinstance(node, ast.Raise | ast.FunctionDef | ast.Try | ast.With):
            yield node
        for part in ("body", "orelse", "finalbody"):
            yield from _statements(getattr(node, part, []))


def _called(call: ast.expr | None) -> str:
    """The function that ``do("name", ...)`` asks for; empty if it is something else."""
    match call:
        case ast.Call(func=ast.Name(id="do"), args=[ast.Constant(value=str(name))]):
            return name
    return ""


def _asks(value: ast.expr) -> bool:
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(value))


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)}


def _targets(node: ast.expr) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _draws(name, program_name, *twist_names):
    """Goals of a program with some of its twists, as far as they can be drawn, and what came of each."""
    stage = stage_of(name)
    world = World(stage.database, stage.domain.identity)
    program = next(each for each in stage.domain.programs if each.name == program_name)
    for seed in range(12):
        try:
            goal = Goal(program, program.draw(world, Random(seed)))
            for twist in (each for each in program.twists if each.name in twist_names):
                goal = goal.with_twist(twist, twist.draw(world, Random(seed), goal.facts))
            answers, _ = followed(Session(stage.sandbox), goal)
        except (DeadEnd, CallRefused):
            continue
        yield goal.facts, answers


def test_who_names_the_highest_price_neither_books_nor_waits_above_it():
    prices = {row["departure_id"]: row["price"] for row in stage_of("travel").database["departures"].values()}
    kept = waited = 0
    for facts, answers in _draws("travel", "book_tour_or_wait", "a limit for each traveller, even to wait"):
        written = [call for call, _ in answers if call.name in ("book_tour", "join_waitlist")]
        assert all(prices[call.arguments["departure_id"]] <= facts["most_each"] for call in written)
        kept += not written
        waited += any(call.name == "join_waitlist" for call in written)
    assert kept
    assert waited or len(prices) < 5


@pytest.mark.parametrize(
    "program",
    ["see_general_practitioner", "use_referral_cheaply", "earliest_specialist", "cheapest_dermatologist", "follow_up"],
)
def test_nobody_is_seen_in_person_in_another_city(program):
    database = stage_of("medicine").database
    booked = 0
    for facts, answers in _draws("medicine", program):
        home = database["patients"][facts["patient_id"]]["home_clinic_id"]
        for call, visit in answers:
            if call.name == "book_appointment":
                booked += 1
                there = database["practitioners"][visit["practitioner_id"]]["clinic_id"]
                assert visit["mode"] == "video" or there == home, visit
    assert booked
