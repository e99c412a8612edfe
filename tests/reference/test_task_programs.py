"""Task programs of the reference domains: they pass the factory's trial, and the offline agent understands them."""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random

import pytest
import yaml

from tests.reference.rehearsal import Stage
from toolscale.artifacts import Bound, Goal, TaskProgram
from toolscale.checkers import GateContext
from toolscale.errors import UserError
from toolscale.programs import Dead, Solution, Workshop
from toolscale.programs.inside.driver import best
from toolscale.programs.variants import another_value, drawn_twist
from toolscale.programs.words import words
from toolscale.reference.clerk import programs as answered
from toolscale.reference.clerk import rewording
from toolscale.reference.domain import reference_domain, reference_domains
from toolscale.reference.program import DeadEnd
from toolscale.reference.program import Goal as OwnGoal
from toolscale.reference.requests import Request, read_back
from toolscale.reference.solutions import solved
from toolscale.reference.solver import Asked, openness
from toolscale.reference.task_programs import read_task_programs
from toolscale.reference.teacher import word
from toolscale.reference.voices import wording
from toolscale.synthesis.composed import goal_of, task_of
from toolscale.synthesis.program_trials import Trial, tried
from toolscale.synthesis.rewording import RewordingAnswer, in_other_words, shown
from toolscale.templates.template import Pen, render

PROGRAMS = [(name, program) for name in reference_domains() for program in reference_domain(name).task_programs]
DOMAINS = sorted({name for name, _ in PROGRAMS})
QUICK = "restaurant"

each_program = pytest.mark.parametrize(("domain", "program"), PROGRAMS, ids=lambda each: getattr(each, "name", each))


@cache
def stage(name: str) -> Stage:
    return Stage(name)


@cache
def workshop(name: str) -> Workshop:
    return Workshop(stage(name).sandbox)


@pytest.fixture(scope="module", autouse=True)
def _close_workshops() -> Iterator[None]:
    yield
    for name in DOMAINS:
        workshop(name).close()


@cache
def trial(domain: str, name: str) -> Trial:
    program = next(each for each in reference_domain(domain).task_programs if each.name == name)
    return tried(program, workshop(domain), GateContext(stage(domain).sandbox), 0)


@pytest.mark.slow
@each_program
def test_every_program_passes_its_trial_with_all_of_its_twists(domain, program):
    found = trial(domain, program.name)
    assert (found.problems, found.of_twists) == ([], {})


def test_one_of_them_does_so_quickly():
    assert trial(QUICK, "best_refund").problems == []


@pytest.mark.slow
@pytest.mark.parametrize("domain", DOMAINS)
def test_the_skeletons_of_a_domain_all_differ(domain):
    skeletons = Counter(trial(domain, program.name).skeleton for program in reference_domain(domain).task_programs)
    assert skeletons.total() == len(skeletons)


def drawn_goals(domain: str, program: TaskProgram, count: int) -> list[Goal]:
    seeds = [f"said:{number}" for number in range(16)]
    drawn = zip(seeds, workshop(domain).draw(program, seeds), strict=True)
    return [goal_of(program, seed, facts) for seed, facts in drawn if not isinstance(facts, Dead)][:count]


def harder(domain: str, program: TaskProgram, goal: Goal, others: list[Goal]) -> Iterator[Goal]:
    """The goal with each of its program's twists, a repetition with its total, and a change of mind."""
    for twist in program.twists:
        drawn = drawn_twist(workshop(domain), program, twist, goal, goal.draw)
        if not isinstance(drawn, Dead):
            yield goal.model_copy(update={"twists": [drawn]})
    if program.again and (another := another_value(workshop(domain), program, goal, program.again)) is not None:
        yield goal.model_copy(update={"repeats": [another], "totals": list(program.answers)[:1]})
    if program.changes:
        firsts = [each.facts[program.changes] for each in others]
        if first := next((value for value in firsts if value != goal.facts[program.changes]), None):
            yield goal.model_copy(update={"at_first": first})


def as_heard(program: TaskProgram, goal: Goal) -> Goal:
    """The goal as far as it is said: not its seed, nor what is only described."""
    described = {program.twist(each.name).replaces for each in goal.twists}
    facts = {name: value for name, value in goal.facts.items() if name not in described}
    return goal.model_copy(update={"draw": "", "facts": facts})


@each_program
def test_what_a_program_words_is_read_back_as_the_same_goal(domain, program):
    goals = drawn_goals(domain, program, 3)
    assert goals
    for goal in goals:
        for each in (goal, *harder(domain, program, goal, goals)):
            for number in range(len(program.wordings)):
                said = words({program.name: program}, [each], Random(goal.draw), number)
                read = read_back(domain, f"{said.text}\n{said.known}")
                assert isinstance(read, Request), said.text
                assert read.known, said.known
                assert read.goals == (as_heard(program, each),), said.text


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize(("joined", "side"), [("also", ""), ("instead", ""), ("if", "above"), ("if", "below")])
def test_several_requests_of_one_user_are_read_back_with_what_joins_them(domain, joined, side):
    programs = {program.name: program for program in reference_domain(domain).task_programs}
    pairs = 0
    for first in programs.values():
        goal = drawn_goals(domain, first, 1)[0]
        user = workshop(domain).user(first, goal.facts)
        bound = Bound(goal=0, answer=next(iter(first.answers)), **{side: 12}) if side and first.answers else None
        for second in programs.values():
            facts = workshop(domain).draw(second, ["and"], user=user)[0]
            if second is first or isinstance(facts, Dead) or (joined == "if" and bound is None):
                continue
            further = goal_of(second, "and", facts).model_copy(update={"joined": joined, "bound": bound})
            said = words(programs, [goal, further], Random(pairs), pairs)
            heard = tuple(as_heard(programs[each.program], each) for each in (goal, further))
            assert read_back(domain, f"{said.text}\n{said.known}").goals == heard, said.text
            pairs += 1
    assert pairs >= len(programs)


@pytest.mark.parametrize("domain", DOMAINS)
def test_the_agent_solves_most_of_what_is_drawn_and_not_all(domain):
    context = GateContext(stage(domain).sandbox)
    solved = []
    for program in reference_domain(domain).task_programs:
        for goal in drawn_goals(domain, program, 2):
            solution = workshop(domain).solve({program.name: program}, [goal])
            if isinstance(solution, Solution):
                task = task_of(domain, {program.name: program}, [goal], solution, seed=goal.draw)
                attempts = [stage(domain).attempt(task, seed) for seed in range(4)]
                solved += [context.judge(task, *attempt).solved for attempt in attempts]
    assert 0.5 < sum(solved) / len(solved) < 0.98


@pytest.mark.parametrize("domain", DOMAINS)
def test_requests_in_other_words_hold_and_are_read_as_the_same_goals(domain):
    context = GateContext(stage(domain).sandbox)
    changed = tasks = 0
    for program in reference_domain(domain).task_programs:
        for goal in drawn_goals(domain, program, 2):
            solution = workshop(domain).solve({program.name: program}, [goal])
            if not isinstance(solution, Solution):
                continue
            task = task_of(domain, {program.name: program}, [goal], solution, seed=goal.draw)
            said = rewording(reference_domain(domain), shown([task], context.facts), 0)
            answer = RewordingAnswer.model_validate(said)
            new = in_other_words(task, answer.requests[0], context)
            assert read_back(domain, new.instruction) == read_back(domain, task.instruction)
            tasks += 1
            changed += new.instruction != task.instruction
    assert tasks / 3 < changed < tasks


@pytest.mark.parametrize("domain", DOMAINS)
def test_the_blind_solver_takes_what_the_program_writes_and_nothing_else(domain):
    asked = 0
    for program in reference_domain(domain).task_programs:
        goal = drawn_goals(domain, program, 1)[0]
        solution = workshop(domain).solve({program.name: program}, [goal])
        wrote = [done for done in solution.calls if done.wrote] if isinstance(solution, Solution) else []
        if not wrote:
            continue
        said = words({program.name: program}, [goal], Random(goal.draw), 0)
        reads = [
            {"name": done.name, "arguments": done.arguments, "result": done.result}
            for done in solution.calls
            if not done.wrote
        ]
        slot, value = next(iter(wrote[0].arguments.items()))
        choice = Asked(wrote[0].name, {}, [{slot: "another"}, {slot: value}])
        answer = openness(reference_domain(domain), f"{said.text}\n{said.known}", reads, [choice])
        assert [each["options"] for each in answer["choices"]] == [[2]], said.text
        asked += 1
    assert asked >= 4


@pytest.mark.parametrize("domain", DOMAINS)
def test_what_the_domains_own_programs_word_is_read_as_theirs(domain):
    on = stage(domain)
    for program in on.domain.programs:
        rng = Random(program.name)
        with suppress(DeadEnd):
            goals = [OwnGoal(program, program.draw(on.everything, rng))]
            for voice in program.voices:
                text = word(on.domain, goals, voice, Pen(rng))
                known = render(wording(on.domain.about.identity, voice), goals[0].drawn, Pen(rng))
                assert not isinstance(read_back(domain, f"{text}\n{known}"), Request), text


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("date.today() + timedelta(days=1)", "2026-11-24"),
        ("datetime.now()", "2026-11-23 09:00:00"),
        ("dt.datetime.today().date()", "2026-11-23"),
        ("date.fromisoformat('2026-12-01') - dt.date.today()", "8 days, 0:00:00"),
    ],
)
def test_the_clock_of_the_domain_stands_still_where_the_agent_follows_a_program(asked, said):
    imports = "import datetime as dt\nfrom datetime import date, datetime, timedelta\n"
    source = f"{imports}def solve(call, facts):\n    return {{'day': str({asked})}}\n"
    program = reference_domain(QUICK).task_programs[0].model_copy(update={"name": "asking", "source": source})
    domain = replace(reference_domain(QUICK))
    domain.__dict__["task_programs"] = (program,)
    told = solved(domain, [Goal(program="asking", draw="", facts={})], lambda *_, **__: None, best)
    assert [each[-1] for each in told] == [said]


def test_the_stage_is_answered_with_the_program_of_a_purpose_and_with_none_for_another():
    domain = reference_domain(QUICK)
    program = domain.task_programs[0]
    draft = answered(domain, program.intent, 0, times_sent_back=len(program.wordings))
    assert TaskProgram.model_validate({**draft, "id": program.id, "domain": QUICK, "intent": program.intent}) == program
    assert set(answered(domain, "Fly to the moon", 0, times_sent_back=0)) == {"infeasible"}


def test_few_programs_come_with_a_fault_at_first_and_none_when_sent_back():
    domain = reference_domain(QUICK)
    sound = {program.intent: program.source for program in domain.task_programs}

    def spoiled(times: int) -> int:
        drafts = [
            (answered(domain, intent, seed, times_sent_back=times), source)
            for intent, source in sound.items()
            for seed in range(10)
        ]
        return sum(draft["source"] != source or len(draft["wordings"]) < 3 for draft, source in drafts)

    assert 0 < spoiled(0) < 3 * len(sound)
    assert spoiled(1) == 0


SOURCE = "def draw(db, rng):\n    return None\n\n\ndef solve(call, facts):\n    return {}\n"
SAID = {"persona": "Somebody.", "text": "Hello", "known": "I am {guest_id}"}
SOUND = {"name": "greet", "intent": "Say hello", "user": "guest_id", "wordings": [SAID], "source": SOURCE}


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"user": None}, "user"),
        ({"again": 3}, "again"),
        ({"colour": "red"}, "colour"),
        ({"name": "wave"}, "named like its file"),
        ({"intent": "Say goodbye"}, "no program of the domain has the purpose 'Say goodbye'"),
        ({"wordings": [{**SAID, "text": "[Hello"}]}, "bracket is not closed"),
        ({"wordings": [{**SAID, "text": "Hello,\nyou"}]}, "more than one line"),
        ({"source": SOURCE.replace("{}", "{")}, "`source`: line 6"),
    ],
)
def test_a_file_that_is_no_task_program_is_refused_by_name(tmp_path, changed, reason):
    refused(tmp_path, yaml.safe_dump({**SOUND, **changed}), reason)


@pytest.mark.parametrize(
    ("text", "reason"), [("[1, 2]", "a task program"), ("name: [", "line"), ("a: 1\na: 2", "twice")]
)
def test_a_file_that_holds_something_else_is_refused_by_name(tmp_path, text, reason):
    refused(tmp_path, text, reason)


def refused(folder: Path, text: str, reason: str) -> None:
    (folder / "task_programs").mkdir()
    (folder / "task_programs" / "greet.yaml").write_text(text)
    with pytest.raises(UserError, match=rf"greet\.yaml.*{re.escape(reason)}"):
        read_task_programs(folder, "restaurant", {"Say hello"})


def test_two_programs_for_one_purpose_are_refused(tmp_path):
    (tmp_path / "task_programs").mkdir()
    for name in ("greet", "wave"):
        (tmp_path / "task_programs" / f"{name}.yaml").write_text(yaml.safe_dump({**SOUND, "name": name}))
    with pytest.raises(UserError, match=r"wave\.yaml.*`greet` serves that purpose already"):
        read_task_programs(tmp_path, "restaurant", {"Say hello"})


def test_a_domain_without_the_folder_has_no_task_programs(tmp_path):
    assert read_task_programs(tmp_path, "restaurant", set()) == ()
