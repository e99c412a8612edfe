"""An orchestrator on a benchmark."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from toolscale.cli.bars import bar
from toolscale.cli.options import BUDGET_SPENT, MaxCost
from toolscale.terminal import say, say_json

if TYPE_CHECKING:
    from toolscale.episodes.episode import UserMode
    from toolscale.evaluation.run import EvaluationProgress, EvaluationSummary
    from toolscale.orchestration.toolrl_format import ChatFormat


def evaluate(
    benchmark: Annotated[
        str, typer.Argument(help="hle, frames, bamboogle, gaia, bfcl, api_bank, toolscale, tau2, questions or steps.")
    ],
    data: Annotated[
        str, typer.Option(help="Path of its data, or a Hub repository; by default the benchmark's own.")
    ] = "",
    model: Annotated[str, typer.Option(help="The orchestrator's model, as a litellm model string.")] = "",
    api_base: Annotated[str, typer.Option(help="Base URL of its endpoint, if not the provider's.")] = "",
    judge: Annotated[
        str, typer.Option(help="Model that judges free-form answers; by default as in the settings.")
    ] = "",
    catalogue: Annotated[
        str, typer.Option(help="none, search, basic, full, training, unseen, example, or FILE.toml[:SET].")
    ] = "full",
    schedule: Annotated[
        str,
        typer.Option(
            help="The price schedule, where a task brings no tools of its own; by default together, with --draw one of "
            "the ten of training for each task."
        ),
    ] = "",
    index: Annotated[Path | None, typer.Option(help="The folder that local_search searches.")] = None,
    search_service: Annotated[str, typer.Option(help="The web search service: tavily or brave.")] = "",
    descriptions: Annotated[Path | None, typer.Option(help="JSON file of measured model descriptions.")] = None,
    preferences: Annotated[
        Path | None, typer.Option(help="JSON lines of preferences, one assigned to each task.")
    ] = None,
    draw: Annotated[
        bool | None,
        typer.Option(
            "--draw/--no-draw",
            help="toolscale: draw each task's tools, prices and preference as in training, or offer all the catalogue; "
            "by default as its row says.",
        ),
    ] = None,
    user_mode: Annotated[
        str,
        typer.Option(help="toolscale: users who say everything at once (direct), or whom a model plays (simulated)."),
    ] = "direct",
    baseline: Annotated[Path | None, typer.Option(help="Folder of the run to compare preferences with.")] = None,
    tasks: Annotated[
        int | None, typer.Option(min=1, help="Number of tasks, drawn by the seed; by default all.")
    ] = None,
    max_turns: Annotated[
        str,
        typer.Option(
            help="Maximum turns per task, or several limits: 10,20,50,100; by default 50, 10 of a search agent."
        ),
    ] = "",
    today: Annotated[
        str, typer.Option("--date", help="The day that a search agent is told, as 2026-01-31; by default none.")
    ] = "",
    max_cost: MaxCost = None,
    max_tokens: Annotated[int, typer.Option(min=1, help="Maximum tokens of one orchestrator message.")] = 8000,
    temperature: Annotated[float, typer.Option(min=0, help="The orchestrator's temperature.")] = 0.0,
    chat_format: Annotated[
        str,
        typer.Option("--format", help="How the orchestrator is asked: openai, or toolrl for a model trained on steps."),
    ] = "openai",
    seed: Annotated[int, typer.Option(min=0, help="Seed for drawing tasks and assigning preferences.")] = 0,
    at_once: Annotated[int, typer.Option(min=1, help="Tasks attempted at the same time.")] = 8,
    out: Annotated[Path | None, typer.Option(help="Folder of the run; an existing one is continued.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the metrics as one JSON object.")] = False,
) -> None:
    """Run a benchmark with an orchestrator and a catalogue: accuracy, cost, time, calls by tool, and a report.

    `toolscale evaluate compare` puts runs side by side.
    """
    import asyncio

    from toolscale.errors import UserError
    from toolscale.evaluation.run import EvaluationOptions, evaluate
    from toolscale.llm import GatewayError

    asked = EvaluationOptions(
        benchmark=benchmark,
        data=data,
        model=model,
        api_base=api_base or None,
        judge=judge,
        catalogue=catalogue,
        schedule=schedule,
        index=index,
        search_service=search_service,
        descriptions=descriptions,
        preferences=preferences,
        draw=draw,
        baseline=baseline,
        tasks=tasks,
        max_turns=_limits(max_turns) if max_turns else (),
        today=today,
        user_mode=_user_mode(user_mode),
        max_cost=max_cost,
        max_tokens=max_tokens,
        temperature=temperature,
        seed=seed,
        format=_format(chat_format),
        at_once=at_once,
        out=out,
    )

    def complain(line: str) -> None:
        say(f"toolscale: {line}", error=True)

    try:
        with bar(benchmark) as heard:

            def tell(progress: "EvaluationProgress") -> None:
                heard(progress.done, progress.total, f"{progress.solved} solved, ${progress.dollars:.4f}")

            outcome = asyncio.run(evaluate(asked, complain, tell))
    except UserError:
        raise
    except GatewayError as error:
        raise UserError(f"{error}; attempts made are kept; run the same command to continue") from None
    say_json(outcome.metrics) if as_json else _print(outcome)
    if outcome.over_budget:
        raise typer.Exit(BUDGET_SPENT)


def _limits(text: str) -> tuple[int, ...]:
    from toolscale.errors import UserError

    try:
        limits = tuple(int(part) for part in text.split(","))
    except ValueError:
        limits = ()
    if not limits or min(limits) < 1:
        raise UserError(f"--max-turns {text} is no number of turns: give one, or several as 10,20,50,100")
    return limits


def _user_mode(name: str) -> "UserMode":
    from toolscale.errors import UserError

    if name not in ("direct", "simulated"):
        raise UserError(f"--user-mode {name}: there is direct and simulated")
    return "simulated" if name == "simulated" else "direct"


def _format(name: str) -> "ChatFormat":
    from toolscale.errors import UserError

    formats: dict[str, ChatFormat] = {"openai": "openai", "toolrl": "toolrl"}
    if name not in formats:
        raise UserError(f"--format {name} is unknown: use {' or '.join(formats)}")
    return formats[name]


def _print(outcome: "EvaluationSummary") -> None:
    from toolscale.console import console, table

    metrics = outcome.metrics
    say(f"{metrics['title']}, {metrics['tasks']} tasks", "means, with 95% intervals", "")
    shown = table("turns", "tasks", "accuracy, %", "cents a task", "minutes a task")
    for limit, each in metrics["max_turns"].items():
        if not each["tasks"]:
            shown.add_row(limit, "0", "", "", "")
            continue
        ranged = [
            f"{each[name]['mean']:.{digits}f} ({each[name]['low']:.{digits}f}-{each[name]['high']:.{digits}f})"
            for name, digits in (("accuracy", 1), ("cents", 2), ("minutes", 2))
        ]
        shown.add_row(limit, str(each["tasks"]), *ranged)
    console().print(shown)
    say("")
    for limit, each in metrics["max_turns"].items():
        if columns := each.get("leaderboard"):
            say(f"at {limit} turns, as on the leaderboard: {_columns(columns)}")
    if metrics["preference"]:
        say(f"preference-aware metric: {metrics['preference']['per_task']:.1f}% a task")
    if outcome.over_budget:
        say("the budget ended the run; run the same command with a higher --max-cost to continue")
    say(f"{outcome.folder}/report.html")


def _columns(columns: dict[str, Any]) -> str:
    told = ", ".join(f"{name} {value:.2f}%" for name, value in columns.items() if isinstance(value, float))
    missing = columns["missing"]
    return f"{told}; without {', '.join(missing)}" if missing else told
