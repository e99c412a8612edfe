"""Task drafts: what a teacher answers with when it proposes or evolves a task."""

import json
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, Field, model_validator

from toolscale.artifacts import (
    FactKind,
    GoldenCall,
    Instructions,
    Lineage,
    Operator,
    StatedLimit,
    Task,
    UserScenario,
    task_id,
)

ANSWER_FORM = json.dumps(
    {
        "persona": "one sentence: who the user is and how they speak",
        "reason_for_call": "what the user wants, in the user's own words (first person)",
        "known_info": "what else the user knows: who they are, ids",
        "unknown_info": "what the user does not know, if anything, in the user's own words",
        "task_instructions": "how the user wants to be served, if it matters, in the user's own words",
        "golden_calls": [{"name": "function", "arguments": {"parameter": "value"}}],
        "communicate_info": [{"fact": "short string", "kind": "amount", "asked": "the user's words that ask for it"}],
        "limits": [{"says": "the user's words, with the number", "call": 0, "field": "total", "at_most": 80}],
        "nl_assertions": ["what should be true in the end, in words"],
        "operator": "",
        "added": "what was added to an old task; empty for a new one",
    },
    indent=1,
)


class DraftCall(BaseModel):
    """A golden call as the teacher writes it."""

    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class DraftFact(BaseModel):
    """A fact to tell as the teacher writes it; `asked` are words of the user that ask for it."""

    fact: str
    kind: FactKind | None = None
    asked: str = ""


class TaskDraft(BaseModel):
    """The teacher's answer: a task, or why there can be none."""

    persona: str = ""
    reason_for_call: str = ""
    known_info: str = ""
    unknown_info: str = ""
    task_instructions: str = ""
    golden_calls: list[DraftCall] = []
    communicate_info: list[str | DraftFact] = []
    limits: list[StatedLimit] = []
    nl_assertions: list[str] = []
    operator: Operator | Literal[""] = ""
    added: str = ""
    infeasible: str = ""

    @property
    def facts(self) -> list[DraftFact]:
        """What the agent must tell the user, in one form."""
        return [DraftFact(fact=info) if isinstance(info, str) else info for info in self.communicate_info]

    @model_validator(mode="after")
    def _says_something(self) -> "TaskDraft":
        if not self.infeasible and not self.reason_for_call.strip():
            raise ValueError("`reason_for_call` is empty, and nothing is said to be `infeasible`")
        return self


def as_task(domain: str, intent: str, draft: TaskDraft | Mapping[str, Any], parent: Task | None = None) -> Task:
    """The draft as a task, with an id derived from its content."""
    if not isinstance(draft, TaskDraft):
        draft = TaskDraft.model_validate(draft)
    scenario = UserScenario(
        persona=draft.persona,
        instructions=Instructions(
            domain=domain,
            reason_for_call=draft.reason_for_call,
            known_info=draft.known_info,
            unknown_info=draft.unknown_info,
            task_instructions=draft.task_instructions,
        ),
    )
    calls = [
        GoldenCall(action_id=f"{index}", name=call.name, arguments=call.arguments)
        for index, call in enumerate(draft.golden_calls)
    ]
    facts = [fact.fact for fact in draft.facts]
    return Task(
        id=task_id(domain, scenario, calls, facts),
        domain=domain,
        intent=intent,
        user_scenario=scenario,
        golden_calls=calls,
        communicate_info=facts,
        fact_kinds={fact.fact: fact.kind for fact in draft.facts if fact.kind},
        asked={fact.fact: fact.asked for fact in draft.facts if fact.asked.strip()},
        limits=draft.limits,
        nl_assertions=draft.nl_assertions,
        lineage=_lineage(draft, parent),
    )


def _lineage(draft: TaskDraft, parent: Task | None) -> Lineage:
    operator = draft.operator or None
    if parent is None:
        return Lineage(operator=operator)
    return Lineage(parent=parent.id, depth=parent.lineage.depth + 1, operator=operator, added=draft.added)
