"""The commands: export, import and audit of what was exported, and what they refuse."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.dataset.small import FIRST, KEPT, SPOKEN, WORLD, contents, write_small
from toolscale.artifacts import CallOutcome, FunctionSpec
from toolscale.cli import main
from toolscale.dataset import write_dataset
from toolscale.dataset.hidden_inputs import hidden_inputs_below
from toolscale.dataset.splits import split_of
from toolscale.errors import UserError


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


READERS = """
import uuid
from datetime import datetime


def book(db):
    return {"id": str(uuid.uuid4())}


def stamp(db):
    db["notes"]["N"] = {"at": datetime.utcnow().isoformat()}


def fair(db):
    return 1


def refuses(db):
    raise ValueError("never")
"""


@pytest.fixture
def readers(tmp_path):
    """An environment folder in which two of the functions depend on what no call says."""
    folder = tmp_path / "readers"
    folder.mkdir()
    names = ("book", "stamp", "fair", "refuses")
    (folder / "functions.py").write_text(READERS)
    (folder / "functions.json").write_text(json.dumps([{"name": name} for name in names]))
    (folder / "database.json").write_text(json.dumps({"notes": {}}))
    (folder / "tasks.json").write_text(json.dumps([{"id": "t", "golden_calls": [{"name": "fair", "arguments": {}}]}]))
    return folder


SEEN = {"domain": "readers", "clock": ["stamp"], "chance": ["book"], "not_reached": ["refuses"]}
SAID = [
    "stamp reads the clock",
    "book draws at random (chance or a generated id)",
    "1 function was not reached by any call that returned, so nothing is known of: refuses",
]


def test_an_audit_says_who_reads_the_clock_or_draws_at_random(toolscale, readers):
    status, said, _ = toolscale("audit", readers, "--json")
    assert (status, json.loads(said)["hidden_inputs"]) == (0, [SEEN])
    status, said, _ = toolscale("audit", readers)
    assert status == 0
    assert said.splitlines()[-3:] == SAID, "one line each, however narrow the terminal"
    status, said, _ = toolscale("audit", readers, "--markdown")
    assert (status, said[said.index("### Clock") :].splitlines()[2:5]) == (0, [f"- {line}" for line in SAID])


def test_an_environment_without_tasks_is_told_of_all_the_same(toolscale, readers):
    (readers / "tasks.json").write_text("[]")
    assert json.loads(toolscale("audit", readers, "--json")[1])["hidden_inputs"] == [SEEN]


def test_an_import_says_who_reads_the_clock_or_draws_at_random(toolscale, readers, tmp_path):
    """Written as our export of tau2-bench's files lies, so that nothing but the import is at work."""
    (readers / "database.json").rename(readers / "db.json")
    (readers / "tools.py").write_text("")
    (readers / "environment.json").write_text(json.dumps({"domain": "readers"}))
    status, said, _ = toolscale("import", readers, "--out", tmp_path / "one", "--json")
    assert (status, json.loads(said)["hidden_inputs"]) == (0, [SEEN])
    status, said, _ = toolscale("import", readers, "--out", tmp_path / "two")
    assert (status, said.splitlines()[1:-1]) == (0, SAID)


SECRET = """

def secret(db, word="no"):
    import random

    if word != "sesame":
        raise ValueError("no")
    return random.random()
"""


def test_trajectories_that_cannot_be_read_are_one_line(tmp_path):
    write_small(tmp_path / "set")
    (file,) = (tmp_path / "set/trajectories").glob("train.parquet")
    file.write_bytes(b"no parquet")
    with pytest.raises(UserError, match=r"train\.parquet cannot be read as Parquet"):
        hidden_inputs_below(tmp_path / "set")
    pq.write_table(pa.table({"calls": ["[]"]}), file)
    with pytest.raises(UserError, match="trajectories: a row without id is not a row of this dataset's form"):
        hidden_inputs_below(tmp_path / "set")


def test_calls_of_a_datasets_trajectories_are_run_too(tmp_path):
    secret = FunctionSpec(name="secret", description="Secret.", parameters={}, kind="read")
    world = WORLD.model_copy(
        update={"source": WORLD.source + SECRET, "functions": [*WORLD.functions, secret]},
    )
    call = CallOutcome(name="secret", arguments={"word": "sesame"})
    spoken = SPOKEN.model_copy(update={"calls": [call]})
    found = []
    for name, trajectories in (("without", []), ("with", [spoken])):
        write_dataset(tmp_path / name, **contents(environments=[world], trajectories=trajectories))
        found += hidden_inputs_below(tmp_path / name)
    without, with_them = found
    assert ("secret" in without.not_reached, without.chance) == (True, [])
    assert ("secret" in with_them.not_reached, with_them.chance) == (False, ["secret"])
