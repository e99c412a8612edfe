"""Users of an episode: one that says everything at once, and one that a model plays."""

import re
from typing import Protocol

from toolscale.artifacts import Task
from toolscale.episodes.loop import Answers
from toolscale.llm import Gateway, Unanswerable
from toolscale.llm.json_text import after_thoughts
from toolscale.messages import Message
from toolscale.prompts import render

DONE = "###DONE###"
"""What a simulated user says when there is nothing left to say."""

MOST_CHARACTERS = 4000
"""Of one message of a simulated user; they are asked to be short."""

_MARKS = re.compile(r"<\|\w+\|>|</?tool_call>|</?tool_response>")
"""What a chat template writes, and no person."""

_IDENTIFIER = re.compile(r"\b(?:[A-Z]{1,6}[-_]\d+|[A-Z]{1,6}\d{2,}|[A-Za-z]+_\d+)\b")
"""What looks like the id of a record: `BK-7`, `LH1042`, `order_31`."""

_NUMBER = re.compile(r"(?<![\w-])\d+(?![\w-])")
"""A number that stands alone, so that it is no part of an id."""


class User(Protocol):
    """Somebody to talk to."""

    async def says(self, conversation: list[Message]) -> str | None:
        """The next thing the user says, given what was said so far; None when the user is done.

        Raises:
            UserFault: the user cannot go on, which is not the agent's fault.
        """


class UserFault(Exception):  # noqa: N818 - named after whose fault it is
    """The simulated user broke the episode."""


async def heard_from(user: User, conversation: list[Message]) -> Answers:
    """What the user says next, as the loop takes it: words, that they are done, or that they broke the episode."""
    try:
        said = await user.says(conversation)
    except (UserFault, Unanswerable):
        return Answers(ending="user_error")
    return Answers(ending="done") if said is None else Answers((said,))


class DirectUser:
    """Says the whole instruction in one message, and nothing after that."""

    def __init__(self, task: Task) -> None:
        self._instruction = task.instruction

    async def says(self, conversation: list[Message]) -> str | None:
        """The instruction at first, then None."""
        return None if conversation else self._instruction


class SimulatedUser:
    """Played by the model in the role `user`, from the scenario; it never sees calls or golden calls."""

    def __init__(self, task: Task, gateway: Gateway, *, seed: int, sample: int) -> None:
        if task.user_scenario is None:
            raise ValueError(f"task {task.id} has no user_scenario to play")
        self._domain = task.domain
        self._task = task.id
        self._gateway = gateway
        self._seed = seed
        self._sample = sample
        self._scenario = task.user_scenario.model_dump_json()
        self._prompt = render(
            "user",
            domain=task.domain,
            persona=task.user_scenario.persona,
            instructions=task.user_scenario.instructions.model_dump(mode="json"),
            done=DONE,
        )

    async def says(self, conversation: list[Message]) -> str | None:
        """The model's next line; None once it says that it is done."""
        seen_by_user = [
            {"role": "assistant" if message["role"] == "user" else "user", "content": message["content"]}
            for message in conversation
            if message["role"] in ("user", "assistant") and message.get("content")
        ]
        opening = {"role": "user", "content": "(The agent picks up. You speak first.)"}
        written = await self._gateway.text(
            "user",
            [*self._prompt, opening, *seen_by_user],
            stage="user",
            domain=self._domain,
            task=self._task,
            seed=self._seed,
            sample=self._sample,
        )
        said = after_thoughts(written).strip()
        if not said:
            raise UserFault("the simulated user said nothing")
        if DONE in said:
            if not conversation:
                raise UserFault("the simulated user left before saying what they want")
            return None
        if len(said) > MOST_CHARACTERS:
            raise UserFault(f"the simulated user said {len(said)} characters at once, over {MOST_CHARACTERS}")
        if mark := _MARKS.search(said):
            raise UserFault(f"the simulated user wrote {mark[0]}, which only a chat template writes")
        if invented := self._invented(said, [message["content"] for message in seen_by_user]):
            raise UserFault(f"the simulated user spoke of {invented}, which nobody had told them")
        return said

    def _invented(self, said: str, heard: list[str]) -> str | None:
        """An id that stands neither in the scenario nor in what was said; hyphens and spaces do not count.

        What has a known number in it is no id: `EUR50`, where 50 was said.
        """
        told = " ".join([self._scenario, *heard])
        known, numbers = _joined(told), set(_NUMBER.findall(told))
        foreign = (name for name in _IDENTIFIER.findall(said) if _joined(name) not in known)
        return next((name for name in foreign if re.sub(r"\D", "", name) not in numbers), None)


def _joined(text: str) -> str:
    return re.sub(r"[-_\s]", "", text).casefold()
