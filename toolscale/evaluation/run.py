"""A benchmark from a command line to its report: data, orchestrator, catalogue, attempts, metrics."""

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from toolscale.catalogue.catalogue import CatalogueTool, described, read_tools, searched_by
from toolscale.catalogue.configuration import configure
from toolscale.catalogue.prices import EVALUATION, TRAINING, PriceSchedule, schedule
from toolscale.catalogue.toolbox import Toolbox
from toolscale.descriptions.description import read_descriptions
from toolscale.episodes.episode import UserMode
from toolscale.errors import UserError
from toolscale.evaluation.benchmarks import Benchmark, benchmark_named
from toolscale.evaluation.benchmarks.episodes import EpisodeProblem
from toolscale.evaluation.benchmarks.places import place_of
from toolscale.evaluation.metrics import at_limits, preference_metric
from toolscale.evaluation.preferences import dealt, fingerprint, read_preferences
from toolscale.evaluation.problem import OfOneUser, Problem
from toolscale.evaluation.report import write_report
from toolscale.evaluation.results import METRICS, AttemptResult, Results, counted, read_results, write_parquet
from toolscale.evaluation.solver import Solver
from toolscale.instances import InstanceOptions, Instances
from toolscale.llm import Gateway, GatewayError
from toolscale.llm.endpoints import see_that_it_has_an_address
from toolscale.orchestration.loop import MAX_TURNS
from toolscale.orchestration.search_agent import MAX_TURNS as SEARCH_TURNS
from toolscale.orchestration.search_agent import day, is_search_agent
from toolscale.orchestration.toolrl_format import ChatFormat
from toolscale.orchestration.work import price_for
from toolscale.settings import ModelSettings, Price, Settings, model_at
from toolscale.whole import writing

REPORT, TRACES = "report.html", "traces"


@dataclass(frozen=True)
class EvaluationOptions:
    """What a user asks for."""

    benchmark: str
    data: str = ""
    """A path, or a repository on the Hub; empty = the benchmark's own."""
    model: str = ""
    """litellm's model string of the orchestrator; empty = the agent of the settings."""
    api_base: str | None = None
    judge: str = ""
    """Model that judges free answers; empty = the judge of the settings."""
    catalogue: str = "full"
    schedule: str = ""
    """Of what brings no tools of its own. Empty: together's; for a task that is drawn, one of the ten of training."""
    index: Path | None = None
    search_service: str = ""
    descriptions: Path | None = None
    preferences: Path | None = None
    draw: bool | None = None
    """True gives domain tasks without an instance one each, as in training; False offers all of them the catalogue."""
    baseline: Path | None = None
    tasks: int | None = None
    max_turns: tuple[int, ...] = ()
    """Empty: fifty, or ten of a search agent."""
    today: str = ""
    """The day that a search agent is told; empty = none."""
    user_mode: UserMode = "direct"
    """Whether users of domain tasks say everything at once, or are played by the model in the role `user`."""
    max_cost: float | None = None
    max_tokens: int = 8000
    temperature: float = 0.0
    seed: int = 0
    format: ChatFormat = "openai"
    at_once: int = 8
    out: Path | None = None


@dataclass(frozen=True)
class EvaluationProgress:
    """How far a run is."""

    done: int
    total: int
    solved: int
    dollars: float


@dataclass(frozen=True)
class EvaluationSummary:
    """What a run came to."""

    folder: Path
    metrics: dict[str, Any]
    over_budget: bool


async def evaluate(
    options: EvaluationOptions,
    complain: Callable[[str], None],
    heard: Callable[[EvaluationProgress], None] = lambda progress: None,
) -> EvaluationSummary:
    """Attempt a benchmark's tasks at each limit on turns, and write trajectories, metrics and report.

    What an earlier run in the same folder attempted is not attempted again. `complain` is told of each tool that cannot
    be had here, and why.

    Raises:
        UserError: the options cannot be followed as they stand.
        GatewayError: an endpoint failed; what was attempted is kept.
    """
    from toolscale.store import Store

    benchmark = benchmark_named(options.benchmark)
    settings = Settings.load(**({} if options.max_cost is None else {"max_cost": options.max_cost}))
    model = _orchestrator(options, settings)
    prices = schedule(options.schedule or EVALUATION)
    told = read_descriptions(options.descriptions) if options.descriptions else {}
    catalogue = described(read_tools(options.catalogue), {name: each.description for name, each in told.items()})
    if options.search_service:
        catalogue = searched_by(catalogue, options.search_service)
    latencies = {name: each.latency for name, each in told.items() if each.latency is not None}
    options = _with_limits(options, catalogue)
    if options.draw is not None and options.benchmark != "toolscale":
        raise UserError("--draw and --no-draw are for the tasks of `toolscale`; leave them out")
    instances = _instances(options) if options.draw else None
    preferences = read_preferences(options.preferences) if options.preferences and not instances else []
    baseline = read_results(options.baseline) if options.baseline else []
    if options.baseline and not baseline:
        raise UserError(f"{options.baseline} holds no results of an evaluation: name the --out folder of one")
    if benchmark.judged and not options.judge and settings.for_role("judge").model.startswith("offline/"):
        raise UserError(f"{benchmark.title} needs a model that judges answers: name one with --judge")
    judge = model_at(options.judge, None) if options.judge else settings.for_role("judge")
    for asked in (model, *([judge] if benchmark.judged else [])):
        see_that_it_has_an_address(asked.model, asked.api_base)
    folder = options.out or _folder(settings, benchmark, model, options)
    with ExitStack() as stack:
        problems = _drawn(benchmark.read(place_of(benchmark, options.data), stack), options)
        if options.draw is not None:
            problems = [one.drawing(instances) if isinstance(one, EpisodeProblem) else one for one in problems]
        _check_users(options, settings, problems)
        own = [one for one in problems if isinstance(one, OfOneUser)]
        store = stack.enter_context(Store(settings.database_url()))
        async with (
            Gateway(settings, store) as gateway,
            Toolbox(catalogue, gateway, index=options.index) as toolbox,
        ):
            for name, reason in toolbox.missing.items():
                complain(f"{name} is left out: {reason}")
            configuration = configure(toolbox.available, prices, latencies)
            for each in {one.configuration.id: one.configuration for one in own if one.configuration}.values():
                toolbox.see_that_it_has(each)
            identity = _identity(options, model, configuration.id, fingerprint(preferences))
            drawn = {} if options.draw is None else {"instances": instances.fingerprint if instances else ""}
            results = Results.open(folder, identity | drawn)
            names = [problem.id for problem in problems]
            solver = Solver(
                benchmark=benchmark.name,
                model=model,
                prices=_prices(model, prices, own, settings),
                gateway=gateway,
                toolbox=toolbox,
                configuration=configuration,
                judging=gateway.with_model("judge", judge),
                traces=folder / TRACES,
                preferences=dealt(preferences, names, options.seed)
                | {one.id: one.preference for one in own if one.preference},
                max_turns=max(options.max_turns),
                user=settings.for_role("user"),
                judge=judge,
                seed=options.seed,
                format=options.format,
                today=options.today,
                user_mode=options.user_mode,
            )
            over_budget = await _attempts(problems, options, solver, results, heard)
    metrics = _metrics(options, benchmark, model, problems, results, list(configuration.names), baseline)
    _write(folder, metrics, results, problems, options)
    return EvaluationSummary(folder, metrics, over_budget)


async def _attempts(
    problems: Sequence[Problem],
    options: EvaluationOptions,
    solver: Solver,
    results: Results,
    heard: Callable[[EvaluationProgress], None],
) -> bool:
    """Attempt what has no result yet, a few at once; True if the budget ended it before all was attempted.

    A shorter limit comes first: the trace that it leaves is where a longer one goes on.
    """
    limits = sorted(set(options.max_turns))
    names = [problem.id for problem in problems]
    total = len(problems) * len(limits)
    failures: list[BaseException] = []
    over_budget = False

    def tell() -> None:
        found = [result for limit in limits for result in results.of(names, limit)]
        spent = sum(result.trace.dollars for result in found)
        heard(EvaluationProgress(len(found), total, sum(result.solved for result in found), spent))

    tell()
    for limit in limits:
        left = iter([problem for problem in problems if (problem.id, limit) not in results])

        async def work(limit: int = limit, left: Any = left) -> None:
            nonlocal over_budget
            for problem in left:
                if failures or over_budget:
                    return
                try:
                    attempt = await problem.attempt(solver.within(limit))
                except (GatewayError, UserError) as error:
                    failures.append(error)
                    return
                if attempt.trace.ending == "budget":
                    over_budget = True
                    return
                results.add(AttemptResult.of(problem, attempt, limit, solver.preferences.get(problem.id)))
                tell()

        await asyncio.gather(*(work() for _ in range(options.at_once)))
    if failures:
        from toolscale.llm import BudgetSpent

        if not isinstance(failures[0], BudgetSpent):
            raise failures[0]
        over_budget = True
    return over_budget


def _prices(
    model: ModelSettings, prices: PriceSchedule, problems: Sequence[OfOneUser], settings: Settings
) -> dict[str, Price]:
    """What the orchestrator's tokens cost under the run's schedule, and under each that a problem brings."""
    own = {one.configuration.schedule for one in problems if one.configuration}
    return {name: price_for(model, schedule(name), settings) for name in sorted({prices.name, *own})}


def _instances(options: EvaluationOptions) -> Instances:
    """What draws the instances of domain tasks: the same as a training with these settings draws."""
    drawn_from = InstanceOptions(
        options.catalogue,
        (options.schedule,) if options.schedule else TRAINING,
        options.preferences,
        options.descriptions,
        options.seed,
    )
    return Instances.beside_functions(drawn_from)


def _drawn(problems: Sequence[Problem], options: EvaluationOptions) -> list[Problem]:
    """The tasks asked for: more of them begin with the same ones."""
    if options.tasks is None:
        return list(problems)
    shuffled = sorted(problems, key=lambda problem: problem.id)
    Random(options.seed).shuffle(shuffled)
    return shuffled[: options.tasks]


def _metrics(
    options: EvaluationOptions,
    benchmark: Benchmark,
    model: ModelSettings,
    problems: Sequence[Problem],
    results: Results,
    tools: list[str],
    baseline: Sequence[AttemptResult],
) -> dict[str, Any]:
    names = [problem.id for problem in problems]
    by_limit = {limit: results.of(names, limit) for limit in sorted(set(options.max_turns))}
    longest = max(by_limit)
    offered = {tool for found in by_limit.values() for result in found for tool in result.tools}
    limits = at_limits(by_limit, options.seed)
    for each in limits.values() if benchmark.columns else ():
        each["leaderboard"] = benchmark.leaderboard(each.get("topics", {}))
    compared = [result for result in baseline if result.max_turns == longest]
    return {
        "benchmark": benchmark.name,
        "title": benchmark.title,
        "tasks": len(problems),
        "complete": all(len(found) == len(problems) for found in by_limit.values()),
        "run": {
            "model": model.model,
            "catalogue": options.catalogue,
            "schedule": options.schedule or EVALUATION,
            "seed": options.seed,
            "temperature": options.temperature,
        },
        "tools": [name for name in tools if name in offered],
        "max_turns": limits,
        "baseline": str(options.baseline) if options.baseline else None,
        "preference": preference_metric(by_limit[longest], compared) if baseline else None,
    }


def _write(
    folder: Path, metrics: dict[str, Any], results: Results, problems: Sequence[Problem], options: EvaluationOptions
) -> None:
    names = [problem.id for problem in problems]
    limits = sorted(set(options.max_turns))
    write_parquet(folder, counted(result for limit in limits for result in results.of(names, limit)))
    write_report(folder / REPORT, metrics, counted(results.of(names, limits[-1])))
    with writing(folder / METRICS):
        (folder / METRICS).write_text(json.dumps(metrics, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _identity(options: EvaluationOptions, model: ModelSettings, configuration: str, preferences: str) -> dict[str, Any]:
    """What a run's results depend on, and so may not change from one run in a folder to the next."""
    return {
        "benchmark": options.benchmark,
        "data": options.data,
        "model": model.model,
        "temperature": model.temperature,
        "max_tokens": model.max_tokens,
        "configuration": configuration,
        "judge": options.judge,
        "preferences": preferences,
        "seed": options.seed,
        **({"format": options.format} if options.format != "openai" else {}),
        **({"date": options.today} if options.today else {}),
        **({"user_mode": options.user_mode} if options.user_mode != "direct" else {}),
    }


def _check_users(options: EvaluationOptions, settings: Settings, problems: Sequence[Problem]) -> None:
    """Raises UserError where users are to be played, and there are none, or none that a model could play."""
    if options.user_mode == "direct":
        return
    tasks = [problem.task for problem in problems if isinstance(problem, EpisodeProblem)]
    if not tasks:
        raise UserError("--user-mode simulated is for the tasks of `toolscale`; leave it out")
    if silent := [task.id for task in tasks if task.user_scenario is None]:
        raise UserError(f"task {silent[0]} has no user_scenario that a model could play: use --user-mode direct")
    user = settings.for_role("user")
    see_that_it_has_an_address(user.model, user.api_base)


def _with_limits(options: EvaluationOptions, catalogue: Sequence[CatalogueTool]) -> EvaluationOptions:
    """The options with the limit on turns that is meant where none is named, and the day as it is written."""
    usual = SEARCH_TURNS if is_search_agent([tool.name for tool in catalogue]) else MAX_TURNS
    return replace(options, max_turns=options.max_turns or (usual,), today=day(options.today) if options.today else "")


def _orchestrator(options: EvaluationOptions, settings: Settings) -> ModelSettings:
    asked = settings.for_role("agent")
    if options.model:
        asked = model_at(options.model, options.api_base)
    return asked.model_copy(update={"temperature": options.temperature, "max_tokens": options.max_tokens})


def _folder(settings: Settings, benchmark: Benchmark, model: ModelSettings, options: EvaluationOptions) -> Path:
    if "://" in settings.data_root:
        raise UserError(
            f"data_root is {settings.data_root}, which is not a folder on this machine: name one with --out"
        )
    fields = "" if options.format == "openai" else f"-{options.format}"
    named = re.sub(
        r"[^A-Za-z0-9.]+", "-", f"{model.model}-{options.catalogue}-{options.schedule or EVALUATION}{fields}"
    )
    return Path(settings.data_root) / "evaluations" / benchmark.name / named
