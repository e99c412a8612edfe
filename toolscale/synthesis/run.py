"""What the stages of a domain share while they run."""

from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel

from toolscale.artifacts import Domain
from toolscale.llm import ChatReply, Gateway, Offer
from toolscale.llm.gateway import Check, OnRefused
from toolscale.messages import Message
from toolscale.settings import Settings
from toolscale.stages import ROLES, Stage
from toolscale.store import Store
from toolscale.synthesis.tally import Told, unheard
from toolscale.synthesis.wanted import Wanted

T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True)
class DomainRun:
    """One domain on its way through the stages: what is made, by which settings, and who answers."""

    domain: Domain
    gateway: Gateway
    store: Store
    settings: Settings
    first_tasks: int
    """How many first tasks are proposed."""
    evolution_rounds: int = 1
    """How often each is made harder."""
    wanted: Wanted | None = None
    """Which tasks are wanted, where a number was named; None = whatever passes of what is proposed."""
    told: Told = unheard
    """Hears how far the stage at work is."""

    @property
    def seed(self) -> int:
        """From which all randomness of the run follows."""
        return self.settings.seed

    async def typed(
        self,
        stage: Stage,
        messages: list[Message],
        answer: type[T],
        *,
        task: str | None = None,
        check: Check[T] | None = None,
        on_refused: OnRefused | None = None,
        rounds: int = 3,
        sample: int = 0,
    ) -> T:
        """A typed answer of the role that the stage asks, as `Gateway.typed` gives it."""
        return await self.gateway.typed(
            ROLES[stage],
            messages,
            answer,
            check=check,
            on_refused=on_refused,
            rounds=rounds,
            stage=stage,
            domain=self.domain.name,
            task=task,
            seed=self.seed,
            sample=sample,
        )

    async def chat(
        self,
        stage: Stage,
        messages: list[Message],
        tools: list[dict[str, Any]] | Offer,
        *,
        task: str | None,
        sample: int,
    ) -> ChatReply:
        """The next message of the role that the stage asks, which may call tools."""
        return await self.gateway.chat(
            ROLES[stage],
            messages,
            tools,
            stage=stage,
            domain=self.domain.name,
            task=task,
            seed=self.seed,
            sample=sample,
        )
