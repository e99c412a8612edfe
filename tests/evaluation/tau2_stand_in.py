"""What we use of tau2-bench, in its shape (version 1.0): one domain, a user with a script, a strict evaluator.

The domain is a counter. Its user says what the script says, one line after each answer of the agent, and then stops.
"""

import sys
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any


@dataclass
class ToolCall:
    id: str
    name: str
    arguments: dict[str, Any]


@dataclass
class AssistantMessage:
    role: str
    content: str | None = None
    tool_calls: list[ToolCall] | None = None


@dataclass
class UserMessage:
    content: str
    role: str = "user"

    def __post_init__(self) -> None:
        if not self.content:
            raise ValueError("UserMessage must have either content or tool_calls")


@dataclass
class ToolMessage:
    id: str
    content: str
    error: bool = False
    role: str = "tool"


@dataclass
class Task:
    id: str
    says: list[str]
    wanted: int


@dataclass
class Environment:
    count: int = 0

    def get_policy(self) -> str:
        return "Never count beyond ten."

    def get_tools(self) -> list[Any]:
        function = {
            "name": "add",
            "description": "Adds to the counter.",
            "parameters": {"type": "object", "properties": {"amount": {"type": "integer"}}},
        }
        return [SimpleNamespace(openai_schema={"type": "function", "function": function})]

    def respond(self, call: ToolCall) -> ToolMessage:
        if call.arguments["amount"] < 1:
            return ToolMessage(call.id, "Error: the amount is below 1", error=True)
        self.count += call.arguments["amount"]
        return ToolMessage(call.id, str(self.count))


@dataclass
class Orchestrator:
    domain: str
    agent: Any
    user: Any
    environment: Environment
    task: Task
    max_steps: int
    seed: int
    errors: int = 0
    ended: str = "user_stop"

    def run(self) -> None:
        self.agent.set_seed(self.seed)
        state = self.agent.get_init_state(message_history=[AssistantMessage("assistant", "Hi! How can I help?")])
        for line in self.task.says:
            said, state = self.agent.generate_next_message(UserMessage(line), state)
            while said.tool_calls:
                assert not said.content, "tau2-bench takes text or calls, never both"
                (call,) = said.tool_calls
                answer = self.environment.respond(call)
                self.errors += answer.error
                if self.errors >= 3:
                    self.ended = "too_many_errors"
                    return
                said, state = self.agent.generate_next_message(answer, state)
            if self.agent.is_stop(said):
                self.ended = "agent_stop"
                return
        self.agent.stop(said, state)


def run_simulation(orchestrator: Orchestrator) -> Any:
    orchestrator.run()
    reward = float(orchestrator.environment.count == orchestrator.task.wanted)
    reward_info = SimpleNamespace(reward=reward, reward_breakdown={"DB": reward})
    return SimpleNamespace(reward_info=reward_info, termination_reason=orchestrator.ended)


@dataclass
class Registry:
    tasks: list[Task] = field(default_factory=list)

    def get_domains(self) -> list[str]:
        return ["counter"]

    def get_task_splits_loader(self, domain: str) -> Any:
        return lambda: {"base": [task.id for task in self.tasks]}

    def get_tasks_loader(self, domain: str) -> Any:
        return lambda split="base": self.tasks


def install(monkeypatch: Any, *tasks: Task) -> None:
    """Put the stand-in where `import tau2...` finds it, until the test ends."""
    parts: dict[str, dict[str, Any]] = {
        "tau2": {},
        "tau2.registry": {"registry": Registry(list(tasks))},
        "tau2.runner": {},
        "tau2.runner.build": {
            "build_environment": lambda domain: Environment(),
            "build_user": lambda name, environment, task, llm, llm_args: None,
        },
        "tau2.runner.simulation": {"run_simulation": run_simulation},
        "tau2.evaluator": {},
        "tau2.evaluator.evaluator_nl_assertions": {"DEFAULT_LLM_NL_ASSERTIONS": "gpt-4.1"},
        "tau2.orchestrator": {},
        "tau2.orchestrator.orchestrator": {"Orchestrator": Orchestrator},
        "tau2.data_model": {},
        "tau2.data_model.message": {"AssistantMessage": AssistantMessage, "ToolCall": ToolCall},
        "loguru": {"logger": SimpleNamespace(disable=lambda name: None)},
    }
    for name, contents in parts.items():
        module = ModuleType(name)
        vars(module).update(contents)
        monkeypatch.setitem(sys.modules, name, module)
