"""The commands: export, import and audit of what was exported, and what they refuse."""

import json

import pytest

from tests.dataset.small import FIRST, KEPT, SPOKEN, contents
from toolscale.cli import main
from toolscale.dataset import write_dataset
from toolscale.dataset.splits import split_of


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    folder = tmp_path_factory.mktemp("exchange") / "dataset"
    spoken = [SPOKEN.model_copy(update={"task_id": task.id}) for task in KEPT]
    write_dataset(folder, **contents(trajectories=spoken))
    return folder


@pytest.fixture
def toolscale(monkeypatch, capsys):
    """Runs the command line in this process; gives its status, standard output and standard error."""

    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["toolscale", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        return ended.value.code or 0, said.out, said.err

    return run


def test_an_exported_domain_is_audited_as_the_dataset_is(toolscale, dataset, tmp_path):
    assert toolscale("export", dataset, "--format", "tau2", "--out", tmp_path / "out")[0] == 0
    own = json.loads(toolscale("audit", dataset, "--json")[1])
    exported = json.loads(toolscale("audit", tmp_path / "out/shop", "--json")[1])
    assert exported.pop("left_out") == []
    by_task = dict.fromkeys(("failures",), lambda failure: (failure["task_id"], failure["gate"]))
    for report in (own, exported):
        report["failures"].sort(key=by_task["failures"])
    assert exported == own
    assert own["tasks"] == len(KEPT)


def test_an_imported_domain_is_an_environment_folder_to_audit(toolscale, dataset, tmp_path):
    toolscale("export", dataset, "--format", "tau2", "--out", tmp_path / "out")
    status, said, _ = toolscale("import", tmp_path / "out/shop", "--out", tmp_path / "env", "--json")
    assert (status, json.loads(said)["written"]["tasks"]) == (0, len(KEPT))
    status, said, _ = toolscale("audit", tmp_path / "env", "--markdown")
    assert status == 0
    assert said.startswith("## Audit of env\n")


def test_exported_rows_are_audited_without_being_run(toolscale, dataset, tmp_path):
    toolscale("export", dataset, "--format", "toolscale", "--out", tmp_path / "out")
    report = json.loads(toolscale("audit", tmp_path / "out", "--json")[1])
    assert report["rows"] == len(KEPT)
    assert {failure["check"] for failure in report["failures"]} == {"distinct"}, "all tasks of the shop sound alike"


def test_chats_hold_messages_and_tools_and_stay_in_their_split(toolscale, dataset, tmp_path):
    toolscale("export", dataset, "--format", "openai", "--out", tmp_path / "out")
    count = 0
    for split in ("train", "eval"):
        lines = [json.loads(line) for line in (tmp_path / f"out/{split}.jsonl").read_text().splitlines()]
        roots = [FIRST.id if task.lineage.parent else task.id for task in KEPT]
        assert len(lines) == sum(split_of(root) == split for root in roots) > 0
        count += len(lines)
        for chat in lines:
            assert chat.keys() == {"messages", "tools"}
            called = [call for message in chat["messages"] for call in message.get("tool_calls", [])]
            assert all(isinstance(json.loads(call["function"]["arguments"]), dict) for call in called)
            assert {message["role"]: set(message) for message in chat["messages"]}["tool"] == {
                "role",
                "content",
                "tool_call_id",
            }
    assert count == len(KEPT)


def test_nothing_that_is_there_is_overwritten(toolscale, dataset, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/thesis.txt").write_text("precious")
    for arguments in (("export", dataset, "--format", "tau2"), ("import", dataset)):
        status, _, said = toolscale(*arguments, "--out", tmp_path / "mine")
        assert (status, "not empty" in said) == (2, True)
    assert (tmp_path / "mine/thesis.txt").read_text() == "precious"


def test_a_path_with_nothing_to_audit_is_one_line(toolscale, tmp_path):
    status, _, said = toolscale("audit", tmp_path)
    assert status == 2
    assert len(said.strip().splitlines()) == 1
    assert "neither a dataset" in said
