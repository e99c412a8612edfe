"""Dagster's records and the factory's store on one Postgres server, by configuration alone."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.postgres import Server, running_server
from toolscale.store import ModelCall, Store

DEPLOY = Path(__file__).parents[2] / "deploy"

pytestmark = pytest.mark.postgres


@pytest.fixture(scope="module")
def postgres() -> Iterator[Server]:
    pytest.importorskip("dagster_postgres", reason="needs dagster-postgres: pip install -e '.[postgres]'")
    with running_server() as server:
        yield server


def test_a_run_is_recorded_and_its_answers_are_kept_on_postgres(postgres: Server, tmp_path: Path) -> None:
    import psycopg

    records, store = postgres.new_database(), postgres.new_database()
    home = tmp_path / "home"
    home.mkdir()
    shutil.copy(DEPLOY / "dagster.postgres.yaml", home / "dagster.yaml")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("TOOLSCALE_", "DAGSTER_"))}
    # Dagster speaks psycopg2, which SQLAlchemy no longer takes unless the URL says so.
    url = records.replace("postgresql:", "postgresql+psycopg2:")
    settings = {"DAGSTER_HOME": str(home), "DAGSTER_POSTGRES_URL": url, "TOOLSCALE_STORE_URL": store}

    def demo() -> dict[str, object]:
        command = [sys.executable, "-m", "toolscale.cli", "demo", "--domains", "weather", "--tasks-per-domain", "3"]
        done = subprocess.run(
            [*command, "--json"], cwd=tmp_path, env=clean | settings, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        found: dict[str, object] = json.loads(done.stdout)["domains"]
        return found

    made = demo()
    with psycopg.connect(records) as connection:
        runs = connection.execute("select pipeline_name, status from runs order by id").fetchall()
        events = connection.execute("select count(*) from event_logs").fetchone()
        partitions = connection.execute("select partition from dynamic_partitions").fetchall()
    assert runs == [("generate", "SUCCESS"), ("release", "SUCCESS")]
    assert events is not None
    assert events[0] > 50
    assert partitions == [("weather",)]
    with Store(store) as kept:
        calls = {call.key: call.created_at for call in kept.rows(ModelCall)}
    assert len(calls) > 30

    shutil.rmtree(tmp_path / "data")
    assert demo() == made, "another worker with the same store makes the same"
    with Store(store) as kept:
        assert {call.key: call.created_at for call in kept.rows(ModelCall)} == calls, "and pays for nothing"
