"""A database with a gap stops its domain: the command says which subject and why, and so does Dagster."""

import dagster as dg
import pytest

from pipelines.factory import Factory
from pipelines.run import run
from tests.conftest import FREE
from tests.end_to_end import bicycles
from tests.openai_server import OpenAIServer
from toolscale.artifacts import Domain
from toolscale.errors import UserError
from toolscale.settings import Settings

REFUSAL = "I do not read about riders."


def model(request):
    """The bicycles' model, but its validator will not look at riders."""
    system, asked = request["messages"][0]["content"], request["messages"][1]["content"]
    if "Stage: validation" in system and 'on the subject "riders"' in asked:
        return {"content": None, "refusal": REFUSAL}
    return bicycles.model(request)


def test_a_subject_that_brought_nothing_stops_the_domain_with_a_sentence_that_names_it(tmp_path, monkeypatch):
    for name, value in {"OPENAI_API_KEY": "any", **FREE}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    heard = []
    with OpenAIServer(model) as server, dg.DagsterInstance.ephemeral() as instance:
        factory = Factory.of(Settings.load(data_root=str(tmp_path)), model="openai/apprentice", api_base=server.url)
        domain = Domain(name="bike_rental", description=bicycles.DESCRIPTION)
        with pytest.raises(UserError) as stopped:
            run([domain], factory, progress=heard.append, instance=instance)
        (record,) = instance.get_run_records()
        logged = instance.all_logs(record.dagster_run.run_id, of_type=dg.DagsterEventType.STEP_FAILURE)
    said = str(stopped.value)
    assert said.startswith(
        "`bike_rental` stops at its entries: the subject `riders` brought no records (the last reason:"
    )
    assert REFUSAL in said
    assert "run again with another seed, or with another model for the teacher or the validator" in said
    assert len(said.splitlines()) == 1
    (failed,) = [entry.dagster_event.event_specific_data.user_failure_data for entry in logged]
    assert failed.description == said
    assert "validator_Refused" in failed.metadata["rejects_by_check"].value
    assert heard[-1].stage == "entries"
    riders, rentals = bicycles.ENTRIES["riders"]["riders"], bicycles.ENTRIES["rentals"]["rentals"]
    assert heard[-1].counts["dropped"] == len(riders) + len(rentals), "rentals refer to riders"
    assert not any("Stage: functions_plan" in request["messages"][0]["content"] for request in server.requests)
