"""The orchestrator at work: it thinks, calls tools, reads what they bring, and answers (paper, section 2.2).

With only search and extraction among its tools the same loop is a search agent.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from toolscale.artifacts.base import content_id
from toolscale.catalogue.prices import dollars
from toolscale.errors import UserError
from toolscale.llm import BudgetSpent, Gateway, Unanswerable
from toolscale.orchestration.trace import ToolCall, Trace
from toolscale.orchestration.trace_file import TraceFile
from toolscale.orchestration.turns import OUT_OF_BUDGET, Message, Turn, make_calls, stateful, with_ids
from toolscale.prompts import render
from toolscale.settings import ModelSettings, Price
from toolscale.tools.tool import Tool

MAX_TURNS = 50
"""The paper's limit (sections 2.2 and 4.3)."""

STAGE = "orchestration"
"""What the ledger calls an orchestrator's own calls."""

Ending = Literal["answered", "turn_limit", "budget", "agent_error"]

_THINKING = re.compile(r"^.*?</think>", re.DOTALL)
_ANSWER = re.compile(r"(?:^|\n)[*_#\s]*answer[*_]*\s*:[*_]*[ \t]*", re.IGNORECASE)


@dataclass(frozen=True)
class Said:
    """The orchestrator wrote a message: what it thought, and which calls it asks for."""

    turn: int
    message: Message
    dollars: float
    """Of the whole run so far."""
    tokens: int
    """The orchestrator's, of the whole run so far."""
    seconds: float


Event = Said | ToolCall
"""What a listener hears, as it happens; turns out of a trace's file are heard again."""


@dataclass
class _Run:
    """What a run came to so far."""

    messages: list[Message]
    turns: list[Turn] = field(default_factory=list)

    def add(self, turn: Turn) -> None:
        self.turns.append(turn)
        self.messages += turn.messages()

    @property
    def dollars(self) -> float:
        return sum(turn.spent for turn in self.turns)

    @property
    def tokens(self) -> int:
        return sum(turn.prompt_tokens + turn.completion_tokens for turn in self.turns)

    @property
    def seconds(self) -> float:
        return sum(turn.seconds for turn in self.turns)


async def orchestrate(
    question: str,
    model: ModelSettings,
    tools: Sequence[Tool],
    gateway: Gateway,
    *,
    price: Price,
    id: str = "",
    domain: str = "orchestration",
    opening: Sequence[Message] | None = None,
    max_turns: int = MAX_TURNS,
    max_dollars: float | None = None,
    seed: int = 0,
    sample: int = 0,
    trace: Path | None = None,
    heard: Callable[[Event], None] = lambda event: None,
) -> Trace:
    """Let a model solve a question with tools. It ends with the first message that calls no tool.

    Calls of tools that do not exist, or with arguments that cannot be read, are answered with the error, and count.

    Args:
        question: the instruction, with the user's preferences if there are any.
        model: the orchestrator.
        tools: what it is offered, opened for this run.
        gateway: every model call goes through it; what it has answered before is free.
        price: of the orchestrator's own tokens.
        id: of the question or task; derived from the question if empty.
        domain: what the ledger sums by.
        opening: messages to begin with, in place of the prompt `orchestrator` with the question.
        max_turns: messages of the orchestrator.
        max_dollars: no further turn begins once the run has cost so much, tools included.
        seed, sample: the run's; another sample gives another answer.
        trace: file that the turns are written to, and that an interrupted run goes on from.
        heard: told what happens, as it happens.

    Raises:
        UserError: the settings name a model that cannot be had, or the trace's file is another run's.
        GatewayError: the orchestrator's endpoint failed; that is nobody's answer, and no turn is lost.
    """
    named = _by_name(tools)
    offer = [tool.spec.tool() for tool in tools]
    begun = list(opening) if opening is not None else render("orchestrator", question=question, tools=bool(tools))
    id = id or content_id("question", question)
    run = _Run(list(begun))
    kept = (
        TraceFile.open(trace, model=model.model, opening=begun, tools=offer, seed=seed, sample=sample)
        if trace is not None
        else None
    )
    asker = gateway.with_model("agent", model)

    def hear(turn: Turn) -> None:
        spent = run.dollars + turn.dollars
        tokens = run.tokens + turn.prompt_tokens + turn.completion_tokens
        heard(Said(turn.turn, turn.message, spent, tokens, run.seconds + turn.seconds))

    async def ask(number: int) -> Turn:
        """The orchestrator's next message, its calls not made yet."""
        reply = await asker.chat(
            "agent", run.messages, offer, stage=STAGE, domain=domain, task=id, seed=seed, sample=sample
        )
        return Turn(
            turn=number,
            message=with_ids(reply.message),
            dollars=dollars(price, reply.prompt_tokens, reply.completion_tokens),
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            seconds=reply.seconds,
        )

    for turn in kept.turns[:max_turns] if kept else ():
        hear(turn)
        for call in turn.calls:
            if stateful(call, named) and call.answer.error is None:
                await named[call.tool].call(call.arguments)
            heard(call)
        run.add(turn)
    ending: Ending = "turn_limit"
    while len(run.turns) < max_turns and not _is_last(run.turns):
        if max_dollars is not None and run.dollars >= max_dollars:
            ending = "budget"
            break
        try:
            turn = await ask(len(run.turns) + 1)
        except BudgetSpent:
            ending = "budget"
            break
        except Unanswerable:
            ending = "agent_error"
            break
        hear(turn)
        calls, seconds = await make_calls(turn.turn, turn.message, named, heard)
        turn = turn.model_copy(update={"calls": calls, "seconds": turn.seconds + seconds})
        run.add(turn)
        if any(call.answer.error == OUT_OF_BUDGET for call in calls):
            ending = "budget"
            break
        if kept:
            kept.append(turn)
    answer = ""
    if _is_last(run.turns):
        answer = final_answer(run.turns[-1].message)
        ending = "answered" if answer else "agent_error"
    return Trace(
        id=id,
        model=model.model,
        messages=run.messages,
        calls=[call for turn in run.turns for call in turn.calls],
        answer=answer,
        ending=ending,
        dollars=run.dollars,
        seconds=run.seconds,
        prompt_tokens=sum(turn.prompt_tokens for turn in run.turns),
        completion_tokens=sum(turn.completion_tokens for turn in run.turns),
    )


def final_answer(message: Message) -> str:
    """What a last message answers: after its last "Answer:", else the whole of it; never what was thought before."""
    if message.get("refusal"):
        return ""
    said = _THINKING.sub("", str(message.get("content") or ""), count=1)
    marked = list(_ANSWER.finditer(said))
    return said[marked[-1].end() :].strip() if marked else said.strip()


def _is_last(turns: Sequence[Turn]) -> bool:
    return bool(turns) and not turns[-1].message.get("tool_calls")


def _by_name(tools: Sequence[Tool]) -> dict[str, Tool]:
    named = {tool.spec.name: tool for tool in tools}
    if len(named) != len(tools):
        raise UserError("two tools have the same name: an orchestrator could not tell them apart")
    return named
