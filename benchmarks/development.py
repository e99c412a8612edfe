"""`dagster dev` as the benchmarks run it, its processes, and what is asked of it."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any


@contextmanager
def dagster_dev(home: Path, told: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """`dagster dev`, serving, on the instance in `home`: its process, which leads a session, and its address."""
    with closing(socket.socket()) as any_port:
        any_port.bind(("127.0.0.1", 0))
        port = any_port.getsockname()[1]
    environment = {**os.environ, "DAGSTER_HOME": str(home), **told}
    command = [sys.executable, "-m", "dagster", "dev", "-m", "pipelines.definitions", "-p", str(port)]
    with (home / "log").open("w") as log:
        # Not where the project lies: to Dagster a folder's `.env` is more than what it is told.
        server = subprocess.Popen(command, cwd=home, env=environment, stdout=log, stderr=log, start_new_session=True)
    try:
        while "Serving dagster-webserver" not in (home / "log").read_text():
            if server.poll() is not None:
                raise SystemExit((home / "log").read_text()[-2000:])
            time.sleep(1)
        yield server.pid, f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        with suppress(subprocess.TimeoutExpired):
            server.wait(timeout=30)
        if session_of(server.pid):
            os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def session_of(leader: int) -> list[int]:
    """The processes of a leader's session that have not ended."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                if int(fields[3]) == leader and fields[0] != "Z":
                    found.append(int(entry.name))
    return found


def order(server: str, domains: list[str]) -> None:
    """What the dialog of the partitions of the job `generate` sends: runs as the job's launchpad begins them."""
    launch = """mutation($params: LaunchBackfillParams!) { launchPartitionBackfill(backfillParams: $params) {
      __typename ... on PythonError { message } } }"""
    job = {"partitionSetName": "generate_partition_set", "repositorySelector": _repository(server)}
    params = {"selector": job, "partitionNames": domains}
    answer = asked(server, launch, params=params)["launchPartitionBackfill"]
    if answer["__typename"] != "LaunchBackfillSuccess":
        raise SystemExit(f"the backfill was refused: {answer}")


def queue(server: str, domains: list[str], **config: Any) -> None:
    """What the launchpad of `generate` sends for each domain; `config` is of the resource `factory`.

    A backfill of the job takes none: each run goes by what the launchpad begins with.
    """
    launch = """mutation($params: ExecutionParams!) { launchRun(executionParams: $params) {
      __typename ... on PythonError { message } } }"""
    job = {**_repository(server), "jobName": "generate"}
    chosen = {"resources": {"factory": {"config": config}}}
    for domain in domains:
        tags = [{"key": "dagster/partition", "value": domain}, {"key": "toolscale/queue", "value": "assets"}]
        params = {"selector": job, "runConfigData": chosen, "executionMetadata": {"tags": tags}}
        answer = asked(server, launch, params=params)["launchRun"]
        if answer["__typename"] != "LaunchRunSuccess":
            raise SystemExit(f"the run of {domain} was refused: {answer}")


def _repository(server: str) -> dict[str, str]:
    known = "{ repositoriesOrError { ... on RepositoryConnection { nodes { name location { name } } } } }"
    [found] = asked(server, known)["repositoriesOrError"]["nodes"]
    return {"repositoryName": found["name"], "repositoryLocationName": found["location"]["name"]}


def asked(server: str, query: str, **variables: Any) -> Any:
    """What the web server answers."""
    body = json.dumps({"query": query, "variables": variables}).encode()
    request = urllib.request.Request(f"{server}/graphql", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=300) as response:
        answer = json.load(response)
    if answer.get("errors"):
        raise SystemExit(f"the web server did not understand: {answer['errors']}")
    return answer["data"]
