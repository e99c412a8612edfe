"""Task drafts: what a teacher answers with when it proposes or evolves a task, and how it comes to that answer.

The teacher has the domain's functions as tools, on a scratch session: it can look around and try the solution out
before it writes the task down. A model without tool calling can still answer at once from the excerpt.
"""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field, model_validator

from toolscale.artifacts import FactKind, GoldenCall, Instructions, Lineage, StatedLimit, Task, UserScenario, task_id
from toolscale.environment import Sandbox, Session
from toolscale.episodes.tools import answer_tool_calls
from toolscale.llm import Gateway, MalformedAnswer, Offer, Role
from toolscale.llm.typed import AnswerForm, sent_back
from toolscale.prompts import Message

TURNS = 40
"""How many times the teacher may call functions before it must have answered."""

ROUNDS = 3
"""How often a malformed draft goes back."""

ANSWER_FORM = json.dumps(
    {
        "persona": "one sentence: who the user is and how they speak",
        "reason_for_call": "what the user wants, in the user's own words (first person)",
        "known_info": "what else the user knows: who they are, ids",
        "unknown_info": "what the user does not know, if anything, in the user's own words",
        "task_instructions": "how the user wants to be served, if it matters, in the user's own words",
        "golden_calls": [{"name": "function", "arguments": {"parameter": "value"}}],
        "communicate_info": [{"fact": "short string", "asked": "the user's words that ask for it"}],
        "limits": [{"says": "the user's words, with the number", "call": 0, "field": "total", "at_most": 80}],
        "nl_assertions": ["what should be true in the end, in words"],
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


async def draft_task(
    role: Role,
    stage: str,
    messages: list[Message],
    domain: str,
    sandbox: Sandbox,
    gateway: Gateway,
    *,
    seed: int,
    sample: int = 0,
    parent: str | None = None,
) -> TaskDraft:
    """Let the teacher explore with the domain's functions until it answers with a draft.

    ``parent`` is the id of the task that is being made harder, to find these calls by.

    Raises:
        Unanswerable: it never did.
        GatewayError: the model could not be had.
    """
    session = Session(sandbox)
    form = AnswerForm.of(TaskDraft)
    offer = Offer.of(sandbox.spec.tools())
    rounds = 0
    text, reasons = "", [f"no draft after {TURNS} turns"]
    for turn in range(TURNS):
        tools: Offer | list[dict[str, Any]] = offer if turn < TURNS - 1 else []
        reply = await gateway.chat(
            role, messages, tools, stage=stage, domain=domain, task=parent, seed=seed, sample=sample
        )
        if reply.message.get("tool_calls"):
            messages = [*messages, reply.message, *await answer_tool_calls(reply.message, session)]
            continue
        text = reply.text
        draft: TaskDraft
        draft, reasons = form.read(text, cut_off=reply.finish_reason == "length")
        if not reasons:
            return draft
        rounds += 1
        if rounds == ROUNDS:
            break
        messages = sent_back(messages, text, reasons)
    raise MalformedAnswer(text, reasons)


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
        lineage=Lineage(parent=parent.id, depth=parent.lineage.depth + 1, added=draft.added) if parent else Lineage(),
    )
