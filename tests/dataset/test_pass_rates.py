"""A task has one entry a model and its settings, and a rate that is added disturbs no other."""

import pyarrow.parquet as pq
from hypothesis import given
from hypothesis import strategies as st

from tests.dataset.small import FIRST, contents
from toolscale.dataset import write_dataset
from toolscale.dataset.adding_rates import add_pass_rates
from toolscale.dataset.pass_rates import Conditions, PassRate, merged

RATES = st.builds(
    PassRate,
    model=st.sampled_from(["a", "b"]),
    under=st.builds(
        Conditions,
        user_model=st.sampled_from([None, "u"]),
        temperature=st.sampled_from([None, 0.0, 0.5]),
        max_turns=st.sampled_from([20, 50]),
    ),
    attempts=st.integers(0, 8),
    solved=st.just(0),
)


def measured(entry):
    return entry["model"], entry["user_model"], entry["temperature"], entry["max_turns"]


@given(st.lists(RATES, max_size=8), RATES)
def test_a_rate_replaces_the_entry_of_its_settings_and_leaves_all_others_in_their_places(earlier, new):
    before = []
    for rate in earlier:
        before = merged(before, rate)
    after = merged(before, new)
    assert merged(after, new) == after
    assert after.count(new.as_row()) == 1
    places = [measured(entry) for entry in after]
    assert len(set(places)) == len(places)
    assert [entry for entry in before if measured(entry) != measured(new.as_row())] == [
        entry for entry in after if entry != new.as_row()
    ]


def test_a_rate_of_a_task_that_is_not_there_changes_nothing(tmp_path):
    write_dataset(tmp_path / "d", **contents(tasks=[FIRST]))
    before = {path: path.stat().st_ino for path in (tmp_path / "d").rglob("*")}
    add_pass_rates(tmp_path / "d", {"another": PassRate("a", Conditions(), 8, 4)})
    assert {path: path.stat().st_ino for path in (tmp_path / "d").rglob("*")} == before


def test_a_link_to_a_folder_stays_a_link_and_what_others_noted_of_its_columns_goes(tmp_path):
    write_dataset(tmp_path / "disk", **contents(tasks=[FIRST]))
    (tmp_path / "d").symlink_to(tmp_path / "disk")
    for file in (tmp_path / "disk" / "tasks").iterdir():
        table = pq.read_table(file).drop_columns("pass_rates")
        pq.write_table(table.replace_schema_metadata({"huggingface": '{"info": {"features": {}}}'}), file)
    add_pass_rates(tmp_path / "d", {FIRST.id: PassRate("a", Conditions(), 8, 4)})
    assert (tmp_path / "d").is_symlink()
    for file in (tmp_path / "disk" / "tasks").iterdir():
        table = pq.read_table(file)
        assert table.schema.metadata is None
        assert [one[0]["rate"] for one in table["pass_rates"].to_pylist()] == [0.5] * table.num_rows
