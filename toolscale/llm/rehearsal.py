"""A gateway that makes no call: what the store knows is answered, and the rest is written down."""

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from toolscale.llm.errors import Unanswerable
from toolscale.llm.gateway import Gateway
from toolscale.llm.offer import Offer
from toolscale.llm.purpose import Purpose
from toolscale.llm.reply import ChatReply
from toolscale.llm.request import Request
from toolscale.llm.traffic import Traffic
from toolscale.messages import Message
from toolscale.settings import Settings

if TYPE_CHECKING:
    from toolscale.store import Store


class NotYetAsked(Unanswerable):
    """The store does not know the answer."""


class Missing(NamedTuple):
    """A call that a run would make."""

    purpose: Purpose
    characters: int
    """Of its messages, tools and parameters."""


class Rehearsal(Gateway):
    """Answers from the store alone, so that a stage can be tried for what it would ask. A miss is `NotYetAsked`."""

    def __init__(self, settings: Settings, store: "Store") -> None:
        super().__init__(settings.model_copy(update={"max_cost": None, "max_calls": None}), store)
        self.answered: Counter[str] = Counter()
        """Stage -> calls that the store answered."""
        self.missing: list[Missing] = []

    async def _call(
        self,
        purpose: Purpose,
        messages: list[Message],
        tools: list[dict[str, Any]] | Offer | None,
        params: dict[str, Any],
        *,
        seed: int,
        sample: int,
    ) -> ChatReply:
        reply = await super()._call(purpose, messages, tools, params, seed=seed, sample=sample)
        self.answered[purpose.stage] += 1
        return reply

    async def _paid(self, request: Request, purpose: Purpose, traffic: Traffic) -> ChatReply:
        self.missing.append(Missing(purpose, request.characters))
        raise NotYetAsked(f"{purpose.stage}: the store does not know this answer")
