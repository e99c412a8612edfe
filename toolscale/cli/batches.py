"""The batches that runs have sent: seen, collected and cancelled without a run."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from toolscale.errors import UserError
from toolscale.terminal import say, say_json

if TYPE_CHECKING:
    from toolscale.llm.batches import Course
    from toolscale.store import BatchJob

app = typer.Typer(help="List, collect and cancel batches.", no_args_is_help=True)

_PATIENCE_SECONDS = 30
"""How long a command, unlike a run, asks again an endpoint that does not answer."""

BatchIds = Annotated[
    list[str] | None, typer.Argument(metavar="[BATCH]...", help="Batch ids; by default every open batch.")
]
AsJsonLines = Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")]


@app.command("list")
def list_batches(as_json: AsJsonLines = False) -> None:
    """List batches, oldest first; endpoints are asked how far the open ones are."""
    _print(asyncio.run(_each(_look, None, closed_too=True)), as_json)


@app.command()
def collect(batches: BatchIds = None, as_json: AsJsonLines = False) -> None:
    """Store the answers of finished batches, whether or not a run waits for them."""
    _print(asyncio.run(_each(_collect, batches)), as_json)


@app.command()
def cancel(
    batches: BatchIds = None,
    every: Annotated[bool, typer.Option("--all", help="Cancel every open batch.")] = False,
    as_json: AsJsonLines = False,
) -> None:
    """Cancel batches. Answers that already exist were paid for and are kept."""
    if bool(batches) == every:
        raise UserError("name the batches to cancel, as `toolscale batches list` shows them, or give --all")
    _print(asyncio.run(_each(_cancel, batches)), as_json)


async def _look(course: "Course", job: "BatchJob") -> None:
    if not job.closed and job.batch is not None:
        try:
            await course.look(job)
        except Exception as error:  # the list is there to show what is wrong, too
            job.error = str(error)


async def _collect(course: "Course", job: "BatchJob") -> None:
    from toolscale.llm.batches import ENDED

    if await course.found(job):
        seen = await course.look(job)
        if seen.status in ENDED:
            await course.collect(job, seen)


async def _cancel(course: "Course", job: "BatchJob") -> None:
    from toolscale.llm.batches import ENDED

    if await course.found(job):
        seen = await course.cancel(job)
        if seen and seen.status in ENDED:
            await course.collect(job, seen)


async def _each(
    act: Callable[["Course", "BatchJob"], Awaitable[None]], named: list[str] | None, *, closed_too: bool = False
) -> list["BatchJob"]:
    """Do something to each batch that is named, or to every open one; the jobs as they are then."""
    from toolscale.llm import Gateway
    from toolscale.settings import Settings
    from toolscale.store import Store

    settings = Settings.load()
    patience = min(settings.deadline_seconds, _PATIENCE_SECONDS)
    settings = settings.model_copy(update={"deadline_seconds": patience})
    with Store(settings.database_url()) as store:
        async with Gateway(settings, store) as gateway:
            course = gateway.batches().course
            jobs = _chosen(await course.jobs.all(), named or [], closed_too)
            for job in jobs:
                await act(course, job)
    return jobs


def _chosen(jobs: list["BatchJob"], named: list[str], closed_too: bool) -> list["BatchJob"]:
    if not named:
        return [job for job in jobs if closed_too or not job.closed]
    unknown = set(named) - {name for job in jobs for name in (job.id, job.batch)}
    if unknown:
        raise UserError(f"no batch {', '.join(sorted(unknown))} in this store: see `toolscale batches list`")
    return [job for job in jobs if {job.id, job.batch} & set(named) and not job.closed]


def _print(jobs: list["BatchJob"], as_json: bool) -> None:
    for job in jobs:
        say_json(_as_json(job)) if as_json else say(_as_text(job))
    if not jobs and not as_json:
        say("no batches")


def _as_json(job: "BatchJob") -> dict[str, Any]:
    from toolscale.llm.batches import made_at

    names = ("batch", "model", "endpoint", "status", "calls", "answered", "failed")
    return {
        "job": job.id,
        **{name: getattr(job, name) for name in names},
        "collected": job.closed,
        "made_at": made_at(job).isoformat(timespec="seconds"),
        "error": job.error,
    }


def _as_text(job: "BatchJob") -> str:
    state = job.status if job.closed or job.batch else "gathered, and not yet known to be sent"
    where = "" if job.closed else "; not yet collected"
    error = f"; {job.error}" if job.error else ""
    return (
        f"{job.batch or job.id}  {state}: {job.answered} of {job.calls} calls answered, {job.failed} failed{where}"
        f"  {job.model} at {job.endpoint}{error}"
    )
