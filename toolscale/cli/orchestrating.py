"""An orchestrator at work on one question."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toolscale.printable import in_one_line
from toolscale.terminal import say, say_json

if TYPE_CHECKING:
    from toolscale.questions.task import QuestionTask

OUT_OF_BUDGET = 3
"""Exit status of a run that its budget ended."""

NO_ANSWER = 1
"""Exit status of a run that came to no answer."""


def orchestrate(
    question: Annotated[str, typer.Argument(help="The question, with the user's wishes; or its id, with --questions.")],
    model: Annotated[str, typer.Option(help="The orchestrator's model, as a litellm model string.")] = "",
    api_base: Annotated[str, typer.Option(help="Base URL of its endpoint, if not the provider's.")] = "",
    catalogue: Annotated[
        str, typer.Option(help="none, search, basic, full, training, unseen, example, or FILE.toml[:SET].")
    ] = "full",
    questions: Annotated[
        Path | None,
        typer.Option(help="Folder written by `toolscale import`; QUESTION is then an id in it, with its own tools."),
    ] = None,
    schedule: Annotated[
        str, typer.Option(help="The price schedule, where a task brings no tools of its own.")
    ] = "together",
    mcp: Annotated[
        list[str] | None,
        typer.Option(
            help="Offer an MCP server's tools too: 'NAME=COMMAND' or NAME=URL, or NAME:TOOL,TOOL=... for some of them. "
            "Repeat it for several servers."
        ),
    ] = None,
    index: Annotated[Path | None, typer.Option(help="The folder that local_search searches.")] = None,
    search_service: Annotated[str, typer.Option(help="The web search service: tavily or brave.")] = "",
    descriptions: Annotated[Path | None, typer.Option(help="JSON file of measured model descriptions.")] = None,
    max_turns: Annotated[
        int | None,
        typer.Option(min=1, help="Maximum number of orchestrator messages; by default 50, or 10 of a search agent."),
    ] = None,
    today: Annotated[
        str, typer.Option("--date", help="The day that a search agent is told, as 2026-01-31; by default today.")
    ] = "",
    max_cost: Annotated[
        float | None, typer.Option(min=0, help="Start no further turn after this many dollars.")
    ] = None,
    temperature: Annotated[
        float | None, typer.Option(min=0, help="The orchestrator's temperature; by default the provider's.")
    ] = None,
    max_tokens: Annotated[int, typer.Option(min=1, help="Maximum tokens of one orchestrator message.")] = 8000,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed; another one gets new answers.")] = None,
    trace: Annotated[
        Path | None, typer.Option(help="Write every turn to this file; an interrupted run continues from it.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the trace as one JSON object.")] = False,
) -> None:
    """Let a model answer a question with tools and other models, and watch what it does and what it costs."""
    import asyncio

    from toolscale.errors import UserError
    from toolscale.llm import GatewayError
    from toolscale.orchestration.work import OrchestrateOptions, work

    task = _of_a_set(questions, question) if questions else None
    asked = OrchestrateOptions(
        question=task.instruction if task else question,
        configuration=task.configuration if task else None,
        model=model,
        api_base=api_base or None,
        catalogue=catalogue,
        schedule=schedule,
        mcp=tuple(mcp or ()),
        index=index,
        search_service=search_service,
        descriptions=descriptions,
        max_turns=max_turns,
        today=today,
        max_dollars=max_cost,
        temperature=temperature,
        max_tokens=max_tokens,
        seed=seed,
        trace=trace,
    )

    def complain(line: str) -> None:
        say(f"toolscale: {line}", error=True)

    try:
        if as_json:
            found = asyncio.run(work(asked, complain))
            say_json(found.model_dump(mode="json"))
        else:
            from toolscale.console import console
            from toolscale.orchestration.showing import Show

            with Show(console()).shown() as show:
                found = asyncio.run(work(asked, complain, show.hear))
            show.finish(found)
            if task:
                say(f"reference answer: {in_one_line(task.answer)}")
    except UserError:
        raise
    except GatewayError as error:
        raise UserError(f"{error}") from None
    if found.ending != "answered":
        raise typer.Exit(OUT_OF_BUDGET if found.ending == "budget" else NO_ANSWER)


def serve_orchestrator(
    model: Annotated[str, typer.Option(help="The orchestrator's model, as a litellm model string.")] = "",
    api_base: Annotated[str, typer.Option(help="Base URL of its endpoint, if not the provider's.")] = "",
    name: Annotated[str, typer.Option(help="What clients call the model.")] = "orchestrator",
    catalogue: Annotated[
        str, typer.Option(help="none, search, basic, full, training, unseen, example, or FILE.toml[:SET].")
    ] = "full",
    schedule: Annotated[str, typer.Option(help="The price schedule.")] = "together",
    prefer: Annotated[
        str, typer.Option(help="What its users prefer, in a sentence: said after each request, as in training.")
    ] = "",
    mcp: Annotated[
        list[str] | None,
        typer.Option(help="Offer an MCP server's tools too, as in `toolscale orchestrate`; may be repeated."),
    ] = None,
    index: Annotated[Path | None, typer.Option(help="The folder that local_search searches.")] = None,
    search_service: Annotated[str, typer.Option(help="The web search service: tavily or brave.")] = "",
    descriptions: Annotated[Path | None, typer.Option(help="JSON file of measured model descriptions.")] = None,
    max_turns: Annotated[
        int | None,
        typer.Option(min=1, help="Maximum orchestrator messages a request; by default 50, or 10 of a search agent."),
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option(min=0, help="Dollars that all requests may spend, over restarts too.")
    ] = None,
    max_cost_per_request: Annotated[
        float | None, typer.Option(min=0, help="Dollars after which a request starts no further turn.")
    ] = None,
    keys: Annotated[
        Path | None,
        typer.Option(help="TOML file of keys, each with its own budget and limits; needed beyond loopback."),
    ] = None,
    temperature: Annotated[
        float | None, typer.Option(min=0, help="The orchestrator's temperature; by default the provider's.")
    ] = None,
    max_tokens: Annotated[int, typer.Option(min=1, help="Maximum tokens of one orchestrator message.")] = 8000,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 picks a free one.")] = 8322,
) -> None:
    """Serve an orchestrator with its tools as a model: an OpenAI-compatible endpoint for chat completions."""
    import asyncio

    from toolscale.orchestration.work import OrchestrateOptions
    from toolscale.serving.orchestrator_server import ServeOptions, serve

    def complain(line: str) -> None:
        say(f"toolscale: {line}", error=True)

    asked = OrchestrateOptions(
        question="",
        model=model,
        api_base=api_base or None,
        catalogue=catalogue,
        schedule=schedule,
        mcp=tuple(mcp or ()),
        index=index,
        search_service=search_service,
        descriptions=descriptions,
        max_turns=max_turns,
        temperature=temperature,
        max_tokens=max_tokens,
    )
    served = ServeOptions(
        host=host,
        port=port,
        name=name,
        wish=prefer,
        keys=keys,
        max_dollars=max_cost,
        max_dollars_per_request=max_cost_per_request,
    )
    asyncio.run(serve(asked, served, complain))


def _of_a_set(folder: Path, name: str) -> "QuestionTask":
    from toolscale.dataset.questions import question_task

    return question_task(folder, name)
