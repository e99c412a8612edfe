"""Gate: the task cannot be solved without acting. The four agents that do nothing for the user all fail."""

from dataclasses import dataclass

from toolscale.artifacts import GateOutcome, Task
from toolscale.checkers.agents import AGENTS, AgentName
from toolscale.checkers.context import GateContext
from toolscale.checkers.gates.outcomes import outcome

_DOING = {
    "null": "makes no call and says nothing",
    "read_only": "makes the golden calls that only read and says nothing",
    "hand_over": "hands the user over to a person at once",
    "recite": "makes no call and recites the database",
}


def idle_solvers(task: Task, context: GateContext) -> list[AgentName]:
    """The agents that solve the task although they do nothing for the user."""
    golden = context.golden(task)
    scripts = {name: agent(golden, context.facts) for name, agent in AGENTS.items()}
    return [name for name, script in scripts.items() if context.solves(task, script.calls, script.agent_messages)]


@dataclass(frozen=True)
class Inaction:
    """What an agent that makes no call and says nothing gets right, as others judge: database and answers apart."""

    database: bool
    answer: bool


def inaction(task: Task, context: GateContext) -> Inaction:
    """Judge the agent that does nothing."""
    verdict = context.judge(task, [], [])
    return Inaction(verdict.execution, verdict.fidelity)


def acts(solvers: list[AgentName]) -> GateOutcome:
    """Passed if none of the four agents solved the task."""
    return outcome("acts", [f"solved by an agent that {_DOING[name]} ({name})" for name in solvers])
