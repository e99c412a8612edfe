"""Users of an episode: one that says everything at once, and one that a model plays."""

from typing import Protocol

from toolscale.artifacts import Task
from toolscale.llm import Gateway
from toolscale.messages import Message
from toolscale.prompts import render

DONE = "###DONE###"
"""What a simulated user says when there is nothing left to say."""


class User(Protocol):
    """Somebody to talk to."""

    async def says(self, conversation: list[Message]) -> str | None:
        """The next thing the user says, given what was said so far; None when the user is done.

        Raises:
            UserFault: the user cannot go on, which is not the agent's fault.
        """


class UserFault(Exception):  # noqa: N818 - named after whose fault it is
    """The simulated user broke the episode."""


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
        said = await self._gateway.text(
            "user",
            [*self._prompt, opening, *seen_by_user],
            stage="user",
            domain=self._domain,
            task=self._task,
            seed=self._seed,
            sample=self._sample,
        )
        if not said.strip():
            raise UserFault("the simulated user said nothing")
        if DONE in said:
            if not conversation:
                raise UserFault("the simulated user left before saying what they want")
            return None
        return said.strip()
