"""What `eval` says is unseen is unseen, kin stay together, and the split does not depend on the order of the tasks."""

import json
import random
from inspect import signature

import pyarrow.parquet as pq
import pytest

from tests.dataset.small import WORLD, contents
from tests.dataset.small import task as shop_task
from toolscale.artifacts import GoldenCall, Instructions, Reject, UserScenario
from toolscale.dataset import write_dataset
from toolscale.dataset.splits import (
    ALWAYS_TRAINED,
    Placement,
    held_out_domains,
    placements,
    reject_split,
    split_of,
    users_of,
)
from toolscale.errors import UserError

ORDERS = {f"O-{number}": {"order_id": f"O-{number}"} for number in range(400)}
CUSTOMERS = {f"C-{number}": {"customer_id": f"C-{number}"} for number in range(60)}
SHOPS = {f"S-{number}": {"shop_id": f"S-{number}"} for number in range(3)}
BIG = WORLD.model_copy(update={"database": {"orders": ORDERS, "customers": CUSTOMERS, "shops": SHOPS}})
"""Orders that few tasks name, customers that some do, and shops that every third task does."""


def family(number, rng):
    """A first task and its child, which names an entity more."""
    customer, shop = rng.choice(list(CUSTOMERS)), rng.choice(list(SHOPS))
    calls = [GoldenCall(name="get_order", arguments={"order_id": f"O-{number}", "who": [customer]})]
    if number % 3:
        calls.append(GoldenCall(name="get_shop", arguments={"shop": {"id": shop}}))
    intent = f"intent {rng.randrange(25)}"
    first = shop_task(f"shop-{number}").model_copy(update={"intent": intent, "golden_calls": calls})
    more = GoldenCall(name="get_order", arguments={"order_id": rng.choice(list(ORDERS))})
    child = shop_task(f"shop-{number}-b", first)
    return [first, child.model_copy(update={"intent": intent, "golden_calls": [*calls, more]})]


TASKS = [task for number in range(300) for task in family(number, random.Random(number))]


def named(arguments, keys):
    """Keys of the database in the JSON of some arguments, found by looking for them."""
    text = json.dumps(arguments)
    return {key for key in keys if f'"{key}"' in text}


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    folder = tmp_path_factory.mktemp("splits") / "d"
    write_dataset(folder, **contents(tasks=TASKS, environments=[BIG], trajectories=[], rejected=[]))
    return {split: pq.read_table(folder / "tasks" / f"{split}.parquet").to_pylist() for split in ("train", "eval")}


def test_what_is_called_unseen_is_not_in_train_and_the_rest_is(rows):
    keys = {*ORDERS, *CUSTOMERS, *SHOPS}

    def entities(row):
        return set().union(
            *(named(json.loads(action["arguments"]), keys) for action in row["evaluation_criteria"]["actions"])
        )

    intents = {row["intent"] for row in rows["train"]}
    seen = set().union(*(entities(row) for row in rows["train"]))
    for row in rows["eval"]:
        assert row["unseen_intent"] == (row["intent"] not in intents)
        assert row["unseen_entities"] == (not entities(row) & seen)
    said = ("unseen_domain", "unseen_intent", "unseen_user", "unseen_entities")
    assert all(row[name] is None for row in rows["train"] for name in said)


def test_each_kind_of_generalization_has_a_share_and_so_has_none(rows):
    kinds = [(row["unseen_intent"], row["unseen_entities"]) for row in rows["eval"]]
    assert sum(intent for intent, _ in kinds) >= len(kinds) * 0.1
    assert sum(entities for _, entities in kinds) >= len(kinds) * 0.05
    assert (False, False) in kinds
    assert 0.1 < len(rows["eval"]) / len(TASKS) < 0.35


def test_the_column_says_which_file_a_row_is_in_and_no_task_is_in_two(rows):
    assert all(row["split"] == split for split, found in rows.items() for row in found)
    ids = [row["id"] for found in rows.values() for row in found]
    assert sorted(ids) == sorted(task.id for task in TASKS)


def test_kin_share_a_split(rows):
    where = {row["id"]: row["split"] for found in rows.values() for row in found}
    assert all(where[f"shop-{number}"] == where[f"shop-{number}-b"] for number in range(300))


def test_the_order_of_the_tasks_is_nothing():
    turned = TASKS[::-1]
    assert placements(turned, {"shop": BIG}) == placements(TASKS, {"shop": BIG})


def test_an_entity_that_many_name_is_never_held_out():
    """Else a station would take half of the domain with it."""
    tasks = [
        shop_task(f"shop-{number}").model_copy(
            update={"golden_calls": [GoldenCall(name="get_shop", arguments={"shop_id": f"S-{number % 3}"})]}
        )
        for number in range(90)
    ]
    placed = placements(tasks, {"shop": BIG})
    assert {name for name, placement in placed.items() if placement.split == "eval"} == {
        task.id for task in tasks if split_of(task.id) == "eval"
    }


def test_a_task_that_names_no_entity_is_not_called_unseen():
    tasks = [
        task.model_copy(update={"golden_calls": [GoldenCall(name="get_order", arguments={"order_id": "?"})]})
        for task in TASKS
    ]
    placed = placements(tasks, {"shop": BIG}).values()
    assert {placement.unseen_entities for placement in placed if placement.split == "eval"} == {False}


def told(task, known):
    """The task of a user who says this of themselves."""
    said = Instructions(domain=task.domain, reason_for_call="Cancel it.", known_info=known)
    return task.model_copy(update={"user_scenario": UserScenario(instructions=said)})


def test_the_user_is_the_first_record_that_known_info_names():
    tasks = [
        told(shop_task("a"), "I am customer C-7, and my order is O-2."),
        told(shop_task("b"), "I am C-999."),
        told(shop_task("c"), ""),
    ]
    assert users_of(tasks, {"shop": BIG}) == {"a": "C-7", "b": None, "c": None}


def test_no_task_in_train_has_a_user_that_is_held_out_and_unseen_users_are_not_in_train():
    rng = random.Random(0)
    people = [f"C-{number}" for number in range(40)]
    tasks = [told(task, f"I am {rng.choice(people)}.") for task in TASKS]
    users = users_of(tasks, {"shop": BIG})
    placed = placements(tasks, {"shop": BIG})
    trained = {users[task.id] for task in tasks if placed[task.id].split == "train"}
    evaluated = [task for task in tasks if placed[task.id].split == "eval"]
    assert all(placed[task.id].unseen_user == (users[task.id] not in trained) for task in evaluated)
    held_out = {users[task.id] for task in evaluated if placed[task.id].unseen_user}
    assert len(held_out) >= len(people) // 20
    assert any(not placed[task.id].unseen_user for task in evaluated)


NAMES = ("railway", "travel", "sport", "weather", "library", "medicine", "restaurant")


def test_two_domains_of_many_are_held_out_and_never_the_demos():
    from toolscale.cli.factory import demo

    chosen = held_out_domains(NAMES)
    assert len(chosen) == 2
    assert held_out_domains(NAMES[::-1]) == chosen
    assert not set(chosen) & set(ALWAYS_TRAINED)
    assert signature(demo).parameters["domains"].default.split(",") == list(ALWAYS_TRAINED)
    assert held_out_domains(ALWAYS_TRAINED) == held_out_domains(NAMES[:4]) == []
    assert held_out_domains(NAMES, ["sport", "medicine"]) == ["medicine", "sport"]
    assert held_out_domains(NAMES, []) == []


@pytest.mark.parametrize(("chosen", "said"), [(["spor"], "spor cannot be held out"), (NAMES, "nothing would be left")])
def test_a_domain_that_cannot_be_held_out_is_told_in_one_line(chosen, said):
    with pytest.raises(UserError, match=said):
        held_out_domains(NAMES, list(chosen))


@pytest.mark.parametrize("split", ["train", "eval"])
def test_a_draft_that_never_passed_stands_where_its_parent_does(split):
    raw = shop_task("shop-lost", TASKS[0]).model_dump(mode="json")
    draft = Reject(domain="shop", stage="evolved_tasks", check="grounded", reasons=["no source"], raw=raw)
    assert reject_split(draft, {TASKS[0].id: Placement(split)}) == split


def test_a_held_out_domain_is_wholly_in_eval(tmp_path):
    """Its tasks, what was refused of it, and the attempts."""
    zoo = [task.model_copy(update={"id": f"zoo-{task.id}", "domain": "zoo"}) for task in TASKS[::20]]
    worlds = [BIG, BIG.model_copy(update={"domain": "zoo"})]
    refused = Reject(domain="zoo", stage="entries", check="program", reasons=[])
    made = contents(
        tasks=[*TASKS, *zoo], environments=worlds, trajectories=[], rejected=[], rejects=[refused], hold_out=["zoo"]
    )
    write_dataset(tmp_path / "d", **made)
    found = {split: pq.read_table(tmp_path / f"d/tasks/{split}.parquet").to_pylist() for split in ("train", "eval")}
    assert {row["domain"] for row in found["train"]} == {"shop"}
    assert sum(row["domain"] == "zoo" for row in found["eval"]) == len(zoo)
    assert all(row["unseen_domain"] == (row["domain"] == "zoo") for row in found["eval"])
    assert pq.read_table(tmp_path / "d/rejects/eval.parquet").num_rows == 1
    assert reject_split(refused, {}) == "train"
    assert "Held out: zoo." in (tmp_path / "d/README.md").read_text()
