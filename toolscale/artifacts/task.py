"""Tasks: an instruction, the golden calls that solve it, and what happened when it was put to the test."""

from operator import not_
from typing import Literal, Self, get_args

from pydantic import Field, model_validator

from toolscale.artifacts.base import Artifact, Json, content_id
from toolscale.artifacts.kinds import FactKind, Operator
from toolscale.artifacts.program import Goal
from toolscale.artifacts.trajectory import Verdict

GateName = Literal[
    "replay",
    "grounded",
    "acts",
    "discriminates",
    "no_leak",
    "answered",
    "policy",
    "consistent",
    "pass_at_8",
    "ambiguous",
    "wanted",
    "distinct",
]
GATES: tuple[GateName, ...] = get_args(GateName)
"""The gates in the order in which a task meets them. Programs decide those before `pass_at_8`, which asks a model. What
it did is evidence for `ambiguous`, which before asks one about choices that programs find open and then may refuse the
task before any attempt, and `distinct` compares with whatever passed all others. `wanted` refuses what is sound but not
what a run asked for (`--keep`); where nothing was asked for, no task meets it."""

MUST_PASS: tuple[GateName, ...] = tuple(gate for gate in GATES if gate != "wanted")
"""The gates that every kept task has passed."""

Difficulty = Literal["look-up", "multi-hop", "arithmetic", "conditional", "refusal", "recovery", "dependent"]
DIFFICULTIES: tuple[Difficulty, ...] = get_args(Difficulty)
"""What can make a task hard, see `checkers/difficulty.py`."""


class GoldenCall(Artifact):
    """A call of the reference solution."""

    action_id: str = ""
    name: str
    arguments: dict[str, Json] = Field(default_factory=dict)


class Assertion(Artifact):
    """A call that must return true, or false, on the database as a trajectory leaves it."""

    name: str
    arguments: dict[str, Json] = Field(default_factory=dict)
    expected: bool = True


class RequiredCall(Artifact):
    """A call that must be among a trajectory's: of this function, with these arguments among its own."""

    name: str
    arguments: dict[str, Json] = Field(default_factory=dict)
    only_these: bool = Field(default=False, description="Whether it may have no argument that is not named here.")


class Instructions(Artifact):
    """What the user wants and knows, in the user's own words (first person)."""

    domain: str
    reason_for_call: str = Field(min_length=1)
    known_info: str = ""
    unknown_info: str = ""
    task_instructions: str = ""

    def as_message(self) -> str:
        """The whole instruction as one first message: what direct mode sends and what the gates read."""
        parts = (self.reason_for_call, self.known_info, self.unknown_info, self.task_instructions)
        return "\n".join(part for part in parts if part)


class StatedLimit(Artifact):
    """A bound that the user states on something that a golden call does, such as the price of what it books."""

    says: str = Field(min_length=1, description="The user's words, with the number in them.")
    call: int = Field(ge=0, description="Which golden call it is about, from 0.")
    field: str = Field(
        min_length=1, description="A number of its result, or else of its arguments: `total`, `rooms[0].price`."
    )
    at_most: float | None = None
    at_least: float | None = None
    equal: float | None = None


class UserScenario(Artifact):
    """Who the user is and what the user came for."""

    persona: str = ""
    instructions: Instructions


class GateOutcome(Artifact):
    """How a task fared at one gate."""

    gate: GateName
    passed: bool
    reasons: list[str] = Field(default_factory=list)


class Attempt(Artifact):
    """One of the agent's attempts at a task."""

    index: int = Field(ge=0)
    model: str = Field(default="", description="The model that made it; empty where that is not known.")
    verdict: Verdict
    user_fault: bool = Field(default=False, description="The simulated user broke the episode; not the agent's fault.")
    turns: int = 0
    termination: str = ""


class Lineage(Artifact):
    """Where a task comes from."""

    parent: str | None = None
    depth: int = Field(default=0, ge=0, description="How many evolutions lie behind it; 0 for a first task.")
    operator: Operator | None = Field(
        default=None, description="What its author put in to make it hard, by name; of a first task at most `refusal`."
    )
    added: str = Field(default="", description="What the last evolution added.")
    goals: list[Goal] = Field(
        default_factory=list,
        description="What task programs drew for it, one for each thing the user wants; empty if it was written whole.",
    )
    reworded: bool = Field(default=False, description="Whether another role put a program's words into its own.")
    pruned: list[str] = Field(
        default_factory=list, description="Calls of its author's solution that nothing needs, which were dropped."
    )


class Task(Artifact):
    """A task and all that is known about it. To judge, `id`, `golden_calls` and `communicate_info` are enough."""

    id: str
    domain: str = ""
    intent: str = ""
    user_scenario: UserScenario | None = None
    golden_calls: list[GoldenCall] = Field(default_factory=list)
    start: list[GoldenCall] = Field(
        default_factory=list,
        exclude_if=not_,
        description="Calls that bring the database into the task's initial state, before the conversation.",
    )
    assertions: list[Assertion] = Field(default_factory=list, exclude_if=not_)
    required_calls: list[RequiredCall] = Field(default_factory=list, exclude_if=not_)
    communicate_info: list[str] = Field(default_factory=list)
    fact_kinds: dict[str, FactKind] = Field(
        default_factory=dict,
        description="Entry of communicate_info -> its kind, where more is known of it than its form tells.",
    )
    asked: dict[str, str] = Field(
        default_factory=dict,
        description="Entry of communicate_info -> the user's words that ask for it, where its author says which.",
    )
    limits: list[StatedLimit] = Field(
        default_factory=list, description="Bounds that the user states, where their author says them."
    )
    nl_assertions: list[str] = Field(default_factory=list)
    database_judged: bool = Field(
        default=True,
        description="False where the task does not say how the database must end: it is judged then by its assertions "
        "and required calls, or, without golden calls, on what is said alone.",
    )
    lineage: Lineage = Lineage()
    difficulty: list[Difficulty] = Field(
        default_factory=list, description="What makes it hard, read from what its golden calls and facts do."
    )
    gates: list[GateOutcome] = Field(default_factory=list)
    examined: str = Field(
        default="",
        description="What the outcomes in `gates` hold for, as a hash of task, environment and gates; empty once all "
        "gates are met.",
    )
    attempts: list[Attempt] = Field(default_factory=list)
    attempts_ended: Literal["first_success", "certain"] | None = Field(
        default=None,
        description="Why no further attempts were made: the first success, or the certainty that the pass rate of all "
        "would lie in a wanted band or outside it. Null if all were made.",
    )
    pass_rate: float | None = Field(
        default=None,
        description="Share of the attempts made that solved it; null if none counts, or if the first success was to "
        "end them.",
    )

    @model_validator(mode="after")
    def _golden_calls_say_how_the_database_ends(self) -> Self:
        if self.golden_calls and not (self.database_judged or self.judged_otherwise):
            raise ValueError("a task with golden calls is judged by the database; leave `database_judged` out")
        return self

    @property
    def judged_otherwise(self) -> bool:
        """Whether assertions or required calls say what must have been done."""
        return bool(self.assertions or self.required_calls)

    @property
    def instruction(self) -> str:
        """Everything the user may say, as one message; empty if the task carries no scenario."""
        return self.user_scenario.instructions.as_message() if self.user_scenario else ""

    @property
    def verified(self) -> bool:
        """True when every gate was met and passed; `wanted` need not have been met."""
        return self.rejected_by is None and {gate.gate for gate in self.gates} >= {*MUST_PASS}

    @property
    def rejected_by(self) -> GateName | None:
        """The first gate that the task failed, if any."""
        return next((gate.gate for gate in self.gates if not gate.passed), None)


def task_id(domain: str, scenario: UserScenario, golden_calls: list[GoldenCall], communicate_info: list[str]) -> str:
    """A task's id, derived from what makes it this task and no other."""
    calls = [(call.name, call.arguments) for call in golden_calls]
    return content_id(domain, scenario.model_dump(mode="json"), calls, communicate_info)
