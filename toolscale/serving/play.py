"""One task, played by somebody outside: calls, what is said to the user, and the verdict."""

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import ValidationError

from toolscale.artifacts import Call, CallOutcome, Json, Task, Verdict
from toolscale.artifacts.strict_json import read_arguments, read_json
from toolscale.checkers import judge
from toolscale.environment import Sandbox, Session
from toolscale.episodes.episode import MAX_TURNS
from toolscale.episodes.loop import Answers, Ending
from toolscale.episodes.tools import tool_content
from toolscale.messages import Message
from toolscale.prompts import render

MOST_ARGUMENT_BYTES = 256 << 10
"""Of one call's arguments as JSON."""

MOST_ANSWER_BYTES = 16 << 20
"""Of all answers of a session together, since its calls and their outcomes are kept until it ends."""

MOST_MESSAGE_CHARACTERS = 100_000
"""Of all that the agent says in a session."""


class PlayError(Exception):
    """What a client asked for cannot be done; the text says why, and is meant for the client."""


class Talker(Protocol):
    """The user of one session, who answers turn by turn."""

    @property
    def opening(self) -> str:
        """What they say first."""

    def answers(self, conversation: list[Message]) -> Answers:
        """What they say next, or why there is nothing; waits until it is known."""


@dataclass(frozen=True)
class Judged:
    """How a session ended."""

    verdict: Verdict | None
    """None where the user broke the session: it says nothing about the agent."""
    ending: Ending = "done"

    @property
    def solved(self) -> bool | None:
        """Whether the agent came to the end and the three criteria hold."""
        return None if self.verdict is None else self.ending == "done" and self.verdict.solved

    @property
    def reward(self) -> float | None:
        """1 if the task is solved, else 0: the outcome, as training counts it."""
        return None if self.solved is None else float(self.solved)

    def as_json(self) -> dict[str, Json]:
        """The reward, why it ended, the three criteria and what is wrong."""
        criteria = self.verdict.model_dump(mode="json") if self.verdict else {}
        return {"reward": self.reward, "solved": self.solved, "ending": self.ending, **criteria}


class Play:
    """A session of one task. Thread-safe; calls are made one after the other.

    What it shows before its end is the instruction, the policy, the tools and what calls gave, never the task itself.
    """

    def __init__(self, task: Task, sandbox: Sandbox, user: Talker | None = None) -> None:
        """`user` answers turn by turn; without one the instruction says everything at once."""
        self._task = task
        self._user = user
        self._sandbox = sandbox
        self._session = Session(sandbox, task.start)
        self._lock = threading.Lock()
        self._said: list[str] = []
        self._told = 0
        self._conversation: list[Message] = [{"role": "user", "content": user.opening}] if user else []
        self._answered_bytes = 0
        self._judged: Judged | None = None

    @property
    def task_id(self) -> str:
        """The task's id."""
        return self._task.id

    @property
    def instruction(self) -> str:
        """What the user says before the agent's first message; without a simulated one, all that they say."""
        return self._user.opening if self._user else self._task.instruction

    @property
    def system(self) -> str:
        """The agent's standing orders with the policy, as an agent of ours reads them."""
        spec = self._sandbox.spec
        (message,) = render("agent", domain=spec.domain, policy=spec.policy, now=spec.now, direct=self._user is None)
        return str(message["content"])

    @property
    def domain(self) -> str:
        """Where it plays."""
        return self._sandbox.spec.domain

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The functions as OpenAI tools."""
        return self._sandbox.spec.tools()

    @property
    def calls(self) -> list[Call]:
        """The calls that were made, in order: what the verdict replays."""
        return [Call(name=each.name, arguments=each.arguments) for each in self._session.replay.outcomes]

    @property
    def calls_made(self) -> int:
        """How many calls were made."""
        return len(self._session.replay.outcomes)

    @property
    def judged(self) -> Judged | None:
        """How it ended, once it has."""
        return self._judged

    def call(self, name: str, arguments: Mapping[str, Any] | None = None) -> tuple[str, bool]:
        """Make a call: what the agent reads of it as JSON, and whether it returned.

        Raises:
            PlayError: the session is over, or the arguments are no JSON object of a bearable size.
        """
        call = _checked(name, arguments)
        with self._lock:
            self._refuse_if_over()
            if self._answered_bytes > MOST_ANSWER_BYTES:
                raise PlayError("the answers of this session have grown too large: say what you know and end it")
            outcome: CallOutcome = self._session.call(call.name, call.arguments)
            content = tool_content(outcome)
            self._answered_bytes += len(content)
            return content, outcome.ok

    def say(self, message: str) -> None:
        """Note what the agent says beside its calls. Raises PlayError where it is too long or too late."""
        with self._lock:
            self._refuse_if_over()
            self._note(message)

    def tell(self, message: str) -> str | Judged:
        """Say to the user what the agent says without a call: what they answer, or how the session ended.

        Who says everything at once has nothing to answer. A simulated user is waited for; their failure is not the
        agent's.

        Raises:
            PlayError: the session is over, or the message is too long.
        """
        with self._lock:
            self._refuse_if_over()
            self._note(message)
            if self._user is None:
                return self._end("done")
            self._told += 1
            answers = self._user.answers(self._conversation)
            if answers.ending is not None:
                return self._end(answers.ending)
            if self._told >= MAX_TURNS:
                return self._end("turn_limit")
            (said,) = answers.contents
            self._conversation.append({"role": "user", "content": said})
            return said

    def finish(self, message: str) -> Judged:
        """End the session with the agent's last message and judge it; before a simulated user is done it is not solved.

        Raises:
            PlayError: it is over already, or the message is too long.
        """
        with self._lock:
            self._refuse_if_over()
            self._note(message)
            return self._end("done" if self._user is None else "turn_limit")

    def _end(self, ending: Ending) -> Judged:
        broken = ending == "user_error"
        verdict = None if broken else judge(self._sandbox, self._task, self.calls, self._said)
        self._judged = Judged(verdict, ending)
        return self._judged

    def _note(self, message: str) -> None:
        if len(message) + sum(map(len, self._said)) > MOST_MESSAGE_CHARACTERS:
            raise PlayError(f"the messages of a session may have {MOST_MESSAGE_CHARACTERS:,} characters together")
        if message:
            self._said.append(message)
            self._conversation.append({"role": "assistant", "content": message})

    def _refuse_if_over(self) -> None:
        if self._judged is not None:
            raise PlayError("this session is over and judged: begin another")


def _checked(name: str, arguments: Mapping[str, Any] | None) -> Call:
    try:
        text = json.dumps(dict(arguments or {}), ensure_ascii=False)
        if len(text.encode()) > MOST_ARGUMENT_BYTES or len(name) > 200:
            raise PlayError(f"a call may have {MOST_ARGUMENT_BYTES:,} bytes of arguments and a name of 200 characters")
        return Call(name=name, arguments=read_arguments(read_json(text)))
    except ValidationError:
        raise PlayError("the arguments nest too deep") from None
    except (TypeError, ValueError, RecursionError) as error:
        raise PlayError(f"the arguments are not a JSON object: {str(error)[:200]}") from None
