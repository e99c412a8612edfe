"""GAIA's questions and files, and the rules of its scorer."""

import pytest

from tests.evaluation import bench
from tests.evaluation.test_evaluate import asked_in, at, evaluate_in, told
from tests.openai_server import OpenAIServer
from toolscale.evaluation.benchmarks.gaia import is_right


@pytest.fixture(name="evaluate")
def evaluate_fixture(tmp_path, monkeypatch):
    return evaluate_in(tmp_path, monkeypatch)


@pytest.mark.parametrize(
    ("answer", "reference", "right"),
    [
        ("$1,234.50", "1234.5", True),
        ("17%", "17", True),
        ("17.0", "17", True),
        ("seventeen", "17", False),
        ("17 km", "17", False),
        ("Sea gull", "sea-gull!", True),
        ("the sea gull", "sea-gull", False),
        ("ann,bob;3.0", "Ann, Bob; 3", True),
        ("ann, bob", "Ann, Bob; 3", False),
        ("bob, ann, 3", "Ann, Bob; 3", False),
        ("ann, bob., 3", "Ann, Bob; 3", False),
        ("Ann", "Ann, Bob", False),
        ("", "0", False),
    ],
)
def test_numbers_lists_and_text_are_compared_as_gaias_scorer_does(answer, reference, right):
    assert is_right(answer, reference) is right


def test_questions_with_text_files_are_asked_with_them_and_others_left_out(evaluate, tmp_path):
    def answers(request):
        text = asked_in(request)
        if "How much" in text:
            return "Answer: $1,234.5"
        return "Answer: sea gull" if "The file g3.txt:\n\nThe sea gull." in text else "Answer: Ann, Bob"

    data = bench.gaia(tmp_path / "data")
    with OpenAIServer(answers) as server:
        metrics = told(evaluate(server, "gaia", data))
        assert {request["model"] for request in server.requests} == {"agent"}, "a program judges"
    assert metrics["tasks"] == 3, "no image, and no question whose answer is kept back"
    topics = {name: (each["tasks"], each["accuracy"]) for name, each in at(metrics)["topics"].items()}
    assert topics == {"level 1": (2, 100.0), "level 2": (1, 0.0)}


def test_a_file_that_is_missing_or_elsewhere_is_one_line(evaluate, tmp_path):
    data = bench.gaia(tmp_path / "data")
    (data / "2023" / "validation" / "g3.txt").unlink()
    with OpenAIServer(lambda request: "Answer: 1") as server:
        assert "download the files too" in str(evaluate(server, "gaia", data).exception)
        bench.lines(data / "2023/validation/metadata.jsonl", [{**bench.GAIA[2], "file_name": "../../secret.txt"}])
        assert "download the files too" in str(evaluate(server, "gaia", data).exception)
        assert not server.requests
