"""Stage: intents. From a domain's functions to the purposes its users could come with."""

from collections.abc import Sequence

from pydantic import BaseModel

from toolscale.artifacts import EnvironmentSpec, Intent, content_id
from toolscale.prompts import render
from toolscale.synthesis.run import DomainRun

COUNT = 24
"""Intents that are asked for."""


class IntentsAnswer(BaseModel):
    """What the model answers with."""

    intents: list[str]


async def propose_intents(run: DomainRun, environment: EnvironmentSpec) -> list[Intent]:
    """The purposes that users have and that the functions can serve.

    The teacher names them from the functions and the policy.

    Raises:
        GatewayError: the model could not be had, or its answer could not be used.
    """

    def problems(answer: IntentsAnswer) -> list[str]:
        return _problems(answer.intents, max(3, COUNT // 2))

    messages = render(
        "intents",
        domain=run.domain,
        functions=[function.model_dump(mode="json") for function in environment.functions],
        policy=environment.policy,
        count=COUNT,
    )
    answer = await run.typed("intents", messages, IntentsAnswer, check=problems)
    name = run.domain.name
    purposes = [purpose.strip() for purpose in answer.intents]
    return [Intent(id=content_id(f"{name}-intent", purpose), domain=name, purpose=purpose) for purpose in purposes]


def _problems(purposes: Sequence[str], least: int) -> list[str]:
    folded = [purpose.strip().casefold() for purpose in purposes]
    problems = []
    if len(folded) < least:
        problems.append(f"there are {len(folded)} intents; propose at least {least}")
    if not all(folded):
        problems.append("an intent is empty")
    if len(set(folded)) < len(folded):
        problems.append("two intents are the same")
    return problems
