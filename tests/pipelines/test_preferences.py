"""The asset `preferences`: made by the offline model too, the same twice, and all or nothing."""

import json

import dagster as dg
import pytest

from pipelines.assets.preferences import preferences, preferences_file, preferences_there
from pipelines.factory import Factory
from tests.openai_server import OpenAIServer
from toolscale.settings import Settings


@pytest.fixture
def materialize(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(catalogue, **chosen):
        factory = Factory.of(Settings(data_root=str(tmp_path)), **chosen)
        return dg.materialize(
            [preferences],
            resources={"factory": factory},
            run_config={"ops": {"preferences": {"config": {"catalogue": catalogue}}}},
            raise_on_error=False,
        )

    return run


def test_the_offline_model_makes_both_splits_and_a_second_time_the_same(materialize, tmp_path):
    assert preferences_there(str(tmp_path)) is None
    result = materialize("full")
    assert result.success
    made = preferences_there(str(tmp_path))
    assert made is not None
    (event,) = result.asset_materializations_for_node("preferences")
    assert event.metadata["train"].value == len(made.of("train")) >= 60
    assert event.metadata["eval"].value == len(made.of("eval")) > 0
    assert made.proposed_by == "offline/reference"
    lines = [json.loads(line) for line in (tmp_path / "preferences.eval.jsonl").read_text().splitlines()]
    assert lines == [{"instruction": one.instruction, "vector": one.wants} for one in made.of("eval")]
    before = preferences_file(str(tmp_path)).read_bytes()
    assert materialize("full").success
    assert preferences_file(str(tmp_path)).read_bytes() == before


def test_where_nothing_passes_the_run_fails_and_writes_nothing(materialize, tmp_path):
    with OpenAIServer(lambda request: json.dumps({"preferences": [{"instruction": "?", "wants": {}}]})) as server:
        assert not materialize("search", model="openai/teacher", api_base=server.url).success
    assert not preferences_file(str(tmp_path)).exists()
