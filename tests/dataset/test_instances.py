"""Tasks with instances: drawn whole into the rows, read back as they were, told in the card; and no trace without."""

import pandas as pd
import pytest

import toolscale
from tests.dataset.small import WORLD, contents, write_small
from toolscale.artifacts import FunctionSpec
from toolscale.catalogue.catalogue import read_tools
from toolscale.dataset import write_dataset
from toolscale.dataset.adding_rates import add_pass_rates
from toolscale.dataset.columns import INSTANCE_COLUMNS, SCHEMAS
from toolscale.dataset.contents import read_contents
from toolscale.dataset.folder import read_placed
from toolscale.dataset.pass_rates import Conditions, PassRate
from toolscale.dataset.release import content_version, release
from toolscale.errors import UserError
from toolscale.instances import InstanceOptions, Instances
from toolscale.preferences.preference import Preference, Preferences

NAMES = [tool.name for tool in read_tools("training")]


def preference(number, split, **wants):
    vector = [float(wants.get(name, 0.0)) for name in (*NAMES, "outcome", "compute", "latency")]
    said = f"I want it done in this very way, number {number}."
    return Preference(id=f"p{number}", theme="speed", instruction=said, tools=NAMES, vector=vector, split=split)


@pytest.fixture
def preferences(tmp_path):
    kept = [preference(0, "train", outcome=1, latency=0.5), preference(1, "eval", outcome=1, compute=1)]
    kept.append(preference(2, "train", outcome=1, **{NAMES[5]: 1}))
    file = tmp_path / "preferences.json"
    made = Preferences(
        catalogue="training", schedule="together", proposed_by="a", validated_by="b", kept=kept, rejects=[]
    )
    file.write_text(made.model_dump_json())
    return file


@pytest.fixture
def instances(preferences):
    return Instances.beside_functions(InstanceOptions("training", preferences=preferences, seed=7))


def test_each_row_has_the_instance_that_its_id_and_the_seed_draw(tmp_path, instances, preferences):
    write_dataset(tmp_path / "d", **contents(), instances=instances)
    placed = read_placed(tmp_path / "d")
    again = Instances.beside_functions(InstanceOptions("training", preferences=preferences, seed=7))
    for one in placed:
        assert one.instance == again.of_task(one.task, one.environment, one.split)
        dealt = one.instance.preference
        assert dealt.split == one.split
        assert dealt.tools == list(one.instance.configuration.names)
        assert any(tool.name.startswith("generalist_") for tool in one.instance.configuration.tools)
    assert len({one.instance.configuration.id for one in placed}) > len(placed) / 2
    assert {one.split for one in placed} == {"train", "eval"}
    other = Instances(InstanceOptions("training", seed=8))
    assert other.of(placed[0].task.id, "train").configuration != placed[0].instance.configuration
    assert other.of(placed[0].task.id, "train").preference is None


def test_what_is_needed_is_in_every_configuration():
    needed = (NAMES[0], NAMES[-1])
    drawn = Instances.beside_functions(InstanceOptions("training", needed=needed))
    names = [drawn.of(f"task_{number}", "train").configuration.names for number in range(20)]
    assert all(set(needed) <= set(each) for each in names)
    assert len(set(names)) > 10
    with pytest.raises(UserError, match="no tool `nothing`"):
        Instances.beside_functions(InstanceOptions("training", needed=("nothing",)))


def test_the_columns_come_after_the_others_which_stay_as_they_are(tmp_path, instances):
    write_small(tmp_path / "without")
    write_dataset(tmp_path / "with", **contents(), instances=instances)
    names = [column.name for column in INSTANCE_COLUMNS]
    for split in ("train", "eval"):
        plain = pd.read_parquet(tmp_path / "without" / "tasks" / f"{split}.parquet")
        drawn = pd.read_parquet(tmp_path / "with" / "tasks" / f"{split}.parquet")
        assert list(plain.columns) == SCHEMAS["tasks"].names
        assert list(drawn.columns) == [*SCHEMAS["tasks"].names, *names]
        pd.testing.assert_frame_equal(drawn[list(plain.columns)], plain)
        for row in drawn.itertuples():
            assert all("Price:" in tool["shown"] for tool in row.tools)
    others = [file for file in (tmp_path / "without").rglob("*.parquet") if file.parent.name != "tasks"]
    for file in others:
        assert file.read_bytes() == (tmp_path / "with" / file.relative_to(tmp_path / "without")).read_bytes()


def test_a_dataset_without_instances_says_no_word_of_them(tmp_path):
    write_small(tmp_path / "d")
    assert all(one.instance is None for one in read_placed(tmp_path / "d"))
    for file in ("README.md", "about.json"):
        assert "nstance" not in (tmp_path / "d" / file).read_text()


def test_card_query_and_load_show_them_and_pass_rates_leave_them_there(tmp_path, instances):
    folder = tmp_path / "d"
    write_dataset(folder, **contents(), instances=instances)
    with read_contents(folder) as there:
        rows = there.tables.rows(
            "select schedule, tools[1].name, preference.instruction from tasks where schedule is not null"
        )
    assert len(rows) == len(contents()["tasks"])
    assert set(toolscale.load(folder)["tasks"]["configuration"]) == {
        one.instance.configuration.id for one in read_placed(folder)
    }
    text = (folder / "README.md").read_text()
    section = text.partition("## Instances")[2].partition("\n## ")[0]
    assert "drawn from the catalogue `training`" in section
    assert "with seed 7" in section
    counted = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| ")][1:]
    assert sum(int(row[1]) for row in counted) == len(contents()["tasks"])
    assert "| `configuration` | string |" in text
    assert release(folder).tasks == len(contents()["tasks"])
    before, version = read_placed(folder), content_version(folder)
    rate = PassRate("m", Conditions(), attempts=8, solved=3)
    add_pass_rates(folder, {before[0].task.id: rate})
    assert content_version(folder) != version
    assert [one.instance for one in read_placed(folder)] == [one.instance for one in before]


def test_a_tool_that_has_the_name_of_a_function_is_not_offered(tmp_path, instances):
    named = [FunctionSpec(name=name, description="Ours.", parameters={}, kind="read") for name in NAMES[:3]]
    world = WORLD.model_copy(update={"functions": [*WORLD.functions, *named]})
    task = contents()["tasks"][0]
    for number in range(20):
        one = task.model_copy(update={"id": f"shop-{number}"})
        assert not set(NAMES[:3]) & set(instances.of_task(one, world, "train").configuration.names)


def test_what_cannot_be_drawn_is_said_in_a_sentence(tmp_path, preferences):
    own = tmp_path / "own.toml"
    own.write_text(
        '[[tool]]\nkind = "extract_content"\ndescription = "Reads."\n'
        '[[model]]\nname = "ours/tiny"\nmodel = "hosted_vllm/tiny"\ndescription = "Quick."\n'
        '[sets.plain]\ntools = ["extract_content"]\n[sets.unpriced]\ngeneralist = ["ours/tiny"]\n'
    )
    for options, said in (
        (InstanceOptions(f"{own}:plain"), "has no generalist"),
        (
            InstanceOptions(f"{own}:unpriced"),
            "none of the schedules together, venice.* prices a generalist .*own.toml:unpriced: .* ours/tiny",
        ),
        (
            InstanceOptions("basic", preferences=preferences),
            f"preference p2 wants {NAMES[5]}, which the catalogue basic",
        ),
        (InstanceOptions("training", ("mine",)), "no price schedule `mine`"),
    ):
        with pytest.raises(UserError, match=said):
            Instances.beside_functions(options)


def test_a_row_whose_preference_is_not_over_its_tools_is_refused(tmp_path, instances):
    import pyarrow.parquet as pq

    write_dataset(tmp_path / "d", **contents(), instances=instances)
    file = tmp_path / "d" / "tasks" / "train.parquet"
    table = pq.read_table(file)
    rows = table.to_pylist()
    rows[0]["preference"]["vector"] = rows[0]["preference"]["vector"][1:]
    pq.write_table(table.from_pylist(rows, schema=table.schema), file)
    with pytest.raises(UserError, match=f"{rows[0]['id']} is not a row of this dataset's form"):
        read_placed(tmp_path / "d")
