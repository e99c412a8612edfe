"""What an exported domain imports of tau2-bench: the package itself where it is installed, else a model of it.

tau2-bench is not on the package index under a name of its own. The model follows its documented fields: what it would
refuse, the model refuses.
"""

import importlib.util
import json
import sys
import types
from enum import Enum
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict


class DB(BaseModel):
    model_config = ConfigDict(extra="forbid")

    @classmethod
    def load(cls, path):
        return cls.model_validate(load_file(path))


def load_file(path):
    return json.loads(Path(path).read_text(encoding="utf-8"))


class ToolType(str, Enum):  # noqa: UP042 - as tau2-bench has it
    READ = "read"
    WRITE = "write"
    THINK = "think"
    GENERIC = "generic"


def is_tool(tool_type=ToolType.READ, mutates_state=None):
    def marked(function):
        function.tool_type = tool_type
        return function

    return marked


class ToolKitBase:
    def __init__(self, db=None):
        self.db = db

    @property
    def tools(self):
        return {
            name: getattr(self, name) for name in dir(type(self)) if hasattr(getattr(type(self), name), "tool_type")
        }

    def use_tool(self, tool_name, **arguments):
        return self.tools[tool_name](**arguments)


class Environment:
    def __init__(self, domain_name, policy, tools):
        self.domain_name, self.policy, self.tools = domain_name, policy, tools


class Action(BaseModel):
    action_id: str
    requestor: Literal["user", "assistant"] = "assistant"
    name: str
    arguments: dict
    info: str | None = None
    compare_args: list[str] | None = None


class Criteria(BaseModel):
    actions: list[Action] | None = None
    communicate_info: list[str] | None = None
    nl_assertions: list[str] | None = None
    reward_basis: list[Literal["DB", "ENV_ASSERTION", "NL_ASSERTION", "ACTION", "COMMUNICATE"]] = ["DB", "COMMUNICATE"]


class Said(BaseModel):
    domain: str
    reason_for_call: str
    known_info: str | None = None
    unknown_info: str | None = None
    task_instructions: str


class Scenario(BaseModel):
    persona: str | None = None
    instructions: Said | str


class Description(BaseModel):
    purpose: str | None = None
    relevant_policies: str | None = None
    notes: str | None = None


class Task(BaseModel):
    id: str
    description: Description | None = None
    user_scenario: Scenario
    ticket: str | None = None
    initial_state: None = None
    evaluation_criteria: Criteria | None = None


def install(monkeypatch):
    """Make `import tau2...` work for the length of a test."""
    if importlib.util.find_spec("tau2") and importlib.util.find_spec("tau2.environment"):
        return
    parts = {
        "tau2": {},
        "tau2.utils": {"load_file": load_file},
        "tau2.environment": {},
        "tau2.environment.db": {"DB": DB},
        "tau2.environment.toolkit": {"ToolKitBase": ToolKitBase, "ToolType": ToolType, "is_tool": is_tool},
        "tau2.environment.environment": {"Environment": Environment},
        "tau2.data_model": {},
        "tau2.data_model.tasks": {"Task": Task},
    }
    for name, content in parts.items():
        module = types.ModuleType(name)
        vars(module).update(content)
        monkeypatch.setitem(sys.modules, name, module)
