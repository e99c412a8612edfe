"""`kill -9` of Dagster's web server, code server and daemon, of a run, and of everything at once."""

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import dagster as dg
import pyarrow.parquet as pq
import pytest

from pipelines.factory import Factory
from pipelines.launcher import process_began
from pipelines.run import run
from tests.conftest import FREE
from tests.dagster_services import CODE, DAEMON, SERVICES, WEB, Services, process_of, services, wait_for
from tests.served import Server, serving
from toolscale.environment import load_environment
from toolscale.reference.domain import reference_domain
from toolscale.settings import Settings
from toolscale.store import ModelCall, Store

pytestmark = pytest.mark.slow

DOMAIN, ANOTHER = "weather", "railway"
CHOSEN = {"tasks_per_domain": 2, "attempts": 3, "model": "openai/reference"}
IN_FLIGHT = 8
AT_MOST_LOST = 2 * IN_FLIGHT
"""Answers that a kill may lose: those in flight, and those that have come and whose commit is under way."""

TOLD = {**FREE, "OPENAI_API_KEY": "none", "TOOLSCALE_MAX_IN_FLIGHT": str(IN_FLIGHT)}

_HISTORY = """query($run: ID!) {
  runOrError(runId: $run) { ... on Run { status assetMaterializations { assetKey { path } } } }
}"""


@dataclass
class Running:
    """An instance of Dagster with its services, and the server that answers its runs."""

    services: Services
    instance: dg.DagsterInstance
    server: Server

    @property
    def data(self) -> Path:
        return self.services.home / "data"

    def launch(self, domain: str) -> str:
        config = {**CHOSEN, "api_base": self.server.url}
        return self.services.launch("generate", domain, {"resources": {"factory": {"config": config}}})

    def status(self, run: str) -> str:
        found = self.instance.get_run_by_id(run)
        assert found
        return found.status.value

    def ends(self, run: str) -> str:
        wait_for(lambda: self.status(run) in ("SUCCESS", "FAILURE", "CANCELED"))
        return self.status(run)

    def gets_to(self, requests: int, run: str) -> None:
        """Come back when the run has made so many requests, and is still at it."""
        wait_for(lambda: self.requests() >= requests or self.status(run) in ("SUCCESS", "FAILURE", "CANCELED"))
        assert self.status(run) == "STARTED", "it ended before its middle was seen"
        assert process_began(process_of(run, self.instance))

    def kill(self, run: str) -> None:
        os.kill(process_of(run, self.instance), signal.SIGKILL)

    def begun_again(self, run: str) -> str:
        """The run that goes on with another."""
        found: list[str] = []

        def is_there() -> bool:
            found.extend(each.run_id for each in self.instance.get_runs() if each.parent_run_id == run)
            return bool(found)

        wait_for(is_there)
        return found[0]

    def steps(self, run: str) -> set[str]:
        return {each.step_key for each in self.instance.get_run_step_stats(run)}

    def requests(self) -> int:
        return int(self.server.stats()["requests"])

    def asked_twice(self) -> int:
        stats = self.server.stats()
        return int(stats["requests"] - stats["distinct"])

    def unkept(self) -> int:
        """Requests whose answers are not in the store, given that nobody asks any more."""
        wait_for(lambda: self.server.stats()["in_flight"] == 0)
        with Store(Settings(data_root=str(self.data)).database_url()) as store:
            return self.requests() - sum(call.status == "ok" for call in store.rows(ModelCall))


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("TOOLSCALE_", "DAGSTER_"))}
    with (
        serving("--latency", "0.2:0.4") as server,
        services(tmp_path, clean | TOLD) as started,
        dg.DagsterInstance.from_config(str(tmp_path)) as instance,
    ):
        instance.add_dynamic_partitions("domain", [DOMAIN, ANOTHER])
        yield Running(started, instance, server)


def undisturbed(root: Path) -> dict[str, object]:
    """What a command stores of the domain when nobody kills it."""
    with serving() as server, pytest.MonkeyPatch.context() as patch, dg.DagsterInstance.ephemeral() as instance:
        for name, value in TOLD.items():
            patch.setenv(name, value)
        factory = Factory.of(Settings(data_root=str(root)), **CHOSEN, api_base=server.url)
        run([reference_domain(DOMAIN).domain], factory, instance=instance)
    return stored(root)


def stored(data: Path) -> dict[str, object]:
    """Everything that is stored of the domain, read: a file that was half-written cannot be."""
    rows = {str(file.relative_to(data)): pq.read_table(file).to_pylist() for file in data.glob(f"assets/*/{DOMAIN}.*")}
    folder = data / "environments" / DOMAIN
    return rows | ({"environment": load_environment(folder)} if folder.exists() else {})


def test_a_run_outlives_web_server_code_server_and_daemon_and_what_is_queued_starts_with_the_next_daemon(running):
    first, queued = running.launch(DOMAIN), running.launch(ANOTHER)
    running.gets_to(10, first)

    running.services.kill(WEB, CODE)
    running.gets_to(running.requests() + 20, first)
    running.services.start(CODE, WEB)
    told = running.services.ask(_HISTORY, run=first)["runOrError"]
    assert told["status"] == "STARTED"
    assert {"path": ["subjects"]} in [each["assetKey"] for each in told["assetMaterializations"]]

    running.services.kill(DAEMON)
    assert running.ends(first) == "SUCCESS"
    time.sleep(6)  # a daemon would look at its queue every second
    assert running.status(queued) == "QUEUED"
    assert running.asked_twice() == 0
    running.services.start(DAEMON)
    wait_for(lambda: running.status(queued) == "STARTED")


def test_a_killed_run_is_begun_again_at_its_stage_even_if_all_else_died_and_pays_only_for_what_was_in_flight(
    running, tmp_path
):
    expected = undisturbed(tmp_path / "undisturbed")
    first = running.launch(DOMAIN)
    running.gets_to(30, first)
    running.kill(first)
    lost = running.unkept()
    assert lost <= AT_MOST_LOST
    found = stored(running.data)
    assert found == {name: expected[name] for name in found}, "what is there is whole"
    assert running.ends(first) == "FAILURE"

    second = running.begun_again(first)
    running.gets_to(75, second)
    running.kill(second)
    running.services.kill(*SERVICES)
    assert running.asked_twice() <= lost
    lost_now = running.unkept() - lost
    assert lost_now <= AT_MOST_LOST
    found = stored(running.data)
    assert found == {name: expected[name] for name in found}, "what is there is whole"
    assert running.status(second) == "STARTED", "nobody was left to see it die"

    running.services.start(CODE, DAEMON)
    assert running.ends(second) == "FAILURE"
    third = running.begun_again(second)
    assert running.ends(third) == "SUCCESS"
    assert running.asked_twice() == lost + lost_now
    assert stored(running.data) == expected
    assert "subjects" in running.steps(first)
    assert "subjects" not in running.steps(second) | running.steps(third), "what was finished is not run again"
