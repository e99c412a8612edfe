"""The orchestrator at work: it thinks, calls tools, reads what they bring, and answers (paper, section 2.2).

With only search and extraction among its tools it is a search agent (`search_agent`).
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from toolscale.artifacts.base import content_id
from toolscale.episodes.loop import play
from toolscale.errors import UserError
from toolscale.llm import Gateway
from toolscale.messages import Message
from toolscale.orchestration.manner import USUAL, Manner
from toolscale.orchestration.run import Event, Run, final_answer
from toolscale.orchestration.sources import sources_of
from toolscale.orchestration.trace import ENDINGS, Trace
from toolscale.orchestration.trace_file import TraceFile
from toolscale.prompts import render
from toolscale.settings import ModelSettings, Price
from toolscale.tools.tool import Tool

MAX_TURNS = 50
"""The paper's limit (sections 2.2 and 4.3)."""


async def orchestrate(
    question: str | Sequence[Message],
    model: ModelSettings,
    tools: Sequence[Tool],
    gateway: Gateway,
    *,
    price: Price,
    id: str = "",
    domain: str = "orchestration",
    max_turns: int = MAX_TURNS,
    max_dollars: float | None = None,
    seed: int = 0,
    sample: int = 0,
    manner: Manner = USUAL,
    trace: Path | None = None,
    heard: Callable[[Event], None] = lambda event: None,
) -> Trace:
    """Let a model solve a question with tools. It ends with the first message that calls no tool.

    Calls of tools that do not exist, or with arguments that cannot be read, are answered with the error, and count.

    Args:
        question: the instruction, with the user's preferences if there are any; or messages to begin with, in place of
            the prompt `orchestrator` with the instruction.
        model: the orchestrator.
        tools: what it is offered, opened for this run.
        gateway: every model call goes through it; what it has answered before is free.
        price: of the orchestrator's own tokens.
        id: of the question or task; derived from the question if empty.
        domain: what the ledger sums by.
        max_turns: messages of the orchestrator.
        max_dollars: no further turn begins once the run has cost so much, tools included.
        seed, sample: the run's; another sample gives another answer.
        manner: how the model is asked, and what its answer is held to.
        trace: file that the turns are written to, and that an interrupted run goes on from.
        heard: told what happens, as it happens.

    Raises:
        UserError: the settings name a model that cannot be had, or the trace's file is another run's.
        GatewayError: the orchestrator's endpoint failed; that is nobody's answer, and no turn is lost.
    """
    begun: list[Message]
    if isinstance(question, str):
        begun = render("orchestrator", question=question, tools=bool(tools))
    else:
        begun = list(question)
    id = id or content_id("question", question)
    run = Run(
        asker=gateway.with_model("agent", model),
        price=price,
        id=id,
        domain=domain,
        seed=seed,
        sample=sample,
        tools=_by_name(tools),
        offer=[tool.spec.tool() for tool in tools],
        messages=list(begun),
        heard=heard,
        manner=manner,
        max_turns=max_turns,
    )
    if trace is not None:
        run.file = TraceFile.open(trace, model=model.model, opening=begun, tools=run.offer, seed=seed, sample=sample)
    before = await run.go_on()
    ending = await play(run, run, run.episode, max_turns=max_turns, max_dollars=max_dollars, first=before)
    calls = [call for turn in run.turns for call in turn.calls]
    last = run.turns[-1].message if ending == "done" else {}
    return Trace(
        id=id,
        model=model.model,
        messages=run.messages,
        calls=calls,
        answer=final_answer(last),
        ending=ENDINGS[ending],
        dollars=run.episode.dollars,
        seconds=run.episode.seconds,
        prompt_tokens=run.episode.prompt_tokens,
        completion_tokens=run.episode.completion_tokens,
        sources=sources_of(str(last.get("content") or ""), calls) if manner.cites else [],
    )


def _by_name(tools: Sequence[Tool]) -> dict[str, Tool]:
    named = {tool.spec.name: tool for tool in tools}
    if len(named) != len(tools):
        raise UserError("two tools have the same name: an orchestrator could not tell them apart")
    return named
