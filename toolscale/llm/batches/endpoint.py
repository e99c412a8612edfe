"""One endpoint's batch routes, through the openai SDK's client."""

from collections.abc import AsyncIterator, Awaitable
from datetime import datetime, timedelta
from typing import Any, NamedTuple, TypeVar

import httpx
import openai
from openai.types import Batch
from pydantic import BaseModel, Field, ValidationError

from toolscale.bounded import BadlyPacked, TooManyBytes
from toolscale.errors import UserError
from toolscale.llm.endpoints import base_url, key_for
from toolscale.llm.errors import RetriesExhausted, Transient
from toolscale.llm.failures import understood
from toolscale.llm.redaction import redacted
from toolscale.llm.wire import EndpointClient

ENDED = {"completed", "failed", "expired", "cancelled"}
"""Statuses after which nothing more happens to a batch."""

_OURS = "toolscale_job"
_CLOCKS_DIFFER = timedelta(days=1)
_NO_ROUTE = {404, 405, 501}
_MOST_CALLS = 1_000_000
_ANSWERS_IN_A_FILE = 32
"""So many of the longest answers; of such as models give, more than a batch may hold."""

T = TypeVar("T")


class UnknownBatch(UserError):  # noqa: N818 - the name says what is the matter
    """The endpoint does not know a batch, or a file of it, that it once made."""


class _Counts(BaseModel):
    completed: int = Field(default=0, ge=0, le=_MOST_CALLS)
    failed: int = Field(default=0, ge=0, le=_MOST_CALLS)


class _Fault(BaseModel):
    code: str | None = None
    message: str | None = None


class _Faults(BaseModel):
    data: list[_Fault] | None = None


class _Described(BaseModel):
    """A batch in the endpoint's own words; the SDK takes them as they come."""

    id: str = Field(min_length=1)
    status: str = Field(min_length=1)
    created_at: float = 0.0
    metadata: dict[str, Any] | None = None
    request_counts: _Counts | None = None
    errors: _Faults | None = None
    output_file_id: str | None = None
    error_file_id: str | None = None


class Seen(NamedTuple):
    """A batch as its endpoint describes it."""

    id: str
    status: str
    answered: int
    failed: int
    files: list[str]
    """Ids of the output file and the error file, as far as there are any."""
    complaint: str
    """What was wrong with it as a whole; empty if nothing was."""


class BatchEndpoint:
    """Files and batches of the endpoint that serves a model. Belongs to the event loop on which it is first used.

    Every method makes one request, once, and raises ``Transient`` for what may pass, a ``GatewayError`` for what does
    not, and ``UserError`` where the endpoint has no such routes.
    """

    def __init__(self, model: str, api_base: str | None, seconds: float, most_bytes: int) -> None:
        self._model, self._most_bytes = model, most_bytes
        place = (model, api_base)
        self._client = openai.AsyncOpenAI(
            api_key=key_for(*place),
            base_url=base_url(*place),
            max_retries=0,
            timeout=seconds,
            http_client=EndpointClient(most_bytes),
        )
        self._of_files = self._client.with_options(http_client=EndpointClient(_ANSWERS_IN_A_FILE * most_bytes))

    async def upload(self, job: str, lines: bytes) -> str:
        """Upload a batch's requests; the id of the file."""
        named = (f"{job}.jsonl", lines, "application/jsonl")
        file = await self._told(self._client.files.create(file=named, purpose="batch"))
        return self._text(getattr(file, "id", None))

    async def create(self, job: str, file: str) -> Seen:
        """Have a file's requests answered, from now on paid for."""
        return self._seen(
            await self._told(
                self._client.batches.create(
                    input_file_id=file,
                    endpoint="/v1/chat/completions",
                    completion_window="24h",
                    metadata={_OURS: job},
                )
            )
        )

    async def find(self, job: str, since: datetime) -> Seen | None:
        """The batch that was created for one of our jobs, if one was."""
        earliest = (since - _CLOCKS_DIFFER).timestamp()
        page = await self._told(self._client.batches.list(limit=100))
        while True:
            for batch in map(self._described, self._page(page)):
                if (batch.metadata or {}).get(_OURS) == job:
                    return _seen(batch)
                if batch.created_at < earliest:
                    return None
            if not page.has_next_page():
                return None
            page = await self._told(page.get_next_page())

    async def look(self, batch: str) -> Seen:
        """How far a batch is."""
        return self._seen(await self._told(self._client.batches.retrieve(batch), batch))

    async def cancel(self, batch: str) -> Seen:
        """Ask the endpoint to work on a batch no longer."""
        return self._seen(await self._told(self._client.batches.cancel(batch), batch))

    async def lines(self, file: str) -> AsyncIterator[bytes]:
        """The lines of a file, as they come. One of more bytes than an answer may have ends it, and will again."""
        line = bytearray()
        try:
            async with self._of_files.files.with_streaming_response.content(file) as response:
                async for piece in response.iter_bytes():
                    *ended, rest = piece.split(b"\n")
                    for end in ended:
                        yield bytes(line + end)
                        line.clear()
                    line += rest
                    if len(line) > self._most_bytes:
                        raise TooManyBytes(self._most_bytes)
        except TooManyBytes as error:
            failure = understood(error, self._model)
            raise (failure.final if isinstance(failure, Transient) else failure) from None
        except (openai.OpenAIError, httpx.HTTPError, BadlyPacked) as error:
            raise self._failure(error, file) from None
        if line:
            yield bytes(line)

    async def close(self) -> None:
        """Let go of the connections."""
        await self._client.close()
        await self._of_files.close()

    async def _told(self, call: Awaitable[T], named: str = "") -> T:
        """What a request brought; ``named`` is the batch or file that it asks for."""
        try:
            return await call
        except openai.OpenAIError as error:
            raise self._failure(error, named) from None

    def _failure(self, error: Exception, named: str) -> Exception:
        if isinstance(error, openai.APIStatusError) and error.status_code in _NO_ROUTE:
            return self._absent(named)
        return understood(error, self._model)

    def _absent(self, named: str) -> UserError:
        if named:
            return UnknownBatch(
                f"{self._model}: the endpoint does not know {named}: use the key that it was made with, or give the "
                "batch up with `toolscale batches cancel`"
            )
        return UserError(f"{self._model}: the endpoint has no batch API: take its stages out of TOOLSCALE_BATCH_STAGES")

    def _seen(self, batch: object) -> Seen:
        return _seen(self._described(batch))

    def _described(self, batch: object) -> _Described:
        if not isinstance(batch, Batch):
            raise self._nonsense()
        try:
            return _Described.model_validate(batch.model_dump(exclude_none=True, warnings="none"))
        except ValidationError:
            raise self._nonsense() from None

    def _page(self, page: object) -> list[object]:
        found = getattr(page, "data", None)
        if not isinstance(found, list):
            raise self._nonsense()
        return found

    def _text(self, value: object) -> str:
        if not isinstance(value, str) or not value:
            raise self._nonsense()
        return value

    def _nonsense(self) -> Transient:
        said = f"{self._model}: the endpoint's batch routes send what is no batch: check api_base and any proxy"
        return Transient(RetriesExhausted(said))


def _seen(batch: _Described) -> Seen:
    counts, faults = batch.request_counts or _Counts(), (batch.errors.data if batch.errors else None) or []
    return Seen(
        id=batch.id,
        status=batch.status,
        answered=counts.completed,
        failed=counts.failed,
        files=[file for file in (batch.output_file_id, batch.error_file_id) if file],
        complaint=redacted(" ".join(f"{faults[0].code}: {faults[0].message}".split())) if faults else "",
    )
