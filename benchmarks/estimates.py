"""What an estimate says before a run, held against what the run paid: ``python benchmarks/estimates.py``.

One data root, one domain after the other: first those of `--domains`, answered by `toolscale serve-offline`, then one
that no pack covers, answered by the model of ``tests/end_to_end/bicycles.py``. Each is estimated before its first call,
made with a handful of tasks (a preview; the last one: up to its 60th call), estimated again, and made whole. Prints for
each moment and stage the tokens that the estimate takes for most likely and those that the ledger has afterwards; then
the means of all calls, as ``toolscale/estimate/sizes.py`` has them. A token is four characters. ``--keep FOLDER``
leaves the data root there.

``--environment FOLDER`` prints what an estimate takes for the prompt of an agent's turn in that environment instead,
with ``--attempted FILE`` in attempts at the tasks of a JSON file.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
sys.path[0] = str(ROOT)  # in place of this folder, whose dagster.py is not the library

from pipelines.factory import Factory  # noqa: E402
from pipelines.run import run, run_few  # noqa: E402
from pipelines.stopped import RunStopped  # noqa: E402
from tests.end_to_end import bicycles  # noqa: E402
from tests.openai_server import OpenAIServer  # noqa: E402
from toolscale.artifacts import Domain, Task, canonical_json  # noqa: E402
from toolscale.environment import Sandbox, load_environment  # noqa: E402
from toolscale.estimate import Estimate, estimate  # noqa: E402
from toolscale.estimate.forecast import TOKEN  # noqa: E402
from toolscale.estimate.history import Seen, seen_by  # noqa: E402
from toolscale.estimate.ranges import Range  # noqa: E402
from toolscale.estimate.sizes import sizes  # noqa: E402
from toolscale.estimate.turns import read_again  # noqa: E402
from toolscale.prompts import render  # noqa: E402
from toolscale.reference.domain import reference_domain  # noqa: E402
from toolscale.settings import Price, Settings  # noqa: E402
from toolscale.stages import ROLES  # noqa: E402
from toolscale.store import LedgerLine, ModelCall, Store  # noqa: E402

MODEL = "openai/reference"
PRICE = Price(input=1.25, output=10.0)
"""Dollars per million tokens, as of a strong model."""
BICYCLES = Domain(name="bike_rental", description=bicycles.DESCRIPTION)
BICYCLE_TASKS = 5
BICYCLE_CALLS = 60
"""After so many the run is stopped and estimated anew: a preview would make all of so few tasks."""


class Compared(NamedTuple):
    """An estimate, and what the run then paid."""

    domain: str
    moment: str
    found: Estimate
    paid: dict[str, LedgerLine]
    """Stage -> what it paid after the estimate."""

    @property
    def dollars(self) -> float:
        return sum(line.dollars for line in self.paid.values())


@contextmanager
def offline_model() -> Iterator[str]:
    """The URL of the offline model, served by a process of its own."""
    command = [sys.executable, "-m", "toolscale.cli", "serve-offline", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.terminate()


def compared(
    domain: Domain, url: str, root: Path, tasks: int, after: str, most_calls: int | None = None
) -> Iterator[Compared]:
    """Estimate, preview (or make so many calls), estimate again, make the whole."""
    factory = Factory.of(
        Settings.load(data_root=str(root)),
        model=MODEL,
        api_base=url,
        tasks_per_domain=tasks,
        evolution_rounds=1,
        dataset=str(root / "datasets" / domain.name),
    )

    def paid() -> dict[str, LedgerLine]:
        with factory.store() as store:
            return {line.name: line for line in store.cost_by("stage", domain=domain.name)}

    def estimated() -> Estimate:
        with factory.store() as store:
            asked = estimate(domain, factory.settings(), store, tasks=tasks, rounds=factory.evolution_rounds)
            return asyncio.run(asked)

    first = estimated()
    if most_calls is None:
        run_few(domain, factory)
    else:
        with suppress(RunStopped):
            run([domain], factory.model_copy(update={"max_calls": most_calls}))
    previewed, second = paid(), estimated()
    run([domain], factory)
    whole = paid()
    yield Compared(domain.name, f"before the first call, {after}", first, whole)
    if second.calls.high:
        stopped = "after a preview" if most_calls is None else f"after {most_calls} calls"
        yield Compared(domain.name, stopped, second, {name: less(whole[name], previewed) for name in whole})


def less(line: LedgerLine, before: dict[str, LedgerLine]) -> LedgerLine:
    """What came after."""
    if line.name not in before:
        return line
    return LedgerLine(line.name, *(now - then for now, then in zip(line[1:], before[line.name][1:], strict=True)))


def shown(one: Compared) -> Iterator[str]:
    """A table of one comparison."""
    error = one.found.likely / one.dollars - 1 if one.dollars else 0.0
    bounds = one.found.dollars
    yield (
        f"\n**{one.domain}, {one.moment}**: ${one.found.likely:.2f} most likely (${bounds.low:.2f} to "
        f"${bounds.high:.2f}); paid ${one.dollars:.2f}: {error:+.0%}\n"
    )
    yield "| stage | calls: likely | paid | tokens in: likely | paid | tokens out: likely | paid |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    for line in one.found.lines:
        paid = one.paid.get(line.stage)
        if not line.calls.high and not (paid and paid.calls):
            continue
        pairs = (
            (line.calls, paid.calls if paid else 0),
            (line.prompt_tokens, paid.prompt_tokens if paid else 0),
            (line.completion_tokens, paid.completion_tokens if paid else 0),
        )
        yield f"| {line.stage} | {' | '.join(f'{said.middle:,.0f} | {was:,}' for said, was in pairs)} |"


def measured(root: Path) -> Iterator[str]:
    """The table `MEASURED`, by the ledger of a data root."""
    with Store(Settings(data_root=str(root)).database_url()) as store:
        of: dict[str, list[Seen]] = defaultdict(list)
        for each in seen_by(store, dict.fromkeys(ROLES, MODEL)):
            of[each.stage].append(each)
        growth = {stage: grown(store.rows(ModelCall, stage=stage, status="ok")) for stage in of}
    for stage, seen in of.items():
        calls = sum(each.calls for each in seen)
        asked = calls / sum(each.answers for each in seen)
        prompt = sum(each.calls * (each.prompt_tokens - each.tools / 4) for each in seen) / calls
        answer = sum(each.calls * each.completion_tokens for each in seen) / calls
        tools = sum(each.calls * each.tools for each in seen) / calls
        yield (
            f"{stage}: {asked:.2f} calls an answer, {prompt:.0f} tokens in without tools, {answer:.0f} out, "
            f"growth {growth[stage]:.2f}, tools of {tools:,.0f} characters"
        )


def grown(calls: Sequence[ModelCall]) -> float:
    """How much longer prompts are than the first one of their answer."""
    of_answer: dict[object, list[int]] = defaultdict(list)
    for call in calls:
        of_answer[call.domain, call.task, call.sample].append(call.prompt_tokens)
    firsts = sum(min(prompts) * len(prompts) for prompts in of_answer.values())
    return sum(map(sum, of_answer.values())) / firsts


def turn_in(folder: Path, attempted: Path | None) -> str:
    """What an estimate takes for the prompt of an agent's turn."""
    spec = load_environment(folder)
    tools = len(canonical_json(spec.tools()))
    system = len(canonical_json(render("agent", domain=spec.domain, policy=spec.policy, now=spec.now, direct=True)))
    with tempfile.TemporaryDirectory() as scratch, Store(f"sqlite:///{scratch}/none.db") as store:
        unknown, known = (
            sizes(store, dict.fromkeys(ROLES, MODEL), (), offered).by_stage["episode"] for offered in (None, tools)
        )
    tasks = [Task.model_validate(task) for task in json.loads(attempted.read_text())] if attempted else []
    with Sandbox(spec) as sandbox:
        later = [read_again(sandbox.run(task.golden_calls).outcomes) for task in tasks]
    said = sum(len(task.instruction) for task in tasks)
    real = TOKEN * (system + tools + (sum(later) + said) / max(1, len(tasks)))

    def told(figure: Range) -> str:
        return f"{figure.middle:,.0f} ({figure.low:,.0f} to {figure.high:,.0f})"

    return (
        f"tokens of a turn, most likely: {told(unknown.prompt_tokens)} before there are functions, "
        f"{told(known.prompt_tokens)} with these {len(spec.functions)}, {told(real)} by the prompt itself "
        f"and {len(tasks)} tasks"
    )


def main() -> None:
    """Print the comparisons."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--domains", default="restaurant,railway", help="reference domains, with commas")
    parser.add_argument("--tasks", type=int, default=12, help="first tasks of a reference domain")
    parser.add_argument("--keep", type=Path, help="a new folder, which becomes the data root and stays")
    parser.add_argument("--environment", type=Path, help="print the prompt of a turn in this environment instead")
    parser.add_argument("--attempted", type=Path, help="tasks that are attempted there")
    options = parser.parse_args()
    os.environ["OPENAI_API_KEY"] = "none"
    os.environ["TOOLSCALE_PRICES"] = json.dumps({MODEL: PRICE.model_dump(exclude_none=True)})
    if options.environment:
        print(turn_in(options.environment, options.attempted))
        return
    with tempfile.TemporaryDirectory(prefix="toolscale-estimates-") as scratch:
        root, after = options.keep or Path(scratch), "with an empty ledger"
        with offline_model() as url:
            for name in filter(None, options.domains.split(",")):
                for one in compared(reference_domain(name).domain, url, root, options.tasks, after):
                    print("\n".join(shown(one)), flush=True)
                after = "with other domains in the ledger"
        with OpenAIServer(bicycles.model) as server:
            for one in compared(BICYCLES, server.url, root, BICYCLE_TASKS, after, BICYCLE_CALLS):
                print("\n".join(shown(one)), flush=True)
        print("\n**The means of all calls**\n")
        print("\n".join(measured(root)))


if __name__ == "__main__":
    main()
