"""What is durable of a batch: the job, and each of its calls with all that is needed to record the answer."""

import asyncio
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple
from uuid import uuid4

from toolscale.llm.offer import Offer
from toolscale.llm.purpose import Purpose
from toolscale.llm.request import Request

if TYPE_CHECKING:
    from toolscale.store import BatchJob, Store


class WaitingCall(NamedTuple):
    """A call that can wait, and on whose behalf it is made."""

    request: Request
    purpose: Purpose


class Jobs:
    """The batch jobs in a store."""

    def __init__(self, store: "Store") -> None:
        self._store = store

    async def all(self) -> list["BatchJob"]:
        """Every job, the oldest first."""
        from toolscale.store import BatchJob

        found = await asyncio.to_thread(self._store.rows, BatchJob)
        return sorted(found, key=lambda job: (job.created_at, job.id))

    async def intend(self, calls: list[WaitingCall]) -> "BatchJob":
        """A new job for calls of one model, durable before anything is sent."""
        from toolscale.store import BatchCall, BatchJob, ToolList

        first = calls[0].request
        job = BatchJob(
            id=uuid4().hex,
            created_at=datetime.now(UTC),
            endpoint=first.endpoint,
            api_base=first.api_base,
            model=first.model,
            calls=len(calls),
        )
        offers = {request.tools.hash: request.tools for request, _ in calls if request.tools}
        rows = [
            BatchCall(
                job=job.id,
                key=request.key,
                purpose=json.dumps(purpose._asdict()),
                sample=request.sample,
                tools=request.tools.hash if request.tools else None,
                request=request.body,
            )
            for request, purpose in calls
        ]
        await self._store.save(job, *rows, *(ToolList(hash=name, tools=offer.body) for name, offer in offers.items()))
        return job

    async def keys(self, job: "BatchJob") -> list[str]:
        """The keys of a job's calls."""
        from toolscale.store import BatchCall

        return [row.key for row in await asyncio.to_thread(self._store.rows, BatchCall, job=job.id)]

    async def calls(self, job: "BatchJob") -> list[WaitingCall]:
        """The calls of a job, but for those that another process has collected meanwhile."""
        return await asyncio.to_thread(self._calls, job)

    async def save(self, job: "BatchJob") -> None:
        """Write what changed of a job."""
        await self._store.save(job)

    async def close(self, job: "BatchJob") -> None:
        """Nothing more will come of a job: its requests need not be kept twice."""
        from toolscale.store import BatchCall

        job.closed = True
        rows = await asyncio.to_thread(self._store.rows, BatchCall, job=job.id)
        for row in rows:
            row.request = ""
        await self._store.save(job, *rows)

    def _calls(self, job: "BatchJob") -> list[WaitingCall]:
        from toolscale.store import BatchCall, ToolList

        rows = [row for row in self._store.rows(BatchCall, job=job.id) if row.request]
        offers: dict[str | None, Offer | None] = {None: None}
        for name in {row.tools for row in rows if row.tools}:
            (kept,) = self._store.rows(ToolList, hash=name)
            offers[name] = Offer(json.loads(kept.tools), kept.tools, kept.hash)
        calls = []
        for row in rows:
            said = json.loads(row.request)
            request = Request(
                key=row.key,
                model=job.model,
                endpoint=job.endpoint,
                api_base=job.api_base,
                messages=said["messages"],
                tools=offers[row.tools],
                params=said["params"],
                sample=row.sample,
                body=row.request,
            )
            calls.append(WaitingCall(request, Purpose(**json.loads(row.purpose))))
        return calls


def age(job: "BatchJob") -> float:
    """Seconds since a job's calls were gathered."""
    return (datetime.now(UTC) - made_at(job)).total_seconds()


def made_at(job: "BatchJob") -> datetime:
    """When a job's calls were gathered. SQLite forgets the time zone."""
    return job.created_at.replace(tzinfo=job.created_at.tzinfo or UTC)
