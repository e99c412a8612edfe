"""The asset `model_descriptions`: models try tasks of the dataset, and are described by what they did."""

import json

import dagster as dg
import pytest

from pipelines.assets.models import model_descriptions
from pipelines.factory import Factory
from tests.dataset.small import write_small
from tests.openai_server import OpenAIServer, tool_call
from tests.orchestration.orchestra import catalogue_file
from toolscale.dataset.questions import write_questions
from toolscale.descriptions.description import read_descriptions
from toolscale.questions.task import QuestionTask
from toolscale.settings import Settings

TOLD = (
    "Cancels the orders that it is asked to cancel and says so; nothing else was put to it, so nothing else is known."
)


def answers(request):
    """The teacher's description; a strong model that solves the task, and a weak one that only talks."""
    if request["model"] == "teacher":
        return json.dumps({"description": TOLD})
    if request["model"] == "deft" and request["messages"][-1]["role"] == "user":
        return {"content": "", "tool_calls": [tool_call("cancel_order", '{"order_id": "O-1"}')]}
    return "It is cancelled."


@pytest.fixture
def described(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    dataset = tmp_path / "dataset"
    write_small(dataset)

    def run(server, **config):
        factory = Factory.of(
            Settings(data_root=str(tmp_path)),
            dataset=str(dataset),
            model="openai/teacher",
            api_base=server.url,
        )
        asked = {"catalogue": str(catalogue_file(tmp_path, server.url)), "tasks": 3, **config}
        return dg.materialize(
            [model_descriptions],
            resources={"factory": factory},
            run_config={"ops": {"model_descriptions": {"config": asked}}},
            raise_on_error=False,
        )

    return run


def test_every_model_is_described_by_the_same_tasks_of_the_train_split(described, tmp_path):
    with OpenAIServer(answers) as server:
        assert described(server).success
        asked = len(server.requests)
        assert described(server).success
        assert len(server.requests) == asked, "a second time is free"
    found = read_descriptions(tmp_path / "model_descriptions.json")
    assert set(found) == {"lab/small", "lab/large"}
    assert (found["lab/large"].solved, found["lab/small"].solved) == (3, 0)
    assert found["lab/large"].description == TOLD
    assert found["lab/large"].written_by == "openai/teacher"
    tried = {name: [trial.task for trial in each.trials] for name, each in found.items()}
    assert tried["lab/large"] == tried["lab/small"]
    assert found["lab/large"].latency is None, "the tasks are alike, so there were two calls: too few to tell"


def test_questions_are_among_the_tasks_where_a_set_of_them_is_named(described, tmp_path):
    quiz = [
        QuestionTask(id=f"q{number}", question=f"What is {number} plus 0?", answer=f"{number}") for number in (4, 5)
    ]
    write_questions(tmp_path / "quiz", lambda split: [each for each in quiz if each.split == split])

    def adds(request):
        asked = request["messages"][-1]["content"]
        return asked.split()[2] if asked.startswith("What is") else answers(request)

    with OpenAIServer(adds) as server:
        assert described(server, sets=[str(tmp_path / "quiz")]).success
        assert not described(server, sets=[str(tmp_path / "nothing")]).success
    found = read_descriptions(tmp_path / "model_descriptions.json")
    kinds = sorted(trial.kind for trial in found["lab/small"].trials)
    assert kinds in (["question", "task", "task"], ["question", "question", "task"])
    assert all(trial.solved for trial in found["lab/small"].trials if trial.kind == "question")


def test_a_model_described_alone_leaves_the_others_as_they_were(described, tmp_path):
    with OpenAIServer(answers) as server:
        described(server, models=["lab/small"])
        described(server, models=["lab/large"], tasks=2)
        assert not described(server, models=["lab/medium"]).success
    found = read_descriptions(tmp_path / "model_descriptions.json")
    assert {name: len(each.trials) for name, each in found.items()} == {"lab/small": 3, "lab/large": 2}
