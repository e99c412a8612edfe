"""The steps of a domain's run go where a setting says, and nowhere unheard of."""

import dagster as dg
import pytest

from pipelines.definitions import definitions
from pipelines.executors import executor
from pipelines.factory import Factory
from toolscale.errors import UserError
from toolscale.settings import Settings


@pytest.mark.parametrize(("chosen", "name"), [("", "in_process"), ("dagster:multiprocess_executor", "multiprocess")])
def test_a_domains_run_takes_the_executor_of_the_settings(tmp_path, monkeypatch, chosen, name):
    monkeypatch.setenv("TOOLSCALE_EXECUTOR", chosen)
    settings = Settings(data_root=str(tmp_path))
    jobs = definitions(Factory.of(settings), str(tmp_path)).get_repository_def()
    assert jobs.get_job("generate").executor_def.name == name
    assert jobs.get_job("release").executor_def.name == "in_process"


@pytest.mark.parametrize(
    "chosen", ["celery", "no_such_package:executor", "dagster:no_such_executor", "dagster:asset", ":"]
)
def test_what_is_no_executor_is_refused_in_one_line(chosen):
    with pytest.raises(UserError, match="setting `executor`") as error:
        executor(chosen)
    assert "\n" not in str(error.value)


def test_every_step_of_a_domain_can_run_in_another_process(tmp_path):
    """What a step leaves for the next lies under the data root, and not in its memory."""
    loaded = definitions(Factory.of(Settings(data_root=str(tmp_path))), str(tmp_path))
    generate = loaded.get_repository_def().get_job("generate")
    managers = {out.io_manager_key for node in generate.all_node_defs for out in node.output_defs}
    assert "rows" in managers
    kept = {type(loaded.resources[key]).__name__ for key in managers if key in loaded.resources}
    assert kept == {"Rows", "Environments"}
    assert isinstance(generate, dg.JobDefinition)
