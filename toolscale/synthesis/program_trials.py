"""What a task program must do before it is accepted: everything is tried at once, in the sandbox, on real records.

It compiles and is what it says; it draws often enough, differently enough and the same again; its calls touch nobody
else's records; every fact is said, and matters or is true of what the user names; its answers come from somewhere; its
twists decide something; and the tasks that come of it pass the gates of programs.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from random import Random

from toolscale.artifacts import Fact, Facts, Goal, Operator, ProgramTwist, Task, TaskProgram
from toolscale.checkers import GateContext
from toolscale.programs import Dead, Solution, Workshop
from toolscale.programs.variants import another_value, drawn_twist
from toolscale.programs.workshop import NEVER_BACK
from toolscale.python_source import parsed
from toolscale.synthesis.composed import goal_of, task_of
from toolscale.synthesis.heard import Hearing, heard, shortened
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
from toolscale.templates.template import certain_slots, slots

DRAWS = 64
"""How often a program draws on trial."""

MADE = 1 / 2
"""The share of draws that must make a task."""

DIFFERING = 16
"""Tasks that must differ in what is called and told."""

PASSING = 0.8
"""The share of these that must pass the gates of programs."""

TWISTS_PASSING = 0.6
"""That share of the tasks with a twist: few are tried, and a draw that does not pass is only made again."""

EXAMINED = 8
"""Differing tasks that are brought before the gates: most of the trial's cost is there, and each task that is drawn
later comes before them anyway."""

_SUBSTITUTED = (3, 9)
"""Draws into which another draw's fact is put, to see that it matters: a few, and more where none of these shows it."""

_TWISTED = 3
"""Draws with a twist, a repeat or a change of mind that are brought before the gates."""

_SUITED = 16
"""Differing tasks among which one is looked for that a twist suits, or on which it decides something."""

_BITING: tuple[Operator, ...] = ("constraint", "condition", "change_of_mind")
"""Operators of twists that must change what is written or told in some draw: to look up more is not enough."""

_STANDING: tuple[Operator, ...] = ("distractor", "refusal")
"""Operators of twists that may rightly change nothing at all."""

_REASONS = 3

_FIGURE = re.compile(r"\d")


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
        self._program = program
        self._by_name = {program.name: program}
        self._workshop = workshop
        self._context = context
        self._seed = seed
        self._twisted: list[Task] = []

    def result(self) -> Trial:
        drawn, problem = self._drawn()
        if problem:
            return Trial([problem])
        goals = [goal_of(self._program, seed, facts) for seed, facts in drawn.items() if not isinstance(facts, Dead)]
        if problems := list(self._unsaid(goals)):
            return Trial(problems)
        solved = self._workshop.solve_all(self._by_name, [[goal] for goal in goals])
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
        hearings, problem = self._hearings(differing[:EXAMINED], "draws", PASSING)
        if problem:
            return Trial([problem])
        passed = [hearing.task for hearing in hearings if isinstance(hearing, Hearing) and not hearing.reasons]
        of_twists = self._twists(differing)
        return Trial([], of_twists, passed, self._twisted, _skeleton(differing))

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
            yield f"`solve`: {_most_common([each.reason for each in faults if each.tried])}{self._loops(faults)}"
        elif len(made) < MADE * DRAWS:
            reasons = _most_common([each.reason for each in dead])
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
        yield from self._binding_colour(made)
        for name in self._mattering_to_nothing(list(false), made, {}):
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

    def _binding_colour(self, made: Sequence[Made]) -> Iterator[str]:
        """Colour, of draws or of their twists, that says a figure or on which something hangs."""
        painted = [name for name in self._program.colour if all(name in each.said for each in made)]
        for name in painted:
            values = [each.said[name] for each in made]
            if figure := next((one for one in values if not isinstance(one, str) or _FIGURE.search(one)), None):
                yield f"`colour`: `{name}` = {figure!r}: words without figures, since nothing may hang on it"
        for name in sorted({*painted} - {*self._mattering_to_nothing(painted, made, {})}):
            yield f"`colour` lists `{name}`, but calls or answers hang on it: make it a fact like the others"

    def _mattering_to_nothing(
        self, names: Sequence[str], made: Sequence[Made], added: Mapping[str, Sequence[Fact]]
    ) -> list[str]:
        """Facts, of draws or of their twists, that may have any other value and nothing comes to differ.

        `added` are values, by name, that are put in their place beside those of other draws.
        """
        rng = Random(f"idle {self._seed}")
        idle = list(names)
        for count in _SUBSTITUTED:
            cases: list[tuple[str, Made, Goal]] = []
            for name in idle:
                for each in rng.sample(made, min(len(made), count)):
                    own = each.said[name]
                    others = [other.said[name] for other in made if other.said.get(name, own) != own]
                    values = [*([rng.choice(others)] if others else []), *added.get(name, ())] or _invented(own)
                    cases += [(name, each, _with(each.goal, name, value)) for value in values]
            solved = self._workshop.solve_all(self._by_name, [[goal] for _, _, goal in cases])
            matter = {
                name
                for (name, each, goal), end in zip(cases, solved, strict=True)
                if isinstance(end, Dead) or Made(goal, end).does != each.does
            }
            idle = [name for name in idle if name not in matter]
        return idle

    def _heard(self, made: Made) -> Hearing | Dead:
        """What the gates say of the task of a draw."""
        task = task_of(
            self._program.domain,
            self._by_name,
            [made.goal],
            made.solution,
            seed=made.goal.draw,
            operator=self._program.operator,
        )
        return task if isinstance(task, Dead) else heard(task, self._context)

    def _twists(self, differing: Sequence[Made]) -> dict[str, list[str]]:
        """What is wrong with twists and hooks, by name."""
        found: dict[str, list[str]] = {}
        for twist in self._program.twists:
            if problem := self._twist_problem(twist, differing):
                found[twist.name] = [f"twist `{twist.name}`: {problem}"]
        for hook, slot in (("again", self._program.again), ("changes", self._program.changes)):
            if slot and (problem := self._hook_problem(hook, slot, differing)):
                found[hook] = [f"`{hook}`: {problem}"]
        return found

    def _twist_problem(self, twist: ProgramTwist, differing: Sequence[Made]) -> str:
        """What is wrong with a twist, tried on a few draws, and on more where it decides nothing in these."""
        problem = ""
        for most in (_TWISTED, _SUITED):
            goals, dead, problem = self._twisted_goals(twist, differing, most)
            made, problem = ([], problem) if problem else self._variants([goal for _, goal in goals], dead)
            if problem:
                return problem
            plain = {goal.draw: each for each, goal in goals}
            problem = self._undecided(twist, [(plain[each.goal.draw], each) for each in made])
            if not problem:
                hearings, problem = self._hearings(made[:_TWISTED], "draws with it", TWISTS_PASSING)
                heard_well = [each.task for each in hearings if isinstance(each, Hearing) and not each.reasons]
                self._twisted += [] if problem else heard_well
                return problem
        return problem

    def _twisted_goals(
        self, twist: ProgramTwist, differing: Sequence[Made], most: int
    ) -> tuple[list[tuple[Made, Goal]], list[str], str]:
        """Draws that a twist suits with what it adds, why others do not suit it, and what is wrong with its words."""
        goals, dead = list[tuple[Made, Goal]](), list[str]()
        for each in differing[:_SUITED]:
            drawn = drawn_twist(self._workshop, self._program, twist, each.goal, each.goal.draw)
            if isinstance(drawn, Dead):
                if drawn.fault:
                    return goals, dead, drawn.reason
                dead.append(drawn.reason)
            else:
                said = set(drawn.facts) | set(each.goal.facts)
                to_say = drawn.facts.keys() - {*self._program.colour}
                if unsaid := [text for text in twist.wordings if not to_say <= certain_slots(text)]:
                    missing = sorted(to_say - certain_slots(unsaid[0]))
                    said_not = f"a wording does not say {', '.join(missing)}, which `draw_{twist.name}` draws"
                    return goals, dead, said_not
                if strange := set().union(*map(slots, twist.wordings)) - said:
                    return goals, dead, f"a wording has the slot {', '.join(sorted(strange))}, which is no fact"
                goals.append((each, each.goal.model_copy(update={"twists": [drawn]})))
            if len(goals) == most:
                break
        return goals, dead, ""

    def _undecided(self, twist: ProgramTwist, tried: Sequence[tuple[Made, Made]]) -> str:
        """What a twist says that `solve` does not go by; `tried` are draws without and with it."""
        made = [with_it for _, with_it in tried]
        if binding := next(self._binding_colour(made), "") if made else "":
            return binding
        if twist.operator in _STANDING:
            return ""
        bites = twist.operator in _BITING
        few = bites and len(made) < _TWISTED and all(each.goal.twists[0].facts for each in made)  # figures will tell
        if not few and all(
            plain.solution.comes_to == it.solution.comes_to if bites else plain.does == it.does for plain, it in tried
        ):
            return (
                f"it decides nothing: {'what is written and told is' if bites else 'calls and answers are'} the same "
                f"with it and without it in all of {len(tried)} draws, such as {shown(made[0].said)}: let `solve` go "
                f"by `{twist.name}` and its facts, and let `draw_{twist.name}` return None, or other figures, where it "
                "decides nothing"
            )
        drawn = set.intersection(*(set(each.goal.twists[0].facts) for each in made))
        names = sorted(drawn - {*self._program.colour})
        false = {name: facts for name in names if (facts := untrue(self._workshop, self._program, made, name))}
        beyond = {name: _invented(made[0].said[name]) for name in false}
        for name in self._mattering_to_nothing(list(false), made, beyond):
            return (
                f"whatever its fact `{name}` is, calls and answers are the same, as for {shown(false[name])}: let "
                "`solve` go by it, or draw what is true of another fact's record"
            )
        return ""

    def _hook_problem(self, hook: str, slot: str, differing: Sequence[Made]) -> str:
        values = list(dict.fromkeys(each.goal.facts[slot] for each in differing))
        rng = Random(f"{hook} {self._seed}")
        goals: list[Goal] = []
        for each in differing[:_SUITED]:
            if len(goals) == _TWISTED:
                break
            own = each.goal.facts[slot]
            if hook == "changes":
                others = [value for value in values if value != own]
                goals += [each.goal.model_copy(update={"at_first": rng.choice(others)})] if others else []
            elif (another := another_value(self._workshop, self._program, each.goal, slot)) is not None:
                goals.append(each.goal.model_copy(update={"repeats": [another]}))
        none = f"all draws have the same `{slot}`" if hook == "changes" else "no user has another"
        made, problem = self._variants(goals, [none])
        return problem or self._hearings(made, "draws with it", TWISTS_PASSING)[1]

    def _variants(self, goals: Sequence[Goal], dead: Sequence[str]) -> tuple[list[Made], str]:
        """Harder versions of a request, and what is wrong: not that few can be made, but that none can, or untruths."""
        solved = self._workshop.solve_all(self._by_name, [[goal] for goal in goals])
        faults = [each for each in solved if isinstance(each, Dead) and each.fault]
        if faults:
            return [], _most_common([each.reason for each in faults if each.tried])
        made = [Made(goal, each) for goal, each in zip(goals, solved, strict=True) if isinstance(each, Solution)]
        if not made:
            reasons = [*dead, *(each.reason for each in solved if isinstance(each, Dead))]
            return [], f"it suits none of {len(goals) + len(dead)} draws: {_most_common(reasons)}"
        wrong = invented_answers(self._program, made, self._context.sandbox.spec.policy)
        return made, strangers(self._workshop, self._program, made) or next(wrong, "")

    def _hearings(self, made: Sequence[Made], what: str, passing: float) -> tuple[list[Hearing | Dead], str]:
        """What the gates say of one draw after the other, until that share has passed; and what is wrong."""
        enough = ceil(passing * len(made))
        hearings: list[Hearing | Dead] = []
        for each in made:
            hearings.append(self._heard(each))
            if sum(not _is_refused(hearing) for hearing in hearings) == enough:
                return hearings, ""
        return hearings, _refused_too_often(hearings, what, passing)


_NOTHING = Dead("it changes nothing and tells nothing")


def _with(goal: Goal, name: str, value: Fact) -> Goal:
    """The goal with another value of a fact, be it of its own or of a twist's."""
    twists = [
        each.model_copy(update={"facts": {**each.facts, name: value}}) if name in each.facts else each
        for each in goal.twists
    ]
    facts = {**goal.facts, name: value} if name in goal.facts else goal.facts
    return goal.model_copy(update={"facts": facts, "twists": twists})


def _invented(value: Fact) -> list[Fact]:
    """Values that nobody drew: what goes by a fact comes to something else with one of them."""
    if isinstance(value, bool):
        return [not value]
    return ["x"] if isinstance(value, str) else [0, 10 * value + 7]


def _hangs(found: Dead) -> bool:
    return found.reason.startswith(NEVER_BACK)


def _is_fault(found: object) -> bool:
    return isinstance(found, Dead) and found.fault


def _is_task(solved: Solution | Dead) -> bool:
    return isinstance(solved, Solution) and bool(solved.made) and (solved.wrote or bool(solved.told))


def _is_refused(found: Hearing | Dead) -> bool:
    return isinstance(found, Dead) or bool(found.reasons)


def _refused_too_often(hearings: Sequence[Hearing | Dead], what: str, passing: float) -> str:
    refused = [each for each in hearings if _is_refused(each)]
    counted = Counter(each.check if isinstance(each, Hearing) else "wording" for each in refused)
    gate, count = counted.most_common(1)[0]
    examples = [
        f"{'; '.join(each.reasons)} (said: {shortened(each.task.instruction, 500)!r}; {shortened(each.results, 900)})"
        if isinstance(each, Hearing)
        else each.reason
        for each in refused
        if (each.check if isinstance(each, Hearing) else "wording") == gate
    ]
    return (
        f"{len(refused)} of {len(hearings)} {what} are refused by the gates, at most {1 - passing:.0%} may be; {count} "
        f"of them by `{gate}`, such as: {examples[0]}"
    )


def _skeleton(differing: Sequence[Made]) -> tuple[str, ...]:
    def of(each: Made) -> tuple[str, ...]:
        calls = [f"{call.name}({', '.join(sorted(call.arguments))})" for call in each.solution.made]
        return (*calls, *sorted({told.name for told in each.solution.told}))

    return Counter(map(of, differing)).most_common(1)[0][0]


def _most_common(reasons: Sequence[str]) -> str:
    counted = Counter(shortened(reason, 300) for reason in reasons).most_common(_REASONS)
    return "; ".join(f"{reason} ({count} times)" if count > 1 else reason for reason, count in counted)


def _in_draw(fault: Dead) -> str:
    return fault.reason if fault.reason.startswith("`draw") else f"`draw`: {fault.reason}"
