"""Sets of others become task rows: whole, each in one split, with tools, prices and wishes that the seed decides."""

import json
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from toolscale.catalogue.catalogue import read_tools
from toolscale.catalogue.configuration import draw_configuration
from toolscale.catalogue.prices import TRAINING, schedule
from toolscale.cli import app
from toolscale.dataset.questions import question_task, read_question_tasks
from toolscale.dataset.steps import read_step_tasks
from toolscale.errors import UserError
from toolscale.preferences.preference import Preference, Preferences, split
from toolscale.questions.step_sets import read_steps

FIXTURES = Path(__file__).parents[1] / "fixtures" / "questions"
QUESTIONS = [{"question": f"How much is {n} + 1?", "answer": str(n + 1), "topic": "sums"} for n in range(60)]


def imported(out, *options, form="questions", where=""):
    return CliRunner().invoke(app, ["import", str(where), "--format", form, "--out", str(out), "--json", *options])


def questions_at(tmp_path):
    file = tmp_path / "set.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in QUESTIONS))
    return file


def read(tmp_path, name, *options):
    result = imported(tmp_path / name, *options, where=questions_at(tmp_path))
    assert result.exit_code == 0, (result.output, result.exception)
    return {task.id: task for task in read_question_tasks(tmp_path / name)}


def wishes_at(tmp_path):
    """Forty wishes over the catalogue `training`, in two splits: for one tool each, and for speed."""
    tools = [tool.name for tool in read_tools("training")]

    def wish(number, wants):
        vector = [float(wants.get(name, 0.0)) for name in (*tools, "outcome", "compute", "latency")]
        said = f"This is how I want it, number {number}."
        return Preference(id=f"wish-{number}", theme="one tool", instruction=said, tools=tools, vector=vector)

    kept = [wish(number, {tools[number % len(tools)]: 1, "outcome": 0.5}) for number in range(20)]
    kept += [wish(20 + number, {"outcome": 1, "latency": (1 + number) / 20}) for number in range(20)]
    made = Preferences(
        catalogue="training", schedule="together", proposed_by="a", validated_by="b", kept=split(kept), rejects=[]
    )
    (tmp_path / "preferences.json").write_text(made.model_dump_json())
    return tmp_path / "preferences.json"


def test_a_row_holds_the_seeded_draw_whole_with_the_prices_as_they_are_shown(tmp_path):
    tasks = read(tmp_path, "a", "--catalogue", "training", "--seed", "7")
    assert len(tasks) == len(QUESTIONS)
    for task in tasks.values():
        assert task.configuration == draw_configuration(read_tools("training"), task.id, seed=7)
    for name in ("train", "eval"):
        for row in pd.read_parquet(tmp_path / f"a/questions/{name}.parquet").itertuples():
            task = tasks[row.id]
            offered = task.configuration.as_tools()
            assert [tool["shown"] for tool in row.tools] == [each["function"]["description"] for each in offered]
            assert row.schedule in TRAINING
            for tool, own in zip(row.tools, task.configuration.tools, strict=True):
                if own.kind == "model":
                    assert f"${own.terms.price.input:.2f}"[:-1] in tool["shown"]
                    assert tool["price"]["input"] == own.terms.price.input
            assert (task.split, row.split) == (name, name)


def test_the_same_seed_gives_the_same_bytes_and_another_one_other_tools_at_the_same_questions(tmp_path):
    options = ("--catalogue", "training", "--preferences", str(wishes_at(tmp_path)))
    first, again = read(tmp_path, "a", *options), read(tmp_path, "b", *options)
    other, few = read(tmp_path, "c", *options, "--seed", "1"), read(tmp_path, "d", *options, "--tasks", "9")
    assert first == again
    for file in sorted((tmp_path / "a").rglob("*.*")):
        assert file.read_bytes() == (tmp_path / "b" / file.relative_to(tmp_path / "a")).read_bytes()
    assert [(task.id, task.split) for task in other.values()] == [(task.id, task.split) for task in first.values()]
    assert sum(other[name].configuration != task.configuration for name, task in first.items()) > 50
    assert len(few) == 9
    assert all(first[name].configuration == task.configuration for name, task in few.items())


def test_a_wish_is_of_the_rows_split_and_says_something_about_its_tools(tmp_path):
    wishes = wishes_at(tmp_path)
    tasks = read(tmp_path, "a", "--catalogue", "training", "--preferences", str(wishes))
    made = {one.id: one for one in Preferences.model_validate_json(wishes.read_text()).kept}
    assert len({task.preference.id for task in tasks.values()}) > 10
    for task in tasks.values():
        wish, offered = task.preference, task.configuration.names
        assert made[wish.id].split == task.split
        assert task.vector == made[wish.id].for_tools(offered).tolist()
        assert len(task.vector) == len(offered) + 3
        assert any(task.vector)
        assert task.instruction == f"{task.question}\n\n{wish.instruction}"


def test_without_a_catalogue_the_tools_are_left_open(tmp_path):
    tasks = read(tmp_path, "a")
    assert all((task.configuration, task.preference, task.vector) == (None, None, None) for task in tasks.values())
    (one,) = [task for task in tasks.values() if task.question == "How much is 6 + 1?"]
    assert (one.answer, one.topic, one.instruction) == ("7", "sums", one.question)
    assert question_task(tmp_path / "a", one.id) == one


def test_schedules_that_are_named_are_those_that_are_drawn(tmp_path):
    held_out = read(tmp_path, "a", "--catalogue", "training", "--schedule", "deepinfra")
    assert {task.configuration.schedule for task in held_out.values()} == {"deepinfra"}
    listed = schedule("deepinfra").price("Qwen/Qwen3-32B")
    prices = {
        tool.terms.price.input
        for task in held_out.values()
        for tool in task.configuration.tools
        if tool.name == "generalist_qwen3_32b"
    }
    assert prices == {listed.input}


def test_datasets_load_a_folder_as_it_is(tmp_path, monkeypatch):
    from datasets import load_dataset

    read(tmp_path, "a", "--catalogue", "training")
    loaded = load_dataset(str(tmp_path / "a"), "questions", cache_dir=str(tmp_path / "cache"))
    assert {name: len(rows) > 0 for name, rows in loaded.items()} == {"train": True, "eval": True}
    assert loaded["train"][0]["tools"][0]["name"]


@pytest.mark.parametrize("name", ["toolace.json", "xlam.json", "hammer.jsonl", "rlla.json"])
def test_steps_come_back_as_they_were_read_and_what_was_refused_is_kept(tmp_path, name):
    result = imported(tmp_path / "s", form="steps", where=FIXTURES / name)
    assert result.exit_code == 0, result.output
    steps, rejects = read_steps(str(FIXTURES / name))
    found = {step.id: step for step in read_step_tasks(tmp_path / "s")}
    assert {name: step.model_copy(update={"split": "train"}) for name, step in found.items()} == {
        step.id: step for step in steps
    }
    rows = pd.read_parquet(tmp_path / "s/rejects/train.parquet")
    assert [list(each) for each in rows["reasons"]] == [reject.reasons for reject in rejects]
    assert [each["reason"] for each in json.loads(result.stdout)["left_out"]] == [one.reasons[0] for one in rejects]


def test_no_chat_is_torn_by_the_split(tmp_path):
    chats = json.loads((FIXTURES / "toolace.json").read_text())
    asked, answered = chats[0]["conversations"][0]["value"], chats[0]
    many = [
        {
            **answered,
            "conversations": [{"from": "user", "value": f"{asked} {n}"}, *answered["conversations"][1:]],
        }
        for n in range(60)
    ]
    (tmp_path / "chats.json").write_text(json.dumps(many))
    assert imported(tmp_path / "s", form="steps", where=tmp_path / "chats.json").exit_code == 0
    splits = {}
    for step in read_step_tasks(tmp_path / "s"):
        splits.setdefault(step.history[0].text, set()).add(step.split)
    assert len(splits) == 60
    assert {len(each) for each in splits.values()} == {1}
    assert {"train", "eval"} == set().union(*splits.values())


def queries_at(tmp_path, count=60):
    tool = json.dumps([{"name": "add", "parameters": {"a": {"type": "int"}}}])
    rows = [
        {"query": f"Add {n}.", "tools": tool, "answers": json.dumps([{"name": "add", "arguments": {"a": n}}])}
        for n in range(count)
    ]
    (tmp_path / "xlam.json").write_text(json.dumps(rows))
    return tmp_path / "xlam.json"


def steps_of(tmp_path, name, *options):
    result = imported(tmp_path / name, *options, form="steps", where=queries_at(tmp_path))
    assert result.exit_code == 0, (result.output, result.exception)
    return {step.history[0].text: step for step in read_step_tasks(tmp_path / name)}


def test_draws_of_steps_are_as_many_as_asked_and_those_that_skip_share_none(tmp_path):
    first = steps_of(tmp_path, "a", "--tasks", "20", "--seed", "1")
    again = steps_of(tmp_path, "b", "--tasks", "20", "--seed", "1")
    rest = steps_of(tmp_path, "c", "--skip", "20", "--seed", "1")
    assert (len(first), len(rest)) == (20, 40)
    assert first == again
    assert not first.keys() & rest.keys()
    assert first.keys() != steps_of(tmp_path, "d", "--tasks", "20", "--seed", "2").keys()
    assert "20 of them, in an order by seed 1." in (tmp_path / "a" / "README.md").read_text()
    both = [read(tmp_path, "e", "--tasks", "9"), read(tmp_path, "f", "--tasks", "9", "--skip", "9")]
    assert [len(each) for each in both] == [9, 9]
    assert not both[0].keys() & both[1].keys()


def test_masked_steps_stay_in_the_split_that_they_had(tmp_path):
    plain, random = steps_of(tmp_path, "a"), steps_of(tmp_path, "b", "--mask", "1")
    assert {asked: step.split for asked, step in plain.items()} == {asked: step.split for asked, step in random.items()}
    assert {step.golden_calls[0].name for step in plain.values()} == {"add"}
    assert len({step.golden_calls[0].name for step in random.values()}) == 60
    names = [step.golden_calls[0].name for step in steps_of(tmp_path, "c", "--mask", "0.67").values()]
    assert 0.5 < sum(name != "add" for name in names) / 60 < 0.85


def test_as_many_chats_are_held_out_as_asked(tmp_path):
    assert {step.split for step in steps_of(tmp_path, "a", "--eval-one-in", "0").values()} == {"train"}
    assert {step.split for step in steps_of(tmp_path, "b", "--eval-one-in", "1").values()} == {"eval"}
    rows = json.loads((FIXTURES / "rlla.json").read_text())
    told = [
        {
            "prompt": [{"role": "system", "content": row["instruction"]}, {"role": "user", "content": row["input"]}],
            "reward_model": {"ground_truth": row["output"]},
            "extra_info": {"split": "test" if place == 0 else "train"},
        }
        for place, row in enumerate(rows[:3])
    ]
    (tmp_path / "rlla.json").write_text(json.dumps(told))
    assert imported(tmp_path / "r", form="steps", where=tmp_path / "rlla.json").exit_code == 0
    assert sorted(step.split for step in read_step_tasks(tmp_path / "r")) == ["eval", "train", "train"]
    every = imported(tmp_path / "all", "--eval-one-in", "0", form="steps", where=tmp_path / "rlla.json")
    assert every.exit_code == 0
    assert {step.split for step in read_step_tasks(tmp_path / "all")} == {"train"}


@pytest.mark.parametrize(
    ("form", "option", "complaint"),
    [
        ("questions", ("--mask", "1"), "--mask is for --format steps, not questions"),
        ("steps", ("--catalogue", "training"), "--catalogue is for --format questions or toolorchestra, not steps"),
        ("tau2", ("--tasks", "3"), "--tasks is for --format questions or steps, not tau2"),
        ("steps", ("--skip", "60"), "--skip 60 passes over all 60 rows"),
    ],
)
def test_an_option_that_would_be_passed_over_is_refused(tmp_path, form, option, complaint):
    error = imported(tmp_path / "a", *option, form=form, where=queries_at(tmp_path)).exception
    assert isinstance(error, UserError)
    assert complaint in str(error)
    assert not (tmp_path / "a").exists()


def test_what_the_user_can_mend_is_one_line(tmp_path):
    file = questions_at(tmp_path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("")
    wishes = str(wishes_at(tmp_path))
    own = tmp_path / "own.toml"
    own.write_text(
        '[[tool]]\nkind = "extract_content"\ndescription = "Reads."\n[sets.own]\ntools = ["extract_content"]\n'
    )
    for out, options, complaint in (
        ("a", ("--preferences", wishes), "name one with --catalogue"),
        ("a", ("--catalogue", "everything"), "no set `everything`"),
        ("a", ("--catalogue", "training", "--schedule", "mine"), "no price schedule `mine`"),
        ("full", (), "not empty"),
    ):
        error = imported(tmp_path / out, *options, where=file).exception
        assert isinstance(error, UserError), (options, error)
        assert complaint in str(error)
        assert not (tmp_path / "a").exists()
    assert "give a file" in str(imported(tmp_path / "a", where=tmp_path / "none").exception)
    read(tmp_path, "b")
    with pytest.raises(UserError, match="holds no steps"):
        read_step_tasks(tmp_path / "b")
    with pytest.raises(UserError, match="no question `q`"):
        question_task(tmp_path / "b", "q")
