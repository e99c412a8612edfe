"""The demo's dataset: a quiz with two experts on offer, a preference, and scripted lessons that favour no expert."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from toolscale.artifacts import Trajectory
from toolscale.artifacts.base import Split, content_id
from toolscale.catalogue.catalogue import CatalogueTool
from toolscale.catalogue.configuration import ToolConfiguration, configure
from toolscale.catalogue.prices import schedule
from toolscale.dataset.chats import chat_row, prompt_row, system_prompt
from toolscale.dataset.columns import SCHEMAS
from toolscale.dataset.folder import write_rows
from toolscale.dataset.questions import write_questions
from toolscale.dataset.rows import Row
from toolscale.errors import UserError
from toolscale.mock_endpoint.experts.expert import Expert
from toolscale.mock_endpoint.experts.quiz import DIFFICULTIES, Difficulty, make_questions
from toolscale.preferences.preference import Preference
from toolscale.questions.question import Question
from toolscale.questions.task import QuestionTask
from toolscale.rewards.preference import BEYOND_TOOLS
from trainer.tasks.exercise import QuestionExercise

TRAINED_ON, LESSONS = 400, 24
"""Questions of each difficulty, and how many of them have lessons: one with each expert."""

HELD_OUT: Mapping[Difficulty, int] = {"easy": 102, "hard": 26}
"""Most are easy, as users ask. What is trained on is mixed half and half: otherwise asking the expert that suits most
questions is learned before what tells them apart, and then nothing is left to learn that from."""


def places_of(folder: Path) -> list[Path]:
    """The two datasets of a quiz: easy and hard questions."""
    return [folder / difficulty for difficulty in DIFFICULTIES]


def preference_for(configuration: ToolConfiguration, tool: str | None) -> Preference:
    """A right answer at little cost; or, where a tool is named, a right answer with this tool.

    Raises:
        UserError: nothing of that name is offered.
    """
    names = configuration.names
    if tool is not None and tool not in names:
        raise UserError(f"--prefer {tool}: the demo offers {' and '.join(names)}")
    wants = {"outcome": 1.0, tool or "compute": 1.0}
    told = f"I prefer to work with {tool}." if tool else "Keep what this costs low."
    return Preference(
        id=content_id("preference", told, wants),
        theme="one tool" if tool else "budget",
        instruction=told,
        tools=list(names),
        vector=[wants.get(name, 0.0) for name in (*names, *BEYOND_TOOLS)],
    )


def write_quiz(
    folder: Path,
    tools: list[CatalogueTool],
    experts: Mapping[str, Expert],
    *,
    instructions: str | None,
    prefer: str | None = None,
    seed: int = 0,
) -> None:
    """Write easy and hard questions to two folders in `folder`, each with lessons for the warm start.

    Args:
        folder: what it holds of an earlier quiz is replaced.
        tools: the experts as a catalogue offers them.
        experts: by the name of the catalogue's model.
        instructions: the agent's, for the lessons.
        prefer: a tool that the user prefers; without one they want to pay little.
        seed: draws the questions.

    Raises:
        UserError: `prefer` names no tool of the demo, or the disk refuses the folder.
    """
    configuration = configure(tools, schedule("together"))
    preference = preference_for(configuration, prefer)
    by_tool = {tool.name: experts[tool.model.name] for tool in tools if tool.model is not None}
    for difficulty, place in zip(DIFFICULTIES, places_of(folder), strict=True):
        held_out = HELD_OUT[difficulty]
        questions = make_questions(held_out + TRAINED_ON, hard=float(difficulty == "hard"), seed=seed)
        tasks = [
            _task(each, "eval" if number < held_out else "train", configuration, preference)
            for number, each in enumerate(questions)
        ]
        write_questions(
            place,
            partial(_of_split, tasks),
            told=[f"The {difficulty} questions of a quiz, made by a program for the routing demo."],
        )
        # Every question to every expert: the warm start shall teach to toss a fair coin.
        lessons = [
            _lesson(task, attempt, tool, expert.reply(task.question, seed).text, instructions)
            for task in tasks[held_out : held_out + LESSONS]
            for attempt, (tool, expert) in enumerate(by_tool.items())
        ]
        for config, rows in (
            ("prompts", {prompt["id"]: prompt for prompt, _ in lessons}.values()),
            ("trajectories", [lesson for _, lesson in lessons]),
        ):
            (place / config).mkdir()
            write_rows(place / config / "train.parquet", SCHEMAS[config], rows)


def _of_split(tasks: Sequence[QuestionTask], split: str) -> list[QuestionTask]:
    return [task for task in tasks if task.split == split]


def _task(asked: Question, split: Split, configuration: ToolConfiguration, preference: Preference) -> QuestionTask:
    return QuestionTask(
        id=asked.id,
        question=asked.question,
        answer=asked.answer,
        topic=asked.topic,
        difficulty=asked.difficulty,
        configuration=configuration,
        preference=preference.model_copy(update={"split": split}),
        split=split,
    )


def _lesson(task: QuestionTask, attempt: int, tool: str, said: str, instructions: str | None) -> tuple[Row, Row]:
    """Say what kind of question it is, ask this expert, and pass on what it says, right or wrong.

    How to route is for GRPO to find out. With the kind before the call there is something near it to route by.
    """
    answer = said.removeprefix("The answer is ").removesuffix(".")
    exercise = QuestionExercise(task, instructions)
    call = {
        "id": "call_0",
        "type": "function",
        "function": {"name": tool, "arguments": json.dumps({"question": task.question})},
    }
    messages: list[dict[str, Any]] = [
        *exercise.messages,
        {"role": "assistant", "content": f"{task.topic}, {task.difficulty}", "tool_calls": [call]},
        {"role": "tool", "content": said, "tool_call_id": "call_0"},
        {"role": "assistant", "content": f"Answer: {answer}"},
    ]
    prompt = prompt_row("questions", system_prompt(messages), exercise.tools)
    return prompt, chat_row(Trajectory(task_id=task.id, attempt=attempt, messages=messages), prompt)
