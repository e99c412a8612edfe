"""The warm start imitates attempts at tasks of `train`, whatever file they lie in, and the golden message of steps."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.dataset.crossing import as_earlier_versions_wrote_it
from tests.trainer.schooling import lesson, write_taught_dataset
from toolscale.dataset import About, write_dataset
from toolscale.dataset.questions import write_questions
from toolscale.dataset.steps import write_steps
from toolscale.environment import Sandbox
from toolscale.errors import UserError
from toolscale.mock_endpoint.experts.expert import catalogue_text, read_experts
from toolscale.mock_endpoint.experts.quiz import make_questions
from toolscale.questions.step_sets import read_steps
from toolscale.questions.task import QuestionTask
from trainer.config import Config, Data
from trainer.demo.dataset import write_demo_dataset
from trainer.learning.sft import in_turn, read_lessons
from trainer.rollout.chat import Chat
from trainer.tasks.data import read_exercises

FIXTURES = Path(__file__).parents[1] / "fixtures" / "questions"


@pytest.mark.parametrize("earlier", [False, True], ids=["today's", "an earlier version's"])
def test_the_warm_start_reads_no_attempt_at_a_task_of_eval(environment, tasks, tokenizer, tmp_path, earlier):
    folder = write_taught_dataset(tmp_path / "d", environment, tasks)
    if earlier:
        as_earlier_versions_wrote_it(folder)
    config = Config.of({"model": {"path": "none"}}, "the test")
    exercises = read_exercises(folder, config.data, 0)
    assert exercises.held_out
    # Another dataset of a mix may train on what this one holds out.
    everything = replace(exercises, train=(*exercises.train, *exercises.held_out))
    lessons = read_lessons(folder, everything, Chat(tokenizer), config, None)
    assert len(lessons.by_task) == len(exercises.train)
    assert not lessons.left_out


@pytest.fixture
def steps(tmp_path):
    steps, _ = read_steps(str(FIXTURES / "rlla.json"))
    untold, _ = read_steps(str(FIXTURES / "hammer.jsonl"))
    write_steps(tmp_path / "steps", [*steps, *untold])
    return tmp_path / "steps"


def steps_config(**warm_start):
    limits = {"max_prompt_tokens": 3000, "context_tokens": 4000}
    return Config.of({"model": {"path": "none"}, "rollouts": limits, "warm_start": warm_start}, "the test")


def test_each_step_teaches_its_golden_message_after_its_own_prompt(steps, tokenizer):
    config = steps_config()
    exercises, chat = read_exercises(steps, config.data, 0), Chat(tokenizer)
    lessons = read_lessons(steps, exercises, chat, config, None)
    assert lessons.left_out == {"the right words were not recorded": 1}
    taught = {}
    for (sequence,) in lessons.by_task:
        said = [token for token, sampled in zip(sequence.ids, sequence.sampled, strict=True) if sampled]
        assert said[-1] == chat.end_of_turn
        taught[tuple(sequence.ids[: sequence.prompt_length])] = chat.text(said)
    assert taught == {
        tuple(chat.opening(one.messages, [])): one.step.golden_output
        for one in exercises.train
        if one.step.golden_output
    }
    for one in exercises.train:
        if one.step.golden_output:
            assert one.step.reward(taught[tuple(chat.opening(one.messages, []))]).final == 4.0


def test_so_many_steps_are_drawn_by_the_seed(steps, tokenizer):
    chat = Chat(tokenizer)

    def drawn(seed):
        config = steps_config().model_copy(update={"seed": seed})
        lessons = read_lessons(steps, read_exercises(steps, config.data, seed), chat, config, 2)
        return [tuple(sequence.ids) for sequences in lessons.by_task for sequence in sequences]

    assert len(drawn(0)) == 2
    assert drawn(0) == drawn(0)
    assert len({tuple(sorted(drawn(seed))) for seed in range(6)}) > 1


def test_a_few_lessons_show_each_function_as_often_as_the_others(tokenizer, tmp_path):
    folder = tmp_path / "d"
    write_demo_dataset(folder, count=60)
    config = Config.of({"model": {"path": "none"}, "seed": 5}, "the test")
    lessons = read_lessons(folder, read_exercises(folder, config.data, 0), Chat(tokenizer), config, 8)
    said = [tokenizer.decode(one.ids[one.prompt_length :]) for some in lessons.by_task for one in some]
    names = ["last_day", "keep_longer", "move", "send_back"]
    assert {name: sum(name in each for each in said) for name in names} == dict.fromkeys(names, 2)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers())))
def test_what_takes_turns_is_the_same_things_and_no_kind_is_two_ahead_of_one_that_has_more(items):
    def kind(item):
        return item[0]

    turned = in_turn(items, kind)
    assert Counter(turned) == Counter(items)
    for one in "abc":
        assert [each for each in turned if kind(each) == one] == [each for each in items if kind(each) == one]
    for end in range(len(turned)):
        came, left = Counter(map(kind, turned[:end])), Counter(map(kind, turned[end:]))
        assert all(came[one] >= max(came.values(), default=0) - 1 for one in left)


def test_a_mixture_learns_from_trajectories_and_steps(environment, tasks, steps, tokenizer, tmp_path):
    folder = write_taught_dataset(tmp_path / "d", environment, tasks)
    data = {"mix": [{"share": 0.5}, {"dataset": steps, "share": 0.5}]}
    config = steps_config().model_copy(update={"data": Data.model_validate(data)})
    exercises = read_exercises(folder, config.data, 0)
    lessons = read_lessons(folder, exercises, Chat(tokenizer), config, None)
    assert len(lessons.by_task) == len(exercises.train) - 1, "one step's words were not recorded"


def conversed(trajectory):
    """The same lesson, in which the agent asks first and the user answers."""
    system, asked, *rest = trajectory.messages
    back = [{"role": "assistant", "content": "Which ticket is it?"}, {"role": "user", "content": "As I said, sir."}]
    said = ["Which ticket is it?", *trajectory.agent_messages]
    return trajectory.model_copy(update={"messages": [system, asked, *back, *rest], "agent_messages": said})


def test_chats_in_which_the_user_speaks_more_than_once_are_lessons_too(environment, tasks, tokenizer, tmp_path):
    folder = tmp_path / "d"
    with Sandbox(environment) as sandbox:
        lessons = [conversed(lesson(task, environment, sandbox)) for task in tasks]
    write_dataset(
        folder, tasks=tasks, environments=[environment], trajectories=lessons, rejects=[], rejected=[], about=About()
    )
    config = Config.of({"model": {"path": "none"}}, "the test")
    exercises = read_exercises(folder, config.data, 0)
    found = read_lessons(folder, exercises, Chat(tokenizer), config, None)
    assert len(found.by_task) == len(exercises.train)
    assert not found.left_out
    for (sequence,) in found.by_task:
        mine = [token for token, sampled in zip(sequence.ids, sequence.sampled, strict=True) if sampled]
        said = tokenizer.decode(mine)
        assert said.startswith("Which ticket is it?<|im_end|><tool_call>")
        assert "As I said, sir." in tokenizer.decode(sequence.ids)
        assert "As I said" not in said


@pytest.fixture
def quiz(tmp_path):
    """Questions, which have no trajectories."""
    questions = [
        QuestionTask(id=each.id, question=each.question, answer=each.answer, split="eval" if place < 3 else "train")
        for place, each in enumerate(make_questions(9))
    ]
    write_questions(tmp_path / "quiz", lambda split: [each for each in questions if each.split == split])
    (tmp_path / "catalogue.toml").write_text(catalogue_text(read_experts(), "http://127.0.0.1:1/v1"))
    return tmp_path / "quiz"


def test_a_set_without_trajectories_gives_no_lessons_unless_none_has_any(environment, tasks, tokenizer, quiz, tmp_path):
    folder = write_taught_dataset(tmp_path / "d", environment, tasks)
    tools = {"catalogue": str(tmp_path / "catalogue.toml")}

    def lessons_of(*places):
        mix = {"mix": [{"dataset": str(place)} for place in places]}
        config = Config.of({"model": {"path": "none"}, "data": mix, "tools": tools}, "the test")
        exercises = read_exercises(None, config.data, 0, config.tools)
        return read_lessons(None, exercises, Chat(tokenizer), config, None)

    assert len(lessons_of(folder, quiz).by_task) == len(lessons_of(folder).by_task) > 0
    with pytest.raises(UserError, match=r"quiz: no trajectory to warm-start on, nor step \(it has none\)"):
        lessons_of(quiz)
