"""What the trials of a program's draws and of its twists share: values put in others' places, and what gates say."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from random import Random

from toolscale.artifacts import Fact, Goal, TaskProgram
from toolscale.checkers import GateContext
from toolscale.programs import Dead, Solution, Workshop
from toolscale.synthesis.composed import task_of
from toolscale.synthesis.heard import Hearing, heard, shortened
from toolscale.synthesis.program_truth import Made

_SUBSTITUTED = (3, 9)
"""Draws into which another draw's fact is put, to see that it matters: a few, and more where none of these shows it."""

_REASONS = 3

_FIGURE = re.compile(r"\d")


class TrialGround:
    """One program on trial, in the sandbox and before the gates."""

    def __init__(self, program: TaskProgram, workshop: Workshop, context: GateContext, seed: int) -> None:
        self.program, self.workshop, self.context, self.seed = program, workshop, context, seed
        self.by_name = {program.name: program}

    def solved(self, goals: Sequence[Goal]) -> list[Solution | Dead]:
        """What `solve` makes of each goal."""
        return self.workshop.solve_all(self.by_name, [[goal] for goal in goals])

    def binding_colour(self, made: Sequence[Made]) -> Iterator[str]:
        """Colour, of draws or of their twists, that says a figure or on which something hangs."""
        painted = [name for name in self.program.colour if all(name in each.said for each in made)]
        for name in painted:
            values = [each.said[name] for each in made]
            if figure := next((one for one in values if not isinstance(one, str) or _FIGURE.search(one)), None):
                yield f"`colour`: `{name}` = {figure!r}: words without figures, since nothing may hang on it"
        for name in sorted({*painted} - {*self.mattering_to_nothing(painted, made, {})}):
            yield f"`colour` lists `{name}`, but calls or answers hang on it: make it a fact like the others"

    def mattering_to_nothing(
        self, names: Sequence[str], made: Sequence[Made], added: Mapping[str, Sequence[Fact]]
    ) -> list[str]:
        """Facts, of draws or of their twists, that may have any other value and nothing comes to differ.

        `added` are values, by name, that are put in their place beside those of other draws.
        """
        rng = Random(f"idle {self.seed}")
        idle = list(names)
        for count in _SUBSTITUTED:
            cases: list[tuple[str, Made, Goal]] = []
            for name in idle:
                for each in rng.sample(made, min(len(made), count)):
                    own = each.said[name]
                    others = [other.said[name] for other in made if other.said.get(name, own) != own]
                    values = [*([rng.choice(others)] if others else []), *added.get(name, ())] or invented(own)
                    cases += [(name, each, _with(each.goal, name, value)) for value in values]
            solved = self.solved([goal for _, _, goal in cases])
            matter = {
                name
                for (name, each, goal), end in zip(cases, solved, strict=True)
                if isinstance(end, Dead) or Made(goal, end).does != each.does
            }
            idle = [name for name in idle if name not in matter]
        return idle

    def hearings(self, made: Sequence[Made], what: str, passing: float) -> tuple[list[Hearing | Dead], str]:
        """What the gates say of one draw after the other, until that share has passed; and what is wrong."""
        enough = ceil(passing * len(made))
        hearings: list[Hearing | Dead] = []
        for each in made:
            hearings.append(self._heard(each))
            if sum(not _is_refused(hearing) for hearing in hearings) == enough:
                return hearings, ""
        return hearings, _refused_too_often(hearings, what, passing)

    def _heard(self, made: Made) -> Hearing | Dead:
        """What the gates say of the task of a draw."""
        task = task_of(
            self.program.domain,
            self.by_name,
            [made.goal],
            made.solution,
            seed=made.goal.draw,
            operator=self.program.operator,
        )
        return task if isinstance(task, Dead) else heard(task, self.context)


def invented(value: Fact) -> list[Fact]:
    """Values that nobody drew: what goes by a fact comes to something else with one of them."""
    if isinstance(value, bool):
        return [not value]
    return ["x"] if isinstance(value, str) else [0, 10 * value + 7]


def most_common(reasons: Sequence[str]) -> str:
    """The reasons that are heard most, shortened, each with how often."""
    counted = Counter(shortened(reason, 300) for reason in reasons).most_common(_REASONS)
    return "; ".join(f"{reason} ({count} times)" if count > 1 else reason for reason, count in counted)


def _with(goal: Goal, name: str, value: Fact) -> Goal:
    """The goal with another value of a fact, be it of its own or of a twist's."""
    twists = [
        each.model_copy(update={"facts": {**each.facts, name: value}}) if name in each.facts else each
        for each in goal.twists
    ]
    facts = {**goal.facts, name: value} if name in goal.facts else goal.facts
    return goal.model_copy(update={"facts": facts, "twists": twists})


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
