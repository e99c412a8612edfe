"""What a task program must do before it is accepted: everything is tried at once, in the sandbox, on real records.

It compiles and is what it says; it draws often enough, differently enough and the same again; its calls touch nobody
else's records; every fact is said, and matters or is true of what the user names; its answers come from somewhere; its
twists decide something; and the tasks that come of it pass the gates of programs.
"""

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from toolscale.artifacts import Facts, Goal, Task, TaskProgram
from toolscale.checkers import GateContext
from toolscale.programs import Dead, Solution, Workshop
from toolscale.programs.workshop import NEVER_BACK
from toolscale.python_source import parsed
from toolscale.synthesis.composed import goal_of
from toolscale.synthesis.heard import Hearing
from toolscale.synthesis.program_form import form_problems, slot_problems
from toolscale.synthesis.program_truth import (
    Made,
    facts_of_text,
    invented_answers,
    misnamed,
    mistakable,
    shown,
    strangers,
    untrue,
)
from toolscale.synthesis.trial_ground import TrialGround, most_common
from toolscale.synthesis.twist_trials import TwistTrial
from toolscale.templates.template import slots

DRAWS = 64
"""How often a program draws on trial."""

MADE = 1 / 2
"""The share of draws that must make a task."""

DIFFERING = 16
"""Tasks that must differ in what is called and told."""

PASSING = 0.8
"""The share of these that must pass the gates of programs."""

EXAMINED = 8
"""Differing tasks that are brought before the gates: most of the trial's cost is there, and each task that is drawn
later comes before them anyway."""


@dataclass
class Trial:
    """What came of trying a program out."""

    problems: list[str] = field(default_factory=list)
    """What its author must mend; empty if it is accepted."""
    of_twists: dict[str, list[str]] = field(default_factory=dict)
    """Twist, or hook (`again`, `changes`) -> what is wrong with it; the program can do without."""
    tasks: list[Task] = field(default_factory=list)
    """Tasks that passed the gates, which all differ."""
    twisted: list[Task] = field(default_factory=list)
    """Tasks that took a twist and passed the gates."""
    skeleton: tuple[str, ...] = ()
    """The functions that it mostly calls, in order, and the answers that it gives."""


def tried(program: TaskProgram, workshop: Workshop, context: GateContext, seed: int) -> Trial:
    """Try a program out."""
    problems = list(form_problems(program, set(_functions(workshop))))
    return Trial(problems) if problems else _Trial(program, workshop, context, seed).result()


def _functions(workshop: Workshop) -> list[str]:
    return [function.name for function in workshop.environment.spec.functions]


class _Trial:
    """One program on trial."""

    def __init__(self, program: TaskProgram, workshop: Workshop, context: GateContext, seed: int) -> None:
        self._ground = TrialGround(program, workshop, context, seed)
        self._program, self._workshop, self._context, self._seed = program, workshop, context, seed

    def result(self) -> Trial:
        drawn, problem = self._drawn()
        if problem:
            return Trial([problem])
        goals = [goal_of(self._program, seed, facts) for seed, facts in drawn.items() if not isinstance(facts, Dead)]
        if problems := list(self._unsaid(goals)):
            return Trial(problems)
        solved = self._ground.solved(goals)
        made = [
            Made(goal, each)
            for goal, each in zip(goals, solved, strict=True)
            if isinstance(each, Solution) and _is_task(each)
        ]
        dead = [each for each in drawn.values() if isinstance(each, Dead)]
        dead += [each if isinstance(each, Dead) else _NOTHING for each in solved if not _is_task(each)]
        if problems := list(self._too_few(made, dead)):
            return Trial(problems)
        if problems := [*self._untrue(made), *self._idle(made)]:
            return Trial(problems)
        differing = list({each.does: each for each in made}.values())
        hearings, problem = self._ground.hearings(differing[:EXAMINED], "draws", PASSING)
        if problem:
            return Trial([problem])
        passed = [hearing.task for hearing in hearings if isinstance(hearing, Hearing) and not hearing.reasons]
        twists = TwistTrial(self._ground, differing)
        of_twists = twists.problems()
        return Trial([], of_twists, passed, twists.passed, _skeleton(differing))

    def _drawn(self) -> tuple[dict[str, Facts | Dead], str]:
        """What each seed draws, and what is wrong with the drawing itself."""
        seeds = [f"trial:{self._seed}:{number}" for number in range(DRAWS)]
        first = self._workshop.draw(self._program, seeds[:1])  # alone, since what hangs or floods would do so 64 times
        drawn = first if _is_fault(first[0]) else self._workshop.draw(self._program, seeds)
        if faults := [each for each in drawn if isinstance(each, Dead) and each.fault]:
            return {}, _in_draw(faults[0]) + self._loops(faults)
        last = self._workshop.draw(self._program, list(reversed(seeds[:8])), fresh=True)
        if [*reversed(last)] != drawn[:8]:
            return (
                {},
                "`draw` draws something else with the same `rng` when it runs again: let all chance come from `rng`",
            )
        return dict(zip(seeds, drawn, strict=True)), ""

    def _too_few(self, made: Sequence[Made], dead: Sequence[Dead]) -> Iterator[str]:
        faults = [each for each in dead if each.fault]
        if faults:
            yield f"`solve`: {most_common([each.reason for each in faults if each.tried])}{self._loops(faults)}"
        elif len(made) < MADE * DRAWS:
            reasons = most_common([each.reason for each in dead])
            yield (
                f"only {len(made)} of {DRAWS} draws make a task, at least {int(MADE * DRAWS)} must: {reasons}. Let "
                "`draw` look for records on which `solve` comes to an end"
            )
        elif (count := len({each.does for each in made})) < DIFFERING:
            yield (
                f"the tasks of {DRAWS} draws come to only {count} that differ in calls and answers, at least "
                f"{DIFFERING} must: draw from more records, or more that a user may want of them"
            )

    def _unsaid(self, goals: Sequence[Goal]) -> Iterator[str]:
        """Facts that a wording does not say, and slots that are no facts."""
        program = self._program
        shapes = {frozenset(goal.facts) for goal in goals}
        if not goals:
            return
        if len(shapes) > 1:
            varying = set[str]().union(*shapes) - frozenset.intersection(*shapes)
            yield f"`draw` must always return the same facts; these come and go: {', '.join(sorted(varying))}"
            return
        facts = set(next(iter(shapes)))
        if program.user not in facts:
            yield f"`user`: `draw` returns no fact `{program.user}`"
            return
        if self._workshop.user(program, goals[0].facts) is None:
            yield f"`{program.user}` = {goals[0].facts[program.user]!r} is the key of no record: it must name the user"
        clash = facts & {twist.name for twist in program.twists}
        if clash:
            yield f"a fact and a twist are both called {', '.join(sorted(clash))}"
        for number, wording in enumerate(program.wordings, start=1):
            yield from slot_problems(f"wording {number}", wording, facts, program.user, {*program.colour})
        if strange := sorted({*program.others} - facts):
            yield f"`others`: there is no fact {', '.join(strange)}"
        for hook, slot in (("again", program.again), ("changes", program.changes)):
            if slot and slot not in facts - {program.user}:
                yield f"`{hook}`: there is no fact `{slot}`"
            elif slot and not all(slot in slots(wording.text) for wording in program.wordings):
                yield f"`{hook}`: every `text` must say `{slot}`"

    def _loops(self, faults: Sequence[Dead]) -> str:
        """Where a source that hangs may do so: whoever ends the process does not know the line."""
        lines = [str(node.lineno) for node in ast.walk(parsed(self._program.source)) if isinstance(node, ast.While)]
        return f" (`while`: line {', '.join(lines)} of the source)" if lines and any(map(_hangs, faults)) else ""

    def _untrue(self, made: Sequence[Made]) -> Iterator[str]:
        """Calls that are about others' records, answers from nowhere, and a name that is not the user's."""
        if problem := strangers(self._workshop, self._program, made):
            yield problem
        differing = list({each.does: each for each in made}.values())
        yield from invented_answers(self._program, differing, self._context.sandbox.spec.policy)
        for name in self._only_known(made):
            if (own := misnamed(self._workshop, self._program, made, name)) is not None:
                yield f"`known` says `{name}`, but in one draw the user's own record has {own!r} there: say what it has"
        if (fits := mistakable(self._workshop, self._program, made)) is not None:
            yield (
                f"wording {fits[0]}: `known` must say `{self._program.user}`, or what only the user's own record has; "
                f"{shown(fits[1])} is not that"
            )

    def _only_known(self, made: Sequence[Made]) -> list[str]:
        """Facts that are said for no other reason than to say who the user is."""
        return sorted(made[0].goal.facts.keys() - {self._program.user, *facts_of_text(self._program)})

    def _idle(self, made: Sequence[Made]) -> Iterator[str]:
        """Facts that change neither calls nor answers, and say nothing true either of what the user names."""
        only_known = self._only_known(made)
        false: dict[str, Facts] = {}
        for name in (*facts_of_text(self._program), *only_known):
            if (
                name not in self._program.colour
                and (facts := untrue(self._workshop, self._program, made, name)) is not None
            ):
                false[name] = facts
        yield from self._ground.binding_colour(made)
        for name in self._ground.mattering_to_nothing(list(false), made, {}):
            if name in only_known:
                yield (
                    f"`known` says `{name}`, which is not of the user's own record, as for {shown(false[name])}: say "
                    "what the record has, or leave it out"
                )
            else:
                yield (
                    f"the fact `{name}` changes neither the calls nor the answers, and is not what the records say of "
                    f"another fact's record, as for {shown(false[name])}: leave it out of facts and words, let `solve` "
                    "go by it, or draw what is true"
                )


_NOTHING = Dead("it changes nothing and tells nothing")


def _hangs(found: Dead) -> bool:
    return found.reason.startswith(NEVER_BACK)


def _is_fault(found: object) -> bool:
    return isinstance(found, Dead) and found.fault


def _is_task(solved: Solution | Dead) -> bool:
    return isinstance(solved, Solution) and bool(solved.made) and (solved.wrote or bool(solved.told))


def _skeleton(differing: Sequence[Made]) -> tuple[str, ...]:
    def of(each: Made) -> tuple[str, ...]:
        calls = [f"{call.name}({', '.join(sorted(call.arguments))})" for call in each.solution.made]
        return (*calls, *sorted({told.name for told in each.solution.told}))

    return Counter(map(of, differing)).most_common(1)[0][0]


def _in_draw(fault: Dead) -> str:
    return fault.reason if fault.reason.startswith("`draw") else f"`draw`: {fault.reason}"
