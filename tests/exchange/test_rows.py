"""Rows in the published columns: nothing is padded, padding is taken out again, and an audit finds what is wrong."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.exchange.world import FUNCTIONS, PLACED, TASK
from toolscale.dataset.markdown import as_markdown
from toolscale.errors import UserError
from toolscale.exchange.published import COLUMNS, export_published, published_row, read_published
from toolscale.exchange.row_audit import CHECKS, audit_rows


def row(name, *calls, reason="Please change the booking.", facts=(), domain="hotel"):
    return {
        "id": name,
        "description": None,
        "user_scenario": {"persona": None, "instructions": {"domain": domain, "reason_for_call": f"{reason} {name}"}},
        "initial_state": None,
        "evaluation_criteria": {
            "actions": [{"action_id": "0", "name": called, "arguments": arguments} for called, arguments in calls],
            "communicate_info": list(facts),
        },
    }


def clean(number):
    return row(f"c{number}", ("get_room", {"room_id": f"R-{number}"}), ("book_room", {"nights": number}))


CLEAN = [clean(number) for number in range(6)]


def failures(tmp_path, *rows, functions=None):
    """(row, check) of every failure in rows among clean ones."""
    folder = tmp_path / "rows"
    folder.mkdir()
    (folder / "train.jsonl").write_text("".join(json.dumps(each) + "\n" for each in (*CLEAN, *rows)))
    if functions is not None:
        (folder / "functions.json").write_text(json.dumps([function.model_dump() for function in functions]))
    return {(failure["task_id"], failure["check"]) for failure in audit_rows(folder)["failures"]}


def test_a_row_carries_the_published_columns_and_its_arguments_as_they_are(tmp_path):
    export_published(PLACED, tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["eval.jsonl", "train.jsonl"]
    (written,) = (tmp_path / "out/train.jsonl").read_text().splitlines()
    assert tuple(json.loads(written)) == COLUMNS
    ((read, wrong),) = read_published(tmp_path / "out/train.jsonl")
    assert wrong == []
    actions = read["evaluation_criteria"]["actions"]
    assert [(action["name"], action["arguments"]) for action in actions] == [
        (call.name, call.arguments) for call in TASK.golden_calls
    ]


def test_padding_and_arrows_dates_are_taken_out(tmp_path):
    from datetime import datetime

    rows = [
        row("a", ("x", {"day": datetime(2026, 3, 14), "guest": {"name": "Ada", "title": None}})),
        row("b", ("y", {"nights": 2, "rooms": [{"id": "R-1", "view": None}]})),
        row("c", ("z", '{"nights": 2, "note": null}')),
    ]
    pq.write_table(pa.Table.from_pylist(rows[:2]), tmp_path / "train.parquet")
    (tmp_path / "more.jsonl").write_text(json.dumps(rows[2]))
    read = {each["id"]: each["evaluation_criteria"]["actions"][0]["arguments"] for each, _ in read_published(tmp_path)}
    assert read == {
        "a": {"day": "2026-03-14T00:00:00", "guest": {"name": "Ada"}},
        "b": {"nights": 2, "rooms": [{"id": "R-1"}]},
        "c": {"nights": 2},
    }


def test_clean_rows_have_nothing_against_them(tmp_path):
    assert failures(tmp_path) == set()


@pytest.mark.parametrize(
    ("spoilt", "check"),
    [
        (row("bad"), "golden_calls"),
        (row("c1", ("get_room", {"room_id": "R"})), "one_id"),
        (row("bad", ("get_roon", {"room_id": "R"})), "known_functions"),
        (row("bad", ("get_room", {"roomid": "R"})), "known_parameters"),
        (row("bad", ("get_room", {}), reason="It costs 2,500 I think.", facts=["2500"]), "no_leak"),
        (row("bad", ("get_room", {"room_id": "SHOULD BE FREE"})), "no_annotation"),
        (row("bad", ("get_room", {}), reason="TODO ask for a room"), "no_annotation"),
        (row("bad", ("get_room", {}), ("transfer_to_human_agents", {"summary": "..."})), "no_hand_over"),
        (row("bad", ("get_room", "{")), "form"),
        ({**row("bad"), "evaluation_criteria": {"actions": ["get_room"], "communicate_info": 5}}, "form"),
        ({**row("bad"), "evaluation_criteria": {"actions": {"name": "x"}}}, "form"),
        ({**row("bad", ("get_room", {})), "user_scenario": None}, "instruction"),
        ({**CLEAN[0], "id": "bad"}, "distinct"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_each_known_fault_is_found(tmp_path, spoilt, check):
    assert (spoilt["id"], check) in failures(tmp_path, spoilt)


def test_every_check_has_been_seen_to_fail():
    (mark,) = test_each_known_fault_is_found.pytestmark
    seen = {check for _, check in mark.args[1]}
    assert seen == {"form", *CHECKS}


def test_with_functions_beside_the_rows_names_and_arguments_are_held_against_them(tmp_path):
    fine = row("fine", ("book_room", {"room_id": "R-1", "nights": 2}))
    unknown = row("unknown", ("fly", {}))
    extra = row("extra", ("get_room", {"room_id": "R-1", "floor": 2}))
    wrong = row("wrong", ("book_room", {"room_id": "R-1", "nights": "two"}))
    found = failures(tmp_path, fine, unknown, extra, wrong, functions=FUNCTIONS)
    assert {each for each in found if not each[0].startswith("c")} == {
        ("unknown", "known_functions"),
        ("extra", "known_parameters"),
        ("wrong", "known_parameters"),
    }


def test_the_markdown_names_the_rows_and_the_limits(tmp_path):
    (tmp_path / "train.jsonl").write_text("\n".join(map(json.dumps, [*CLEAN, row("bad-1"), row("bad-2")])))
    report = audit_rows(tmp_path)
    text = as_markdown(report, "somebody/data")
    assert text.startswith("## Audit of somebody/data\n\n6 of 8 rows pass")
    assert "- **golden_calls**: `bad-1`, `bad-2`" in text
    assert all(limit in text for limit in report["limits"])


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "holds no rows"), ("{", r"train\.jsonl:1"), ('{"id": 1}', "lacks the columns"), ("[]", "lacks the columns")],
)
def test_what_is_not_rows_is_refused(tmp_path, text, message):
    (tmp_path / "train.jsonl").write_text(text)
    with pytest.raises(UserError, match=message):
        read_published(tmp_path)


def test_a_row_keeps_the_instruction_word_for_word():
    assert published_row(TASK)["user_scenario"] == TASK.user_scenario.model_dump(mode="json")
