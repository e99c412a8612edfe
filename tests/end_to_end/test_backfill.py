"""A backfill in Dagster, with daemon and runs as processes of their own: its runs pay from one budget."""

import os
from pathlib import Path

import dagster as dg
import pytest

from pipelines.fates import noted_fate
from tests.conftest import FREE
from tests.dagster_services import services, wait_for
from tests.served import serving
from toolscale.settings import Settings
from toolscale.store import ModelCall, Store

DOMAINS, CAP = ("railway", "weather"), 60


@pytest.mark.slow
def test_the_runs_of_one_backfill_make_together_as_many_calls_as_the_cap_says(tmp_path: Path) -> None:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("TOOLSCALE_", "DAGSTER_"))}
    told = {**FREE, "OPENAI_API_KEY": "none", "TOOLSCALE_MAX_CALLS": str(CAP), "TOOLSCALE_MAX_IN_FLIGHT": "4"}
    with serving("--latency", "0.1:0.2") as server:
        answering = {"TOOLSCALE_DEFAULT_MODEL": "openai/reference", "TOOLSCALE_DEFAULT_API_BASE": server.url}
        with (
            services(tmp_path, clean | told | answering, at_once=len(DOMAINS)) as started,
            dg.DagsterInstance.from_config(str(tmp_path)) as instance,
        ):
            instance.add_dynamic_partitions("domain", list(DOMAINS))
            backfill = started.backfill("generate", *DOMAINS)
            of_it = dg.RunsFilter(tags={"dagster/backfill": backfill})
            wait_for(lambda: [run.status.value for run in instance.get_runs(of_it)] == ["FAILURE"] * len(DOMAINS))
    data = str(tmp_path / "data")
    with Store(Settings(data_root=data).database_url()) as store:
        calls = store.rows(ModelCall)
    assert len(calls) == CAP
    assert {call.run for call in calls} == {backfill}
    assert {call.domain for call in calls} == set(DOMAINS)
    for domain in DOMAINS:
        fate = noted_fate(data, domain)
        assert fate is not None
        assert (fate.ended, fate.reason) == ("budget", f"max_calls is {CAP}")
