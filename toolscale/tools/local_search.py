"""`local_search`: what an index of one's own documents has about a query."""

import asyncio

from pydantic import Field

from toolscale.errors import UserError
from toolscale.llm.errors import BudgetSpent, GatewayError
from toolscale.tools.base import Arguments, ToolFailed, TypedTool, fenced
from toolscale.tools.embedders import Embedder
from toolscale.tools.index import Hit, Index
from toolscale.tools.tool import ToolAnswer


class LocalSearchArguments(Arguments):
    """What `local_search` takes."""

    query: str = Field(min_length=1, max_length=10_000, description="What to look for, in plain words.")


class LocalSearch(TypedTool[LocalSearchArguments]):
    """Search an index. Nothing leaves this machine but the query, and that only to an embedder behind an endpoint."""

    def __init__(
        self,
        index: Index,
        embedder: Embedder,
        *,
        results: int = 5,
        name: str = "local_search",
        description: str = "Search a local collection of documents. Returns the passages that fit best.",
    ) -> None:
        """Raises UserError where another model made the index."""
        super().__init__("local_search", name, description, LocalSearchArguments)
        index.check_made_by(embedder.model)
        self._index, self._embedder, self._results = index, embedder, results

    async def answer(self, arguments: LocalSearchArguments) -> ToolAnswer:
        """Embed the query, and show the nearest passages.

        Raises:
            BudgetSpent, UserError: the run's budget does not bear it, or the user has to mend the settings.
        """
        query = arguments.query.strip()
        if not query:
            raise ToolFailed("argument `query`: there is nothing in it to search for")
        try:
            embedded = await self._embedder.query(query)
        except (BudgetSpent, UserError):
            raise
        except GatewayError as error:
            raise ToolFailed(f"the query could not be embedded: {error}") from None
        hits = await asyncio.to_thread(self._index.nearest, embedded.vectors, self._results)
        return ToolAnswer(
            content=fenced("\n\n".join(map(_shown, hits)), source="the local documents"),
            dollars=embedded.dollars,
            prompt_tokens=embedded.prompt_tokens,
        )


def _shown(hit: Hit) -> str:
    chunk = hit.chunk
    place = f"{chunk.document} ({chunk.heading})" if chunk.heading else chunk.document
    return f"[{place}] score {hit.score:.3f}\n{chunk.text}"
