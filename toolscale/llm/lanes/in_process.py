"""The lane of our own models: a function call, without a protocol around it."""

from toolscale.llm.errors import UnknownModel
from toolscale.llm.providers import provider_of
from toolscale.llm.reply import ChatReply
from toolscale.llm.request import Request


class InProcessLane:
    """Calls a provider that runs in this process."""

    async def ask(self, request: Request, seconds: float) -> ChatReply:
        """Answer one request. Whatever the provider raises is raised as it is."""
        if request.embeds:
            raise UnknownModel(f"{request.model} makes no embeddings: name an embedding model for the role `embedder`")
        model = request.model.partition("/")[2]
        return provider_of(request.model).complete(model, request.messages, request.tools, request.params)

    async def close(self) -> None:
        """There is nothing to let go of."""
