"""The Berkeley Function Calling Leaderboard: conversations, executed calls, other languages, and its score."""

import json
from itertools import product

import pytest

from tests.evaluation import bench, bfcl_stand_in
from tests.evaluation.test_evaluate import at, evaluate_in, told
from tests.openai_server import OpenAIServer
from tests.orchestration.orchestra import calls, script
from toolscale.evaluation.benchmarks.bfcl import leaderboard
from toolscale.evaluation.benchmarks.bfcl import package as package_module


@pytest.fixture(name="evaluate")
def evaluate_fixture(tmp_path, monkeypatch):
    return evaluate_in(tmp_path, monkeypatch)


@pytest.fixture(autouse=True)
def package(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(bfcl_stand_in.package(tmp_path / "package")))


def reason(tmp_path, folder="run"):
    (line,) = (tmp_path / folder / "results.jsonl").read_text().splitlines()
    return json.loads(line)["reason"]


OPENS, READS = calls(("open_ticket", {"title": "lamp"})), calls(("read_ticket", {"number": 1}))


def test_a_conversation_is_solved_by_the_right_state_and_results_after_each_turn(evaluate, tmp_path):
    acts = script(OPENS, "It is open.", "I cannot read it.", READS, "Lamp.")
    with OpenAIServer(acts) as server:
        metrics = told(evaluate(server, "bfcl", bfcl_stand_in.conversation(tmp_path / "data")))
        first, *_, last = server.requests
    assert at(metrics)["accuracy"]["mean"] == 100.0, reason(tmp_path)
    assert at(metrics)["turns"] == 5
    assert [tool["function"]["name"] for tool in first["tools"]] == ["open_ticket"]
    assert [tool["function"]["name"] for tool in last["tools"]] == ["open_ticket", "read_ticket"]
    users = [message["content"] for message in last["messages"] if message["role"] == "user"]
    assert users[:2] == ["Open a ticket on the lamp.", "Read it to me."]
    assert [message["content"] for message in last["messages"] if message["role"] == "tool"] == [
        '{"id": 1}',
        '{"title": "lamp"}',
    ]


def test_a_conversation_can_be_held_in_toolrls_format(evaluate, tmp_path):
    def step(name, **parameters):
        call = json.dumps({"name": name, "parameters": parameters})
        return f"<think>So.</think>\n<tool_call>\n{call}\n</tool_call>"

    said = [step("open_ticket", title="lamp"), "It is open.", "I cannot.", step("read_ticket", number=1), "Lamp."]
    left = iter(each if each.startswith("<") else f"<think>So.</think>\n<response>{each}</response>" for each in said)
    with OpenAIServer(lambda request: next(left)) as server:
        data = bfcl_stand_in.conversation(tmp_path / "data")
        metrics = told(evaluate(server, "bfcl", data, "--format", "toolrl"))
        first, *_, last = [request["messages"] for request in server.requests]
    assert at(metrics)["accuracy"]["mean"] == 100.0, reason(tmp_path)
    assert "read_ticket" not in first[0]["content"]
    assert "2. Name: read_ticket" in last[0]["content"]
    dialogue = last[1]["content"]
    assert dialogue.count("<user>") == 3
    assert '<obs> {"id": 1} </obs>' in dialogue
    assert "<response> I cannot. </response>" in dialogue


@pytest.mark.parametrize(
    ("acts", "because"),
    [
        ([calls(("open_ticket", {"title": "Lamp"})), "Open."], "turn 1: TicketAPI.tickets is not as"),
        (["It is open."], "turn 1: nothing was called"),
        ([OPENS, "", "No.", calls(("read_ticket", {"number": 0})), "Door."], 'turn 3: no call had the result {"title"'),
        ([OPENS, "Open.", "No.", calls(("read_ticket", {"number": 9})), "None."], "turn 3: no call had the result"),
        ([*[OPENS] * 30], "turn 1 did not come to its end: turn_limit"),
    ],
)
def test_what_is_wrong_with_a_conversation_is_told(evaluate, tmp_path, acts, because):
    with OpenAIServer(script(*acts)) as server:
        metrics = told(evaluate(server, "bfcl", bfcl_stand_in.conversation(tmp_path / "data")))
    assert at(metrics)["accuracy"]["mean"] == 0.0
    assert reason(tmp_path).startswith(because)


def test_a_call_made_in_an_earlier_turn_counts_for_a_later_one(evaluate, tmp_path):
    data = bfcl_stand_in.conversation(tmp_path / "data", "multi_turn_base")
    row = json.loads((data / "BFCL_v3_multi_turn_base.json").read_text())
    del row["missed_function"]
    row["question"][2] = row["question"][1]
    bench.lines(data / "BFCL_v3_multi_turn_base.json", [row])
    another = calls(("read_ticket", {"number": 0}))
    with OpenAIServer(script(OPENS, READS, "It is open.", "Lamp.", another, "Lamp, again.")) as server:
        assert at(told(evaluate(server, "bfcl", data)))["accuracy"]["mean"] == 100.0, reason(tmp_path)


def test_a_service_that_hangs_is_an_error_of_its_call_and_the_run_goes_on(evaluate, tmp_path, monkeypatch):
    monkeypatch.setattr(package_module, "_SECONDS", 1.0)
    data = bfcl_stand_in.conversation(tmp_path / "data")
    hang = {"name": "hang", "description": "Waits.", "parameters": {"type": "dict", "properties": {}}}
    with (data / "multi_turn_func_doc" / "ticket_api.json").open("a") as file:
        file.write(json.dumps(hang) + "\n")
    with OpenAIServer(script(calls(("hang", {})), "It hangs.")) as server:
        told(evaluate(server, "bfcl", data))
    assert reason(tmp_path).startswith("turn 1: ")


def test_without_the_package_its_categories_are_named_and_the_others_attempted(evaluate, tmp_path, monkeypatch):
    monkeypatch.setattr("toolscale.evaluation.benchmarks.bfcl.reading.is_installed", lambda: False)
    data = bfcl_stand_in.conversation(bench.bfcl(tmp_path / "data"))
    with OpenAIServer(lambda request: "No.") as server:
        result = evaluate(server, "bfcl", data)
    assert set(at(told(result))["topics"]) == {"simple", "irrelevance"}
    assert "multi_turn_base, multi_turn_miss_func are left out" in " ".join(result.stderr.split())
    assert "pip install --no-deps bfcl-eval==" in result.stderr


@pytest.mark.parametrize("call", ["open_ticket(name='lamp')", "close_ticket(number=1)"])
def test_data_of_another_version_than_the_package_is_refused_before_a_model_is_asked(evaluate, tmp_path, call):
    data = bfcl_stand_in.conversation(tmp_path / "data")
    answer = {"id": "multi_turn_miss_func_0", "ground_truth": [[call], [], []]}
    bench.lines(data / "possible_answer" / "BFCL_v3_multi_turn_miss_func.json", [answer])
    with OpenAIServer(script("No.")) as server:
        assert "does not go with this data of BFCL" in str(evaluate(server, "bfcl", data).exception)
        assert not server.requests


def function(**properties):
    return {
        "name": "Box.fill",
        "description": "Fills it.",
        "parameters": {"type": "dict", "properties": properties, "required": list(properties)},
    }


@pytest.mark.parametrize(("language", "listed"), [("java", 'new String[]{"a", "b"}'), ("javascript", '["a", "b"]')])
def test_values_of_other_languages_are_read_from_their_source(evaluate, tmp_path, language, listed):
    kind = {"java": "Array", "javascript": "array"}[language]
    described = function(
        size={"type": "integer", "description": "Litres."}, marks={"type": kind, "items": {"type": "String"}}
    )
    answer = [{"Box.fill": {"size": [5], "marks": [["a", "b"]]}}]
    rows = [bfcl_stand_in.row(f"{language}_{number}", described, f"Case {number}.") for number in range(2)]
    bfcl_stand_in.category(tmp_path / "data", language, rows, [answer, answer])

    def fills(request):
        if request["messages"][-1]["role"] == "tool":
            return "Done."
        size = "5" if "Case 0." in request["messages"][-1]["content"] else 5
        return calls(("Box_fill", {"size": size, "marks": listed}))

    with OpenAIServer(fills) as server:
        metrics = told(evaluate(server, "bfcl", tmp_path / "data"))
        offered = server.requests[0]["tools"][0]["function"]["parameters"]["properties"]
    assert at(metrics)["accuracy"]["mean"] == 50.0, "a value that is no source text is wrong, as on the leaderboard"
    assert {each["type"] for each in offered.values()} == {"string"}
    assert f"{kind} of String" in offered["marks"]["description"]


@pytest.mark.parametrize("inline", [True, False])
def test_executed_calls_are_compared_with_the_right_ones(evaluate, tmp_path, inline):
    described = function(n={"type": "integer"}, share={"type": "float"})
    rows = [bfcl_stand_in.row(f"exec_parallel_{number}", described, f"Case {number}.") for number in range(2)]
    right = ["Box.fill(n=2, share=1/4)", "Box.fill(3, 0.5)"]
    if inline:
        bfcl_stand_in.category(tmp_path / "data", "exec_parallel", [{**row, "ground_truth": right} for row in rows])
    else:
        bfcl_stand_in.category(tmp_path / "data", "exec_parallel", rows, [right, right])

    def fills(request):
        if request["messages"][-1]["role"] == "tool":
            return "Done."
        last = 0.5 if "Case 0." in request["messages"][-1]["content"] else 0.6
        return calls(("Box_fill", {"n": 3, "share": last}), ("Box_fill", {"n": 2, "share": 0.25}))

    with OpenAIServer(fills) as server:
        metrics = told(evaluate(server, "bfcl", tmp_path / "data"))
    assert at(metrics)["topics"] == {"exec_parallel": {"tasks": 2, "accuracy": 50.0}}
    assert at(metrics)["leaderboard"]["non_live_exec"] == 50.0


def test_an_answer_with_another_id_belongs_to_the_task_at_its_place(evaluate, tmp_path):
    data = bench.bfcl(tmp_path / "data")
    (data / "BFCL_v3_irrelevance.json").unlink()
    possible = data / "possible_answer" / "BFCL_v3_simple.json"
    bench.lines(possible, [{**json.loads(possible.read_text()), "id": "simple_other"}])
    (data / "BFCL_v3_multi_turn_base.json").unlink()
    with OpenAIServer(script(calls(("math_add", {"a": 1, "b": 2})), "Three.")) as server:
        assert at(told(evaluate(server, "bfcl", data)))["accuracy"]["mean"] == 100.0


@pytest.mark.parametrize(
    ("part", "rows"),
    [
        ("BFCL_v3_multi_turn_miss_func.json", [{"id": "multi_turn_miss_func_0", "question": [[]]}]),
        ("possible_answer/BFCL_v3_multi_turn_miss_func.json", [{"id": "multi_turn_miss_func_0", "ground_truth": [[]]}]),
        ("possible_answer/BFCL_v3_multi_turn_miss_func.json", []),
        ("possible_answer/BFCL_v3_multi_turn_miss_func.json", [{"id": "multi_turn_miss_func_0"}]),
    ],
)
def test_rows_of_another_form_are_one_line(evaluate, tmp_path, part, rows):
    data = bfcl_stand_in.conversation(tmp_path / "data")
    bench.lines(data / part, rows)
    with OpenAIServer(lambda request: "No.") as server:
        error = str(evaluate(server, "bfcl", data).exception)
        assert "multi_turn_miss_func" in error
        assert "\n" not in error
        assert not server.requests


def everything(**accuracy):
    names = ["simple", "java", "javascript", "multiple", "parallel", "parallel_multiple", "irrelevance"]
    names += [f"exec_{name}" for name in ("simple", "multiple", "parallel", "parallel_multiple")] + ["rest"]
    names += [
        f"live_{name}" for name in ("simple", "multiple", "parallel", "parallel_multiple", "irrelevance", "relevance")
    ]
    names += [f"multi_turn_{name}" for name in ("base", "miss_func", "miss_param", "long_context")]
    sizes = {"live_simple": 258, "live_multiple": 1053}
    return {name: {"tasks": sizes.get(name, 100), "accuracy": accuracy.get(name, 0.0)} for name in names}


def test_the_columns_are_the_leaderboards_means():
    found = leaderboard(
        everything(
            simple=90, java=60, javascript=30, multiple=80, exec_simple=50, rest=10, live_simple=100, multi_turn_base=40
        )
        | {"irrelevance": {"tasks": 240, "accuracy": 70.0}}
    )
    live = 258 * 100 / (258 + 1053 + 400)
    non_live = (60 + 80 + 0 + 0 + 30 + 0 + 0 + 0 + 70) / 9
    assert found == {
        "overall": pytest.approx((live + non_live + 10) / 3),
        "non_live_ast": 35.0,
        "non_live_exec": 7.5,
        "live": pytest.approx(live),
        "multi_turn": 10.0,
        "relevance": 0.0,
        "irrelevance": 35.0,
        "missing": [],
    }


def test_without_executed_categories_the_overall_score_is_the_one_of_after_they_were_retired():
    kept = {name: each for name, each in everything(multiple=80).items() if not name.startswith(("exec", "rest"))}
    found = leaderboard(kept)
    assert found["overall"] == pytest.approx((80 / 5) / 3)
    assert found["non_live_exec"] is None
    assert found["missing"] == ["exec_simple", "exec_multiple", "exec_parallel", "exec_parallel_multiple", "rest"]


def test_version_fours_names_of_categories_mean_the_same():
    old = {"simple": {"tasks": 1, "accuracy": 50.0}, "java": {"tasks": 1, "accuracy": 100.0}}
    new = {"simple_python": old["simple"], "simple_java": old["java"]}
    assert leaderboard(old) == leaderboard(new)
    assert leaderboard({})["overall"] is None


@pytest.mark.parametrize(("values", "given"), product([[5, ""], [True, ""], [["a"], ""]], [""]))
def test_the_empty_text_is_no_value_where_a_parameter_takes_no_text(values, given):
    from toolscale.artifacts import Call
    from toolscale.evaluation.benchmarks.bfcl.calls import fault

    call = Call(name="fill", arguments={"size": given})
    assert fault(call, {"fill": {"size": values}}, {}) != ""
    assert fault(Call(name="fill", arguments={}), {"fill": {"size": values}}, {}) == ""
    assert fault(call, {"fill": {"size": ["none", ""]}}, {}) == ""
