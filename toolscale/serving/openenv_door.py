"""OpenEnv: episodes over the package's own HTTP and WebSocket server, and the client for them.

This module needs the extra `toolscale[openenv]`; import it in functions only.
"""

from typing import Any

from openenv.core.client_types import StepResult
from openenv.core.env_client import EnvClient
from openenv.core.env_server.http_server import create_fastapi_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, ConcurrencyConfig, EnvironmentMetadata, Observation, State
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import JSONResponse

from toolscale.errors import UserError
from toolscale.serving.play import PlayError
from toolscale.serving.sessions import OpenSession, Sessions

NAME = "toolscale"
MOST_CALLS_AT_ONCE = 32


class ToolCall(BaseModel):
    """A call of one of the task's tools."""

    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class ToolAction(Action):
    """One message of the agent: with calls, they are made; without, it is the user's to answer, or the last one."""

    calls: list[ToolCall] = Field(default_factory=list, max_length=MOST_CALLS_AT_ONCE)
    message: str = ""


class ToolObservation(Observation):
    """What comes back: at reset what the agent begins with, then answers, at the end the verdict."""

    instruction: str = ""
    system: str = ""
    tools: list[dict[str, Any]] = Field(default_factory=list, description="OpenAI tools.")
    answers: list[str] = Field(default_factory=list, description="One for each call, as JSON.")
    said: str = Field(default="", description="What a simulated user answers to a message without calls.")
    ending: str = Field(default="", description="Why the episode is over; after `user_error` nothing has a reward.")
    verdict: dict[str, Any] | None = Field(default=None, description="The three criteria with reasons, at the end.")


class ToolState(State):
    """Where the episode stands; nothing of how it is judged."""

    task_id: str | None = None
    domain: str | None = None
    calls_made: int = 0


class ToolEnvironment(Environment[ToolAction, ToolObservation, ToolState]):
    """One client's episodes, one after the other. The package makes one for each WebSocket."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, sessions: Sessions) -> None:
        super().__init__()
        self._sessions = sessions
        self._open: OpenSession | None = None
        self._episode: str | None = None
        self._steps = 0

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        task_id: str | None = None,
        split: str | None = None,
        index: int | None = None,
    ) -> ToolObservation:
        """Begin the task of that id, or of that index in a split, or the one that the seed picks.

        The seed also picks the simulated user: with the same one they say the same to the same words.

        Raises:
            UserError: there is no such task.
            PlayError: too many sessions are open, an index has no split, or the simulated user did not begin.
        """
        tasks = self._sessions.tasks
        if index is not None and split is None:
            raise PlayError("an index counts the tasks of a split: name the split too")
        chosen = tasks.chosen(task_id, split, seed) if index is None or split is None else self._at(split, index)["id"]
        self.close()
        self._open = opened = self._sessions.open(chosen, seed or 0)
        self._episode, self._steps = episode_id or opened.id, 0
        play = opened.play
        return ToolObservation(instruction=play.instruction, system=play.system, tools=play.tools)

    def step(self, action: ToolAction, timeout_s: float | None = None) -> ToolObservation:
        """Make the calls of a message; one without calls is said to the user, and the last one ends the episode.

        Raises:
            PlayError: no episode is open, or what is asked is not possible.
        """
        if self._open is None:
            raise PlayError("no episode is open: reset first, over a WebSocket session")
        play = self._sessions.get(self._open.id).play
        self._steps += 1
        if not action.calls:
            found = play.tell(action.message)
            if isinstance(found, str):
                return ToolObservation(said=found)
            return ToolObservation(done=True, reward=found.reward, ending=found.ending, verdict=found.as_json())
        if action.message:
            play.say(action.message)
        return ToolObservation(answers=[play.call(call.name, call.arguments)[0] for call in action.calls])

    @property
    def state(self) -> ToolState:
        """Where the episode stands."""
        if self._open is None:
            return ToolState()
        play = self._open.play
        return ToolState(
            episode_id=self._episode,
            step_count=self._steps,
            task_id=play.task_id,
            domain=play.domain,
            calls_made=play.calls_made,
        )

    def close(self) -> None:
        """End the episode; the package calls it when the client leaves or vanishes."""
        if self._open is not None:
            self._sessions.close(self._open.id)
            self._open = None

    def get_metadata(self) -> EnvironmentMetadata:
        """What is served."""
        count = len(self._sessions.tasks)
        return EnvironmentMetadata(name=NAME, description=f"{count} tool-use tasks, judged by programs.", version="1")

    def list_splits(self) -> list[str]:
        """The splits."""
        return list(self._sessions.tasks.splits)

    def num_tasks(self, split: str) -> int:
        """How many tasks a split has."""
        return len(self._ids(split))

    def list_tasks(self, split: str) -> list[dict[str, Any]]:
        """The tasks of a split: id, index, domain and instruction."""
        return self.get_task_range(split)

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        """One task of a split. Raises IndexError, as the package wants it, where there is none."""
        return self._at(split, index)

    def get_task_range(self, split: str, start: int | None = None, stop: int | None = None) -> list[dict[str, Any]]:
        """The tasks of a split between two indices."""
        return [self._at(split, index) for index in range(len(self._ids(split)))[start:stop]]

    def _at(self, split: str, index: int) -> dict[str, Any]:
        ids = self._ids(split)
        if not 0 <= index < len(ids):
            raise IndexError(f"the split {split} has {len(ids)} tasks")
        task, spec = self._sessions.tasks.get(ids[index])
        return {"id": task.id, "index": index, "domain": spec.domain, "instruction": task.instruction}

    def _ids(self, split: str) -> list[str]:
        try:
            return list(self._sessions.tasks.ids(split))
        except UserError as error:
            raise IndexError(str(error)) from None


class ToolScaleEnv(EnvClient[ToolAction, ToolObservation, ToolState]):
    """A client with types: `with ToolScaleEnv(base_url=URL).sync() as env: env.reset(task_id=ID)`."""

    def _step_payload(self, action: ToolAction) -> dict[str, Any]:
        return dict(action.model_dump(mode="json", exclude={"metadata"}))

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[ToolObservation]:
        observation = ToolObservation.model_validate(
            {**payload["observation"], "reward": payload.get("reward"), "done": payload.get("done", False)}
        )
        return StepResult(observation=observation, reward=payload.get("reward"), done=observation.done)

    def _parse_state(self, payload: dict[str, Any]) -> ToolState:
        state: ToolState = ToolState.model_validate(payload)
        return state


def openenv_app(sessions: Sessions, most: int, idle_seconds: float) -> Any:
    """The package's server for these sessions, as an ASGI application."""
    bounds = ConcurrencyConfig(max_concurrent_envs=most, session_timeout=idle_seconds)
    app = create_fastapi_app(
        lambda: ToolEnvironment(sessions),
        ToolAction,
        ToolObservation,
        concurrency_config=bounds,
        env_name=NAME,
        state_cls=ToolState,
    )
    for refusal in (PlayError, UserError):  # over a WebSocket the package tells them itself
        app.add_exception_handler(refusal, _told)
    return app


async def _told(request: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"detail": str(error)}, 400)
