"""The ready views say of a dataset what its rows hold, counted here once more in plain Python."""

import json
import random
from collections import Counter, defaultdict
from pathlib import Path
from statistics import mean
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.dataset.crossing import as_earlier_versions_wrote_it, rows_of, splits_of_tasks
from tests.dataset.small import FIRST, WORLD, contents, spoken, task, write_small
from tests.dataset.small import attempts as attempted
from toolscale.artifacts import (
    GATES,
    CallOutcome,
    GateOutcome,
    GoldenCall,
    Instructions,
    Reject,
    UserScenario,
)
from toolscale.dataset import write_dataset
from toolscale.dataset.columns import SCHEMAS
from toolscale.dataset.opened import open_tables, outline
from toolscale.dataset.ready_views import MANY_CALLS, READY
from toolscale.dataset.splits import DRAFTED
from toolscale.dataset.views import TABLES, dataset_files, dataset_views
from toolscale.query import Tables

CALLS = st.sampled_from(
    [
        GoldenCall(action_id="0", name="cancel_order", arguments={"order_id": "O-1"}),
        GoldenCall(action_id="0", name="cancel_order", arguments={"order_id": "O-2", "reason": 'a "b", c'}),
        GoldenCall(action_id="0", name="get_order", arguments={"order_id": "O-1"}),
        GoldenCall(action_id="0", name="get_order", arguments={}),
    ]
)


@st.composite
def worlds(draw):
    """Two domains; tasks of any number of calls, attempts and facts; some of them refused by some gate."""
    tasks, rejected = [], []
    for number in range(draw(st.integers(0, 12))):
        domain, gate = draw(st.sampled_from(["shop", "zoo"])), draw(st.sampled_from([None, None, *GATES]))
        parent = draw(st.sampled_from([None, *tasks]))
        made = draw(st.integers(0, 8))
        one = task(f"{domain}-{number}", parent).model_copy(
            update={
                "domain": domain,
                "golden_calls": draw(st.lists(CALLS, max_size=8)),
                "communicate_info": draw(st.lists(st.sampled_from(["1", "2"]), max_size=2)),
                "attempts": attempted(draw(st.integers(0, made)), made),
                "pass_rate": draw(st.sampled_from([None, 0.125, 0.5, 1.0])),
                **({"gates": [GateOutcome(gate=gate, passed=False, reasons=["because"])]} if gate else {}),
            }
        )
        (rejected if gate else tasks).append(one)
    drafts = [
        Reject(domain="shop", stage=stage, check=check, reasons=["because"])
        for stage, check in draw(st.lists(st.tuples(st.sampled_from(DRAFTED), st.sampled_from([*GATES, "form"]))))
    ]
    environments = [WORLD, WORLD.model_copy(update={"domain": "zoo", "database": {"animals": [1, 2], "open": True}})]
    rejects = [*contents()["rejects"], *drafts]
    return contents(tasks=tasks, rejected=rejected, rejects=rejects, trajectories=[], environments=environments)


def read(folder: Path) -> dict[str, list[dict]]:
    return {
        config: [{**row, "split": file.stem} for file in sorted((folder / config).iterdir()) for row in rows_of(file)]
        for config in ("tasks", "rejects", "environments")
    }


def actions(row):
    return row["evaluation_criteria"]["actions"]


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(made=worlds())
def test_the_views_count_what_the_rows_hold(tmp_path_factory, made):
    folder = tmp_path_factory.mktemp("views") / "d"
    with patch("toolscale.dataset.writer.write_plots"):  # they take as long as all the rest, and no view reads them
        write_dataset(folder, **made)
    rows = read(folder)
    tasks, rejects = rows["tasks"], [row for row in rows["rejects"] if row["check"] in GATES]
    kinds = {
        (row["domain"], f["name"]): f["kind"] for row in rows["environments"] for f in json.loads(row["functions"])
    }
    with Tables(dataset_views(folder), dataset_files(folder)) as tables:
        kept, refused = (
            Counter(row["domain"] for row in tasks),
            Counter((row["domain"], row["check"]) for row in rejects),
        )
        funnel = {row["domain"]: row for row in tables.frame("select * from funnel").to_dict("records")}
        assert set(funnel) == {"shop", "zoo"}
        for domain, row in funnel.items():
            assert row["kept"] == kept[domain]
            assert {gate: row[gate] for gate in GATES} == {gate: refused[domain, gate] for gate in GATES}
            assert row["proposed"] == row["kept"] + sum(row[gate] for gate in GATES)
            remaining = tables.rows(f"select remaining from gates where domain = '{domain}' order by position")
            assert remaining[-1] == (row["kept"],)
        assert dict(tables.rows("select domain, entries from domains")) == {"shop": 11, "zoo": 2}

        called = [
            (row["id"], a["name"], kinds[row["domain"], a["name"]], a["arguments"])
            for row in tasks
            for a in actions(row)
        ]
        assert sorted(tables.rows("select task_id, name, kind, arguments from golden_calls")) == sorted(called)
        used = Counter((row["domain"], a["name"]) for row in tasks for a in actions(row))
        assert {(d, n): c for d, n, c in tables.rows("select domain, name, calls from functions_used")} == {
            pair: used[pair] for pair in kinds
        }

        solved = Counter((sum(a["solved"] for a in row["attempts"]), len(row["attempts"])) for row in tasks)
        counted = tables.rows("select solved, attempts, sum(tasks)::int from pass_rates group by all")
        assert {(s, a): n for s, a, n in counted} == solved
        assert tables.rows("select count(*) from attempts") == [(sum(len(row["attempts"]) for row in tasks),)]

        by_depth = defaultdict(list)
        for row in tasks:
            by_depth[row["lineage"]["depth"]].append(row)
        for depth, count, calls, functions, many, rate in tables.rows("select * from depths"):
            own = by_depth.pop(depth)
            rates = [row["pass_rate"] for row in own if row["pass_rate"] is not None]
            assert count == len(own)
            assert calls == pytest.approx(mean(len(actions(row)) for row in own))
            assert functions == pytest.approx(mean(len({a["name"] for a in actions(row)}) for row in own))
            assert many == pytest.approx(mean(len(actions(row)) >= MANY_CALLS for row in own))
            assert rate == (pytest.approx(mean(rates)) if rates else None)
        assert not by_depth

        skeletons = {
            (row["domain"], tuple((a["name"], *json.loads(a["arguments"])) for a in actions(row))) for row in tasks
        }
        writing = [row for row in tasks if any(kinds[row["domain"], a["name"]] == "write" for a in actions(row))]
        told = [row for row in tasks if row not in writing and row["evaluation_criteria"]["communicate_info"]]
        (facts,) = tables.frame("select * from facts").to_dict("records")
        assert (facts["tasks"], facts["skeletons"]) == (len(tasks), len(skeletons))
        assert facts["with_writes"] * len(tasks) == pytest.approx(len(writing))
        assert facts["read_only_with_facts"] * len(tasks) == pytest.approx(len(told))
        splits = Counter(row["split"] for row in tasks)
        assert dict(tables.rows("select split, tasks from splits")) == {
            name: splits[name] for name in ("train", "eval")
        }


@pytest.mark.parametrize("earlier", [False, True], ids=["today's", "an earlier version's"])
def test_every_table_has_the_split_of_its_rows_and_an_attempt_that_of_its_task(tmp_path, earlier):
    write_small(tmp_path / "d")
    if earlier:
        as_earlier_versions_wrote_it(tmp_path / "d")
    splits = splits_of_tasks(tmp_path / "d")
    with open_tables(tmp_path / "d") as tables:
        assert dict(tables.rows("select id, split from tasks")) == splits
        found = tables.rows("select task_id, split from trajectories")
        assert len(found) == 3
        assert all(splits[name] == split for name, split in found)
        for name in TABLES:
            assert {column for column, _ in tables.columns(name)} == {*SCHEMAS[name].names, "split"}


def test_the_outline_has_every_column_of_every_view_and_no_row(tmp_path):
    write_dataset(tmp_path / "d", **contents(tasks=[FIRST]))
    with open_tables(tmp_path / "d") as tables, outline() as bare:
        assert bare.names == tables.names
        for name in (*TABLES, *READY):
            assert {column for column, _ in bare.columns(name)} == {column for column, _ in tables.columns(name)}, name
            assert name in ("facts", "splits") or bare.rows(f"select count(*) from {name}") == [(0,)]


FORMS = [
    ("Please book Bar Wiślany on 13 December at 12 pm.", "please book @ on # @ at # pm."),
    ("I am PX-57377, thanks!", "i am # thanks!"),
    ("It costs 1.5 €. Is it right?", "it costs # €.", "is it right?"),
]


def forms_of(prompt):
    """The sentence forms of an instruction, read off by hand."""
    return next(forms for text, *forms in FORMS if text == prompt)


def test_what_eval_has_in_common_with_train_is_counted(tmp_path):
    """Families never; users, function sequences and masked sentences as the rows have them."""
    rng = random.Random(1)
    names = [f"C-{number}" for number in range(1, 4)]
    tasks = []
    for number in range(60):
        text, *_ = rng.choice(FORMS)
        calls = rng.choice([["get_order"], ["get_order", "cancel_order"]]) if number % 2 else ["get_order"] * number
        said = Instructions(domain="shop", reason_for_call=text)
        tasks.append(
            task(f"shop-{number}").model_copy(
                update={
                    "user_scenario": UserScenario(instructions=said),
                    "golden_calls": [
                        GoldenCall(name=name, arguments={"order_id": rng.choice(names)}) for name in calls
                    ],
                }
            )
        )
    write_dataset(tmp_path / "d", **contents(tasks=tasks, rejected=[], trajectories=[]))
    rows = read(tmp_path / "d")["tasks"]
    sequences = {
        split: [tuple(a["name"] for a in actions(row)) for row in rows if row["split"] == split]
        for split in ("train", "eval")
    }
    sentences = {
        split: [form for row in rows if row["split"] == split for form in forms_of(row["prompt"])]
        for split in ("train", "eval")
    }
    with open_tables(tmp_path / "d") as tables:
        found = {part: (parts, seen) for part, parts, seen in tables.rows("select part, parts, seen from seen")}
    assert found["family"] == (len(sequences["eval"]), 0)
    assert "user" not in found, "nobody says who they are"
    for part, named in (("function sequence", sequences), ("sentence form", sentences)):
        shared = [one in named["train"] for one in named["eval"]]
        assert found[part] == (len(shared), pytest.approx(mean(shared))), part
    assert 0 < found["function sequence"][1] < 1


def test_errors_recoveries_and_turns_of_the_user_are_counted(tmp_path):
    wrong = CallOutcome(name="get_order", error="no", error_type="KeyError")
    right = CallOutcome(name="get_order", result={"error": "is no error"})
    kinds = {0: [right], 1: [wrong, right], 5: [right, wrong], 6: []}
    more = {"role": "user", "content": "Yes."}
    made = [
        spoken("shop-1", place).model_copy(
            update={"calls": calls, "messages": [*spoken("shop-1", place).messages, *([more] if place else [])]}
        )
        for place, calls in kinds.items()
    ]
    write_dataset(tmp_path / "d", **contents(trajectories=made))
    with open_tables(tmp_path / "d") as tables:
        found = tables.rows(
            "select attempt, solved, user_turns, calls, errors, recovered from lessons order by attempt"
        )
    assert found == [
        (0, True, 1, 1, 0, False),
        (1, True, 2, 2, 1, True),
        (5, False, 2, 2, 1, False),
        (6, False, 2, 0, 0, False),
    ]
