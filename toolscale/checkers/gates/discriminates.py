"""Gate: dropping or altering any golden write flips the verdict. A mutation score, as for tests."""

from dataclasses import dataclass

from toolscale.artifacts import GateOutcome, Task
from toolscale.checkers.context import GateContext
from toolscale.checkers.gates.outcomes import outcome
from toolscale.checkers.mutants import mutants


@dataclass(frozen=True)
class MutationScore:
    """How many mutants of the golden writes there are, and which the verdict let through (`change` of each)."""

    total: int
    survivors: list[str]

    @property
    def killed(self) -> int:
        """Mutants that were judged unsolved."""
        return self.total - len(self.survivors)


def mutation_score(task: Task, context: GateContext) -> MutationScore:
    """Judge every mutant. Each says all that should be said, so only what it does can give it away."""
    total, survivors = 0, []
    for mutant in mutants(context.golden(task), context.facts):
        total += 1
        if context.solves(task, mutant.calls, task.communicate_info):
            survivors.append(mutant.change)
    return MutationScore(total, survivors)


def discriminates(score: MutationScore) -> GateOutcome:
    """Passed if no mutant solved the task."""
    return outcome("discriminates", [f"solved just as well {change}" for change in score.survivors])
