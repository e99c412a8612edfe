"""What a judge says of a task's golden calls, by the sentences of the policy that no program can check."""

import json
from collections.abc import Sequence

from pydantic import BaseModel, Field

from toolscale.artifacts import GateOutcome, Task
from toolscale.checkers import GateContext
from toolscale.checkers.gates.policy import JUDGED, what_is_left
from toolscale.environment import not_checkable_in
from toolscale.llm import Unanswerable
from toolscale.prompts import render
from toolscale.synthesis.run import DomainRun

_SHOWN = 1500
"""Characters of a call's result that the judge is shown."""


class Breach(BaseModel):
    """A sentence that a golden call breaks."""

    sentence: int
    call: int
    reason: str = Field(min_length=1)


class PolicyJudgement(BaseModel):
    """What the judge answers with."""

    broken: list[Breach]


async def judged(gates: Sequence[GateOutcome], task: Task, context: GateContext, run: DomainRun) -> list[GateOutcome]:
    """The outcomes of a task that passed the program gates, that of `policy` with the judge's word.

    One call, and none where the environment names no sentence that a program cannot check. A judge that gives no
    judgement lets nothing pass.

    Raises:
        GatewayError: the judge's endpoint failed, or the budget is spent.
    """
    spec = context.sandbox.spec
    sentences = not_checkable_in(spec.rules)
    if not sentences:
        return list(gates)

    def problems(answer: PolicyJudgement) -> list[str]:
        unknown = [each.sentence for each in answer.broken if not 1 <= each.sentence <= len(sentences)]
        beyond = [each.call for each in answer.broken if not 0 <= each.call < len(task.golden_calls)]
        return [f"there is no sentence {number}" for number in unknown] + [f"there is no call {n}" for n in beyond]

    shown = [
        {"name": done.name, "arguments": done.arguments, "result": _clipped(done.result)}
        for done in context.golden(task).replay.outcomes
    ]
    messages = render(
        "judge_policy",
        domain=spec.domain,
        now=spec.now,
        sentences=sentences,
        instruction=task.instruction,
        calls=shown,
    )
    by = f"{JUDGED}{run.settings.for_role('judge').model}"
    try:
        answer = await run.typed("policy", messages, PolicyJudgement, task=task.id, check=problems)
    except Unanswerable as error:
        verdict = GateOutcome(gate="policy", passed=False, reasons=[f"{by}: it gave no judgement: {error}"])
    else:
        reasons = [
            f"{by}: golden_calls[{each.call}] `{task.golden_calls[each.call].name}` breaks "
            f'"{sentences[each.sentence - 1]}": {each.reason}'
            for each in answer.broken
        ]
        kept = f"{by}: it keeps {what_is_left(sentences)}"
        verdict = GateOutcome(gate="policy", passed=not reasons, reasons=reasons or [kept])
    return [verdict if gate.gate == "policy" else gate for gate in gates]


def _clipped(result: object) -> str:
    text = json.dumps(result, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]} ..."
