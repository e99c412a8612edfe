"""The gates a task must pass to be kept (design: the verdict and the gates; the paper's filters and more)."""

from dataclasses import dataclass

from toolscale.artifacts import GateName, GateOutcome, Task
from toolscale.checkers.agents import AgentName
from toolscale.checkers.context import GateContext
from toolscale.checkers.gates.acts import Inaction, acts, idle_solvers, inaction
from toolscale.checkers.gates.ambiguous import JudgedAttempt, ambiguous
from toolscale.checkers.gates.answered import answered
from toolscale.checkers.gates.consistent import consistent
from toolscale.checkers.gates.discriminates import MutationScore, discriminates, mutation_score
from toolscale.checkers.gates.distinct import distinct
from toolscale.checkers.gates.grounded import AGREEING, grounded
from toolscale.checkers.gates.no_leak import no_leak
from toolscale.checkers.gates.open_ends import open_ends
from toolscale.checkers.gates.outcomes import is_undecided, may_pass, not_evaluated, was_evaluated
from toolscale.checkers.gates.pass_at_8 import pass_at_8
from toolscale.checkers.gates.policy import policy, with_recorded_judgement
from toolscale.checkers.gates.replay import replay

__all__ = [
    "AGREEING",
    "Examination",
    "Inaction",
    "JudgedAttempt",
    "MutationScore",
    "acts",
    "ambiguous",
    "answered",
    "consistent",
    "discriminates",
    "distinct",
    "examine",
    "grounded",
    "inaction",
    "is_undecided",
    "may_pass",
    "no_leak",
    "open_ends",
    "pass_at_8",
    "policy",
    "replay",
    "run_gates",
    "was_evaluated",
    "with_recorded_judgement",
]


_OF_A_REPLAY: tuple[GateName, ...] = ("grounded", "acts", "discriminates", "policy", "consistent")


@dataclass(frozen=True)
class Examination:
    """What the program gates found about a task, with the figures behind it."""

    outcomes: list[GateOutcome]
    idle_solvers: list[AgentName]
    mutation: MutationScore


def run_gates(task: Task, context: GateContext) -> list[GateOutcome]:
    """The outcomes of the program gates, in order.

    All are evaluated even if an earlier one fails, except that without a replay there is nothing for `grounded`,
    `acts`, `discriminates`, `policy` and `consistent` to look at: they do not pass, and say that they were not
    evaluated. A task that is judged on what is said alone has no golden calls to look at; `acts`, `no_leak` and
    `answered` are what can be said of it.
    """
    return examine(task, context).outcomes


def examine(task: Task, context: GateContext) -> Examination:
    """`run_gates`, with the agents that solved the task and the mutation score."""
    if not task.database_judged and not task.judged_otherwise:
        return _of_words_alone(task, context)
    replayed, of_words = replay(task, context), _of_words(task, context)
    if not replayed.passed:
        skipped = {gate: not_evaluated(gate, "the golden calls do not replay", passed=False) for gate in _OF_A_REPLAY}
        before = [skipped[gate] for gate in ("grounded", "acts", "discriminates")]
        return Examination(
            [replayed, *before, *of_words, skipped["policy"], skipped["consistent"]], [], MutationScore(0, [])
        )
    solvers, score = idle_solvers(task, context), mutation_score(task, context)
    outcomes = [replayed, grounded(task, context), acts(solvers), discriminates(score), *of_words]
    return Examination([*outcomes, policy(task, context), consistent(task, context)], solvers, score)


def _of_words_alone(task: Task, context: GateContext) -> Examination:
    def nothing(gate: GateName) -> GateOutcome:
        return not_evaluated(gate, "the task has no golden calls: it is judged on what is said alone", passed=True)

    solvers = idle_solvers(task, context)
    before = [nothing("replay"), nothing("grounded"), acts(solvers), nothing("discriminates")]
    after = [nothing("policy"), nothing("consistent")]
    return Examination([*before, *_of_words(task, context), *after], solvers, MutationScore(0, []))


def _of_words(task: Task, context: GateContext) -> list[GateOutcome]:
    """The gates that read what is said: they hold of every task, whatever its golden calls do."""
    return [no_leak(task, context), answered(task, context)]
