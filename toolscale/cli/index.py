"""The index of one's own documents: built once, searched by `local_search`."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from toolscale.terminal import say, say_json, say_text

if TYPE_CHECKING:
    from toolscale.tools.embedders import Embedder

app = typer.Typer(help="Build and search an index of documents for `local_search`.", no_args_is_help=True)

T = TypeVar("T")

_FAILURES_SHOWN = 20


@app.command()
def build(
    path: Annotated[
        Path,
        typer.Argument(help="A folder of .md and .txt files, or a .parquet or .jsonl file with a column text."),
    ],
    out: Annotated[Path, typer.Option(help="The folder to write; an existing index is replaced.")],
    model: Annotated[
        str,
        typer.Option(
            help="A litellm model string, or sentence-transformers/NAME; by default Qwen3-Embedding-8B, locally."
        ),
    ] = "",
    api_base: Annotated[str, typer.Option(help="Base URL of the endpoint, if not the provider's.")] = "",
    chunk_characters: Annotated[int, typer.Option(min=100, help="Maximum characters per chunk.")] = 1_200,
    as_json: Annotated[bool, typer.Option("--json", help="Print the index's manifest as JSON.")] = False,
) -> None:
    """Cut documents into chunks, embed them, and write a Faiss index."""
    from toolscale.tools.embedders import DEFAULT_MODEL
    from toolscale.tools.index import build_index
    from toolscale.whole import writing

    async def work(embedder: "Embedder") -> Any:
        with _progress("embedding") as heard:
            return await build_index(
                path, out, embedder, api_base=api_base or None, chunk_characters=chunk_characters, heard=heard
            )

    with writing(out):
        manifest = _with_embedder(model or DEFAULT_MODEL, api_base or None, work)
    if as_json:
        say_json(manifest.model_dump(mode="json"))
        return
    cost = f", ${manifest.dollars:.4f}" if manifest.dollars else ""
    say(
        f"{out}: {manifest.documents:,} documents in {manifest.chunks:,} chunks, "
        f"{manifest.dimension:,} dimensions by {manifest.model}{cost}"
    )


@app.command()
def pages(
    source: Annotated[str, typer.Argument(help="A table of links, or the name of a benchmark: frames.")],
    out: Annotated[Path, typer.Option(help="The .jsonl file to write; pages that are there are not fetched again.")],
    column: Annotated[str, typer.Option(help="The column with a link, or a list of links.")] = "wiki_links",
    at_once: Annotated[int, typer.Option(min=1, max=16, help="Pages fetched at the same time.")] = 4,
) -> None:
    """Fetch the pages that a table links to, as documents for `build`: those of FRAMES' questions, say."""
    import asyncio

    from toolscale.errors import UserError
    from toolscale.evaluation.benchmarks import BENCHMARKS
    from toolscale.evaluation.benchmarks.places import place_of
    from toolscale.questions.links import links_at
    from toolscale.tools.page_file import fetch_pages
    from toolscale.whole import writing

    known = source in BENCHMARKS and not Path(source).exists()
    links = links_at(place_of(BENCHMARKS[source]) if known else Path(source), column)
    with _progress("pages") as heard, writing(out):
        found = asyncio.run(fetch_pages(links, out, at_once=at_once, heard=heard))
    for url, reason in list(found.failed.items())[:_FAILURES_SHOWN]:
        say(f"toolscale: left out: {reason if url in reason else f'{url}: {reason}'}", error=True)
    say(f"{out}: {found.there:,} of {len(links):,} pages, {found.fetched:,} of them new")
    if found.failed:
        say(f"{len(found.failed):,} are missing; the same command tries them again", error=True)
    if not found.there:
        raise UserError(f"none of the pages of {source} could be had: see why above")


@app.command()
def search(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The index's folder.")],
    query: Annotated[str, typer.Argument(help="What to look for.")],
    results: Annotated[int, typer.Option(min=1, help="Maximum number of passages to show.")] = 5,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")] = False,
) -> None:
    """Show the passages that fit a query best, as an orchestrator would find them."""
    from toolscale.tools.index import Index

    index = Index.open(folder)

    async def work(embedder: "Embedder") -> Any:
        return index.nearest((await embedder.query(query)).vectors, results)

    for chunk, score in _with_embedder(index.manifest.model, index.manifest.api_base, work):
        if as_json:
            say_json({"score": score, **chunk._asdict()})
        else:
            say(f"{score:.3f}  {chunk.document}  {chunk.heading}")
            say_text(f"{chunk.text}\n")


def _with_embedder(model: str, api_base: str | None, work: Callable[["Embedder"], Coroutine[Any, Any, T]]) -> T:
    """Do work with the embedder of a model; one behind an endpoint is asked through the gateway."""
    from toolscale.errors import UserError
    from toolscale.llm import Gateway, GatewayError
    from toolscale.settings import Settings
    from toolscale.store import Store
    from toolscale.tools.embedders import LOCAL, embedder_for

    async def through_gateway() -> T:
        settings = Settings.load()
        with Store(settings.database_url()) as store:
            async with Gateway(settings, store) as gateway:
                return await work(embedder_for(model, gateway, api_base=api_base))

    async def here() -> T:
        return await work(embedder_for(model))

    try:
        return asyncio.run(here() if model.startswith(LOCAL) else through_gateway())
    except GatewayError as error:
        raise UserError(str(error)) from None


@contextmanager
def _progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on standard error, and what to tell it."""
    from rich.progress import Progress

    from toolscale.console import console

    screen = console(error=True)
    with Progress(console=screen, transient=True, disable=not screen.is_terminal) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
