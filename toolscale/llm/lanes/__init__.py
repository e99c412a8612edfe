"""The ways to an endpoint. Which one a model takes follows from its model string; nobody else has to know.

The openai SDK costs a quarter of what litellm costs, so OpenAI's own models and the servers that speak its protocol
take that lane; every other provider takes litellm's. A model of our own runs in this process.
"""

from typing import Literal, Protocol

from toolscale.llm.endpoints import speaks_openai
from toolscale.llm.providers import is_ours
from toolscale.llm.reply import ChatReply
from toolscale.llm.request import Request


class Lane(Protocol):
    """One way to make a call. Clients belong to the event loop on which they were first used."""

    async def ask(self, request: Request, seconds: float) -> ChatReply:
        """Make one request, once. Whatever goes wrong is raised as the library raises it; ``understood`` reads it."""
        ...

    async def close(self) -> None:
        """Let go of the connections."""
        ...


def lane_of(model: str) -> Literal["in_process", "openai_sdk", "litellm"]:
    """The lane that a model takes."""
    if is_ours(model):
        return "in_process"
    return "openai_sdk" if speaks_openai(model) else "litellm"
