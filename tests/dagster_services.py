"""Dagster's code server, webserver and daemon as processes of their own, to be killed and started again."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import dagster as dg
import yaml

PATIENCE = 900
"""Seconds until a wait is given up: far more than any takes, also on a machine that has much else to do."""

CODE, WEB, DAEMON = SERVICES = ("code", "web", "daemon")

_LAUNCH = """mutation($params: ExecutionParams!) {
  launchRun(executionParams: $params) {
    __typename
    ... on LaunchRunSuccess { run { runId } }
    ... on PythonError { message }
  }
}"""


class Services:
    """The processes of one instance, whose home is also their working directory."""

    def __init__(self, home: Path, environment: Mapping[str, str]) -> None:
        self.home, self.code_port, self.web_port = home, free_port(), free_port()
        self._environment = {**environment, "DAGSTER_HOME": str(home), "DAGSTER_GRPC_TIMEOUT_SECONDS": str(PATIENCE)}
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._groups: list[int] = []
        servers = [{"grpc_server": {"host": "127.0.0.1", "port": self.code_port, "location_name": "toolscale"}}]
        (home / "workspace.yaml").write_text(yaml.dump({"load_from": servers}))

    def start(self, *services: str) -> None:
        """Start services, and come back when the web server, if it runs, shows the definitions."""
        at = ["--host", "127.0.0.1", "--port"]
        commands = {
            CODE: ["dagster", "api", "grpc", *at, str(self.code_port), "-m", "pipelines.definitions"],
            WEB: ["dagster_webserver", *at, str(self.web_port), "-w", "workspace.yaml"],
            DAEMON: ["dagster._daemon", "run", "-w", "workspace.yaml"],
        }
        for name in services:
            with (self.home / f"{name}.log").open("ab") as log:
                command = [sys.executable, "-m", *commands[name]]
                kept = {"cwd": self.home, "env": self._environment, "stdout": log, "stderr": log}
                # A session each: what a service leaves behind when it is killed is found by its group.
                self._running[name] = subprocess.Popen(command, start_new_session=True, **kept)
            self._groups.append(self._running[name].pid)
            if name == CODE:
                self._wait(lambda: _listens(self.code_port))
        if WEB in self._running:
            self._wait(self._shows_definitions)

    def kill(self, *services: str) -> None:
        """End services as `kill -9` does, all of them before any is waited for."""
        ended = [self._running.pop(name) for name in services]
        for each in ended:
            each.kill()
        for each in ended:
            each.wait()

    def clear(self) -> None:
        """End everything that was ever started, runs included."""
        for group in self._groups:
            with suppress(ProcessLookupError):
                os.killpg(group, signal.SIGKILL)
        for each in self._running.values():
            each.wait()

    def ask(self, query: str, **variables: Any) -> Any:
        """The data that the web server's GraphQL answers with."""
        body = json.dumps({"query": query, "variables": variables}).encode()
        url = f"http://127.0.0.1:{self.web_port}/graphql"
        request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as response:
            answer = json.load(response)
        assert "errors" not in answer, answer["errors"]
        return answer["data"]

    def backfill(self, job: str, *partitions: str) -> str:
        """The id of a new backfill, launched by Dagster's command."""
        named = ["-j", job, "--partitions", ",".join(partitions), "--noprompt", "-w", "workspace.yaml"]
        command = [sys.executable, "-m", "dagster", "job", "backfill", *named]
        done = subprocess.run(
            command, cwd=self.home, env=self._environment, capture_output=True, text=True, check=True, timeout=PATIENCE
        )
        return done.stdout.rsplit("`", 2)[1]

    def launch(self, job: str, partition: str, config: Mapping[str, Any]) -> str:
        """The id of a new run, launched as the launchpad does."""
        params = {
            "selector": {
                "repositoryName": "__repository__",
                "repositoryLocationName": "toolscale",
                "jobName": job,
            },
            "runConfigData": config,
            "executionMetadata": {"tags": [{"key": "dagster/partition", "value": partition}]},
        }
        launched = self.ask(_LAUNCH, params=params)["launchRun"]
        assert launched["__typename"] == "LaunchRunSuccess", launched
        return str(launched["run"]["runId"])

    def _shows_definitions(self) -> bool:
        query = "{ repositoriesOrError { ... on RepositoryConnection { nodes { name } } } }"
        try:
            return bool(self.ask(query)["repositoriesOrError"].get("nodes"))
        except (urllib.error.URLError, ConnectionError):
            return False

    def _wait(self, holds: Callable[[], bool]) -> None:
        def checked() -> bool:
            for name, each in self._running.items():
                assert each.poll() is None, f"{name} ended: {(self.home / f'{name}.log').read_text()[-2000:]}"
            return holds()

        wait_for(checked)


@contextmanager
def services(home: Path, environment: Mapping[str, str], at_once: int = 1) -> Iterator[Services]:
    """All services of a new instance, with the project's own `dagster.yaml`; at the end nothing of them is left.

    So many runs of the queue `assets` go at once.
    """
    settings = yaml.safe_load((Path(__file__).parents[1] / "dagster.yaml").read_text())
    of_the_queue, _ = settings["concurrency"]["runs"]["tag_concurrency_limits"]
    of_the_queue["limit"] = at_once
    settings["run_monitoring"]["start_timeout_seconds"] = PATIENCE
    (home / "dagster.yaml").write_text(yaml.dump(settings))
    started = Services(home, environment)
    try:
        started.start(*SERVICES)
        yield started
    finally:
        started.clear()


def wait_for(holds: Callable[[], bool], pause: float = 0.5) -> None:
    """Come back as soon as something holds."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(pause)


def process_of(run: str, instance: dg.DagsterInstance) -> int:
    """The process that a run is."""
    events = (each.dagster_event for each in instance.all_logs(run, of_type=dg.DagsterEventType.ENGINE_EVENT))
    said = (event.engine_event_data.metadata.get("pid") for event in events if event)
    return next(int(str(each.value)) for each in said if each is not None)


def free_port() -> int:
    """A port that nobody listens at now."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def _listens(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0
