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


_Model = Annotated[str, typer.Option(help="The orchestrator's model, as a litellm model string.")]
_ApiBase = Annotated[str, typer.Option(help="Base URL of its endpoint, if not the provider's.")]
_Catalogue = Annotated[
    str, typer.Option(help="none, search, basic, full, training, unseen, example, or FILE.toml[:SET].")
]
_Mcp = Annotated[
    list[str] | None,
    typer.Option(
        help="Offer an MCP server's tools too: 'NAME=COMMAND' or NAME=URL, or NAME:TOOL,TOOL=... for some of them. "
        "Repeat it for several servers."
    ),
]
_Index = Annotated[Path | None, typer.Option(help="The folder that local_search searches.")]
_SearchService = Annotated[str, typer.Option(help="The web search service: tavily or brave.")]
_Descriptions = Annotated[Path | None, typer.Option(help="JSON file of measured model descriptions.")]
_MaxTurns = Annotated[
    int | None,
    typer.Option(min=1, help="Maximum number of orchestrator messages; by default 50, or 10 of a search agent."),
]
_Temperature = Annotated[
    float | None, typer.Option(min=0, help="The orchestrator's temperature; by default the provider's.")
]
_MaxTokens = Annotated[int, typer.Option(min=1, help="Maximum tokens of one orchestrator message.")]


def _complain(line: str) -> None:
    say(f"toolscale: {line}", error=True)


def orchestrate(
    question: Annotated[str, typer.Argument(help="The question, with the user's wishes; or its id, with --questions.")],
    model: _Model = "",
    api_base: _ApiBase = "",
    catalogue: _Catalogue = "full",
    questions: Annotated[
        Path | None,
        typer.Option(help="Folder written by `toolscale import`; QUESTION is then an id in it, with its own tools."),
    ] = None,
    schedule: Annotated[
        str, typer.Option(help="The price schedule, where a task brings no tools of its own.")
    ] = "together",
    mcp: _Mcp = None,
    index: _Index = None,
    search_service: _SearchService = "",
    descriptions: _Descriptions = None,
    max_turns: _MaxTurns = None,
    today: Annotated[
        str, typer.Option("--date", help="The day that a search agent is told, as 2026-01-31; by default today.")
    ] = "",
    max_cost: Annotated[
        float | None, typer.Option(min=0, help="Start no further turn after this many dollars.")
    ] = None,
    temperature: _Temperature = None,
    max_tokens: _MaxTokens = 8000,
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

    try:
        if as_json:
            found = asyncio.run(work(asked, _complain))
            say_json(found.model_dump(mode="json"))
        else:
            from toolscale.console import console
            from toolscale.orchestration.showing import Show

            with Show(console()).shown() as show:
                found = asyncio.run(work(asked, _complain, show.hear))
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
    model: _Model = "",
    api_base: _ApiBase = "",
    name: Annotated[str, typer.Option(help="What clients call the model.")] = "orchestrator",
    catalogue: _Catalogue = "full",
    schedule: Annotated[str, typer.Option(help="The price schedule.")] = "together",
    prefer: Annotated[
        str, typer.Option(help="What its users prefer, in a sentence: said after each request, as in training.")
    ] = "",
    mcp: _Mcp = None,
    index: _Index = None,
    search_service: _SearchService = "",
    descriptions: _Descriptions = None,
    max_turns: _MaxTurns = None,
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
    temperature: _Temperature = None,
    max_tokens: _MaxTokens = 8000,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 picks a free one.")] = 8322,
) -> None:
    """Serve an orchestrator with its tools as a model: an OpenAI-compatible endpoint for chat completions."""
    import asyncio

    from toolscale.orchestration.work import OrchestrateOptions
    from toolscale.serving.orchestrator_server import ServeOptions, serve

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
    asyncio.run(serve(asked, served, _complain))


def _of_a_set(folder: Path, name: str) -> "QuestionTask":
    from toolscale.dataset.questions import question_task

    return question_task(folder, name)
