"""Thoughts for steps that have none, from a model that takes the step right: what ToolRL's fine-tuning imitates.

The model is asked with the step's own prompt. What it did counts where a program finds it right: well-formed, with the
golden calls and no others. So its thoughts are those that led there, and not a tale told afterwards.
"""

import re

from toolscale.llm import Gateway, Unanswerable
from toolscale.questions.steps import Step
from toolscale.rewards.toolrl import read_fields

STAGE, DOMAIN = "distill", "steps"

_THOUGHTS = re.compile(r"\s*<think>(.*?)</think>(?:\s*<think>.*?</think>)*(.*)", re.DOTALL)
"""The first of them: a reasoning model that thinks in the open does so twice, of its own and as it is asked."""


async def distilled(step: Step, gateway: Gateway, *, attempts: int, seed: int = 0) -> Step | None:
    """The step with the thoughts of the first attempt that takes it right; None where none does.

    A response that nobody had recorded is the model's too.

    Args:
        step: what there is to do.
        gateway: asks the role `agent`.
        attempts: the most that are made.
        seed: another one is answered anew.

    Raises:
        GatewayError: the model cannot be had, or the budget is spent.
    """
    for sample in range(attempts):
        try:
            reply = await gateway.chat(
                "agent", step.messages(), [], stage=STAGE, domain=DOMAIN, task=step.id, seed=seed, sample=sample
            )
            written = reply.text
        except Unanswerable:
            continue
        if taught := learned_from(step, written):
            return taught
    return None


def learned_from(step: Step, written: str) -> Step | None:
    """The step with the thoughts of what was written for it, where that is right."""
    thoughts = _THOUGHTS.fullmatch(written)
    if thoughts is None or not thoughts[1].strip():
        return None
    done = thoughts[2].strip()
    if not step.is_right(f"<think></think>{done}"):
        return None
    said = (read_fields(done) or {}).get("response", "").strip()
    return step.model_copy(update={"thought": thoughts[1].strip(), "response": step.response or said})
