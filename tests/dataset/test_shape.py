"""What the card says of the tasks' difficulty and variety is what the rows hold."""

import pytest

from tests.dataset.small import FIRST, REFUSED, contents, task
from toolscale.artifacts import GoldenCall, Lineage
from toolscale.dataset import write_dataset
from toolscale.dataset.contents import read_contents
from toolscale.dataset.shape import by_depth, by_difficulty, by_operator, facts, figures


def read(folder, tasks):
    """The contents of a dataset of these tasks, as a reader of the folder has them."""
    write_dataset(folder, **contents(tasks=tasks, rejected=[], trajectories=[]))
    return read_contents(folder)


def with_calls(name, *calls, parent=None):
    """A task with these golden calls: pairs of a function and its arguments."""
    golden = [GoldenCall(action_id=str(at), name=call, arguments=given) for at, (call, given) in enumerate(calls)]
    return task(name, parent).model_copy(update={"golden_calls": golden})


def cancel(order):
    return "cancel_order", {"order_id": order}


def test_a_skeleton_forgets_values_and_nothing_else(tmp_path):
    tasks = [
        with_calls("shop-1", cancel("O-1")),
        with_calls("shop-2", cancel("O-2")),
        with_calls("shop-3", cancel("O-1"), cancel("O-2")),
        with_calls("shop-4", ("cancel_order", {"order_id": "O-1", "reason": "x"})),
    ]
    assert figures(read(tmp_path / "d", tasks))["skeletons"] == 3


def test_figures_by_depth_are_those_of_the_tasks_of_that_depth(tmp_path):
    tasks = [FIRST, with_calls("shop-3", *(cancel(f"O-{at}") for at in range(6)), parent=FIRST)]
    found = read(tmp_path / "d", tasks)
    assert [row[:5] for row in by_depth(found).frame.itertuples(index=False, name=None)] == [
        ("0", "1", "1.00", "1.00", "0%"),
        ("1", "1", "6.00", "1.00", "100%"),
    ]
    assert figures(found)["golden_calls_evolved"] == 6
    assert figures(found)["with_many_calls"] == pytest.approx(0.5)


def test_the_mix_of_operators_is_what_authors_say(tmp_path):
    said = {"operator": "refusal"}
    tasks = [FIRST, *(task(f"shop-{at}").model_copy(update={"lineage": Lineage(**said)}) for at in (2, 3))]
    frame = by_operator(read(tmp_path / "d", tasks)).frame
    assert [row[:2] for row in frame.itertuples(index=False, name=None)] == [("refusal", "2")]


def test_a_task_writes_if_one_of_its_functions_is_declared_to(tmp_path):
    found = figures(read(tmp_path / "d", [FIRST, with_calls("shop-2", ("get_order", {"order_id": "O-1"}))]))
    assert found["with_writes"] == pytest.approx(0.5)
    assert found["read_only_with_facts"] == pytest.approx(0.5)


def test_a_dataset_without_tasks_has_figures_too(tmp_path):
    found = read(tmp_path / "d", [])
    assert figures(found)["skeletons"] == 0
    assert len(list(facts(found))) == 5
    assert REFUSED.id not in str(by_depth(found))


def test_the_mix_of_types_counts_each_type_that_a_task_has(tmp_path):
    one = FIRST.model_copy(update={"difficulty": ["look-up", "arithmetic"]})
    two = with_calls("shop-3", cancel("O-1"), parent=FIRST).model_copy(update={"difficulty": ["look-up"]})
    shares = by_difficulty(read(tmp_path / "d", [one, two])).frame.set_index("type")
    assert [*shares.loc["look-up"]] == ["100%", "100%", "100%"]
    assert [*shares.loc["arithmetic"]] == ["50%", "100%", "0%"]
    assert set(shares.loc["recovery"]) == {"0%"}
