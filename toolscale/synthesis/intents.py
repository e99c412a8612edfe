"""Stage: intents. From a domain's functions to the purposes its users could come with."""

from collections.abc import Sequence

from pydantic import BaseModel

from toolscale.artifacts import Domain, EnvironmentSpec, Intent, content_id
from toolscale.llm import Gateway
from toolscale.prompts import render


class IntentsAnswer(BaseModel):
    """What the model answers with."""

    intents: list[str]


async def propose_intents(
    domain: Domain, environment: EnvironmentSpec, gateway: Gateway, *, count: int = 24, seed: int = 0
) -> list[Intent]:
    """Ask for realistic intents that the functions can serve.

    Raises:
        GatewayError: the model could not be had, or its answer could not be used.
    """

    def problems(answer: IntentsAnswer) -> list[str]:
        return _problems(answer.intents, max(3, count // 2))

    answer = await gateway.typed(
        "teacher",
        render(
            "intents",
            domain=domain,
            functions=[function.model_dump(mode="json") for function in environment.functions],
            policy=environment.policy,
            count=count,
        ),
        IntentsAnswer,
        check=problems,
        stage="intents",
        domain=domain.name,
        seed=seed,
    )
    purposes = [purpose.strip() for purpose in answer.intents]
    return [
        Intent(id=content_id(f"{domain.name}-intent", purpose), domain=domain.name, purpose=purpose)
        for purpose in purposes
    ]


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
