"""What a served session costs, beside an OpenEnv environment of the same domain written the usual way.

Run with ``.venv-openenv/bin/python benchmarks/serving.py`` (``make test-openenv`` makes that environment). Both are
served by the same package, on this machine, by a process of its own each; the usual one has the functions in the
server's process and a copy of the database for each session. One client opens so many sessions at once, lets each make
its calls, and says the last message. CPU is the server's with all its children; ratios of one run are what compares.
"""

import argparse
import asyncio
import copy
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.tables import show
from tests.reference.rehearsal import Stage, rehearse
from toolscale.artifacts import EnvironmentSpec, Task
from toolscale.synthesis.drafts import as_task

DOMAIN, TASKS = "restaurant", 40
IN_FLIGHT = 32
KINDS = {"usual": "functions in the server", "ours": "ToolScale", "again": "ToolScale, calls made before"}


def world() -> tuple[EnvironmentSpec, list[Task]]:
    """The domain, and tasks of it."""
    stage = Stage(DOMAIN)
    drafts = (each.draft for each in rehearse(stage, stage.domain.programs, 1, 40, depth=1) if not each.infeasible)
    tasks = [as_task(DOMAIN, f"{DOMAIN}-{number}", draft) for number, draft in enumerate(islice(drafts, TASKS))]
    stage.sandbox.close()
    return stage.spec, tasks


def serve(kind: str, most: int) -> None:
    """The server of one kind, on a free port, which is printed."""
    import socket

    import uvicorn

    spec, tasks = world()
    app = usual_app(spec, tasks, most) if kind == "usual" else our_app(spec, tasks, most)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(2048)
        print(listening.getsockname()[1], flush=True)
        uvicorn.Server(uvicorn.Config(app, log_level="critical")).run(sockets=[listening])


def our_app(spec: EnvironmentSpec, tasks: list[Task], most: int) -> Any:
    """As `toolscale serve` has it."""
    from toolscale.serving.openenv_door import openenv_app
    from toolscale.serving.sessions import Sessions
    from toolscale.serving.tasks import ServedTasks

    sessions = Sessions(ServedTasks([("train", task, spec) for task in tasks]), most=most, idle_seconds=900)
    return openenv_app(sessions, most, 900)


def usual_app(spec: EnvironmentSpec, tasks: list[Task], most: int) -> Any:
    """Written the usual way: nothing between the functions and the server, and the end is a comparison of databases."""
    from openenv.core.env_server.http_server import create_fastapi_app
    from openenv.core.env_server.interfaces import Environment
    from openenv.core.env_server.types import ConcurrencyConfig

    from toolscale.serving.openenv_door import ToolAction, ToolObservation, ToolState

    functions: dict[str, Any] = {}
    exec(compile(spec.source, "functions.py", "exec"), functions)
    by_id, golden = {task.id: task for task in tasks}, dict[str, Any]()

    def made(database: Any, name: str, arguments: Any) -> str:
        try:
            return json.dumps(functions[name](database, **arguments), ensure_ascii=False)
        except Exception as error:
            return json.dumps({"error": str(error)})

    for task in tasks:
        golden[task.id] = copy.deepcopy(spec.database)
        for call in task.golden_calls:
            made(golden[task.id], call.name, call.arguments)

    class Usual(Environment[ToolAction, ToolObservation, ToolState]):
        SUPPORTS_CONCURRENT_SESSIONS = True

        def reset(self, seed: int | None = None, episode_id: str | None = None, task_id: str = "") -> ToolObservation:
            self.task, self.database = by_id[task_id], copy.deepcopy(spec.database)
            return ToolObservation(instruction=self.task.instruction, system=spec.policy, tools=spec.tools())

        def step(self, action: ToolAction, timeout_s: float | None = None) -> ToolObservation:
            if not action.calls:
                return ToolObservation(done=True, reward=float(self.database == golden[self.task.id]))
            return ToolObservation(answers=[made(self.database, call.name, call.arguments) for call in action.calls])

        @property
        def state(self) -> ToolState:
            return ToolState(task_id=self.task.id)

    bounds = ConcurrencyConfig(max_concurrent_envs=most, session_timeout=900)
    return create_fastapi_app(Usual, ToolAction, ToolObservation, concurrency_config=bounds, env_name="usual")


@dataclass
class Used:
    """CPU seconds and memory of a process with all its children, dead ones included."""

    cpu: float
    memory: float
    """MB, what is shared counted once."""

    @classmethod
    def by(cls, root: int) -> "Used":
        cpu = memory = 0.0
        for pid in _family(root):
            with suppress(OSError):
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                cpu += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
            rollup = ""
            with suppress(OSError):  # of those that have ended, too, but are still listed
                rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
            memory += next((int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:")), 0) / 1024
        return cls(cpu, memory)


def _family(root: int) -> Iterator[int]:
    yield root
    for children in Path(f"/proc/{root}/task").glob("*/children"):
        with suppress(OSError):  # a thread that has ended meanwhile
            for child in children.read_text().split():
                yield from _family(int(child))


@contextmanager
def running(kind: str, most: int) -> Iterator[tuple[str, int]]:
    """A server of one kind: its address and its process."""
    command = [sys.executable, __file__, "--serve", kind, "--most", str(most)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield f"ws://127.0.0.1:{process.stdout.readline().strip()}/ws", process.pid
    finally:
        process.terminate()
        process.wait(30)


@dataclass
class Figures:
    """What so many sessions at once came to."""

    calls: int = 0
    call_cpu: float = 0.0
    call_wall: float = 0.0
    latencies: tuple[float, ...] = ()
    cpu: float = 0.0
    wall: float = 0.0
    memory: float = 0.0
    solved: float = 0.0


async def played(url: str, pid: int, tasks: list[Task], count: int, *, own: bool, run: int) -> Figures:
    """Open sessions, let each make its calls, and end it; `own`: each begins with a call that nobody made before."""
    from websockets.asyncio.client import connect

    turns, figures, latencies = asyncio.Semaphore(IN_FLIGHT), Figures(), list[float]()

    async def asked(socket: Any, kind: str, **data: Any) -> Any:
        async with turns:
            began = time.perf_counter()
            await socket.send(json.dumps({"type": kind, "data": data}))
            answer = json.loads(await socket.recv())
        latencies.append(time.perf_counter() - began)
        if answer["type"] != "observation":
            raise RuntimeError(answer)
        return answer["data"]

    async def opened(number: int) -> Any:
        async with turns:
            socket = await connect(url, open_timeout=120, ping_interval=None, max_size=None)
        await asked(socket, "reset", task_id=tasks[number % len(tasks)].id)
        return socket

    async def called(number: int, socket: Any) -> int:
        made = [each.model_dump(include={"name", "arguments"}) for each in tasks[number % len(tasks)].golden_calls]
        if own:
            first = made[0]
            made.insert(0, {**first, "arguments": dict.fromkeys(first["arguments"], f"{run}-{number}")})
        for call in made:
            await asked(socket, "step", calls=[call])
        return len(made)

    async def ended(number: int, socket: Any) -> float:
        said = " ".join(tasks[number % len(tasks)].communicate_info)
        reward = (await asked(socket, "step", message=said or "It is done."))["reward"]
        await socket.close()
        return float(reward)

    before, began = Used.by(pid), time.perf_counter()
    sockets = await asyncio.gather(*map(opened, range(count)))
    open_, latencies[:], middle = Used.by(pid), [], time.perf_counter()
    figures.calls = sum(await asyncio.gather(*map(called, range(count), sockets)))
    after, figures.latencies = Used.by(pid), tuple(latencies)
    figures.call_cpu, figures.call_wall = after.cpu - open_.cpu, time.perf_counter() - middle
    figures.memory = after.memory - before.memory
    rewards = await asyncio.gather(*map(ended, range(count), sockets))
    figures.solved = statistics.fmean(rewards)
    figures.cpu, figures.wall = Used.by(pid).cpu - before.cpu, time.perf_counter() - began
    return figures


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, nargs="*", default=[10, 100, 1000], help="open at once")
    parser.add_argument("--serve", choices=KINDS, help=argparse.SUPPRESS)
    parser.add_argument("--most", type=int, default=0, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    if asked.serve:
        serve(asked.serve, asked.most)
        return
    _, tasks = world()
    most = 2 * max(*asked.sessions, TASKS)  # some of the last ones may not be gone when the next come
    rows = []
    for kind, label in KINDS.items():
        with running(kind, most) as (url, pid):
            # Whoever comes first waits for what is made once.
            asyncio.run(played(url, pid, tasks, len(tasks), own=kind != "again", run=0))
            for run, count in enumerate(asked.sessions, start=1):
                found = asyncio.run(played(url, pid, tasks, count, own=kind != "again", run=run))
                rows.append(
                    {
                        "server": label,
                        "sessions": f"{count:,}",
                        "calls": f"{found.calls:,}",
                        "CPU ms a call": f"{found.call_cpu / found.calls * 1000:.2f}",
                        "median ms": f"{statistics.median(found.latencies) * 1000:.1f}",
                        "calls/s": f"{found.calls / found.call_wall:.0f}",
                        "CPU ms a session": f"{found.cpu / count * 1000:.1f}",
                        "sessions/s": f"{count / found.wall:.1f}",
                        "KB a session": f"{found.memory / count * 1024:.0f}",
                        "solved": f"{found.solved:.2f}",
                    }
                )
    show(f"{DOMAIN}, {len(tasks)} tasks, {IN_FLIGHT} requests in flight", rows)


if __name__ == "__main__":
    main()
