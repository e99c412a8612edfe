"""A SkyRL-Gym environment: the model writes its calls as <tool_call>{"name": ..., "arguments": {...}}</tool_call>.

from skyrl_gym.envs import register
register(id="toolscale", entry_point="skyrl_env:ToolScaleEnv")

Its rows are {"prompt": [...], "env_class": "toolscale", "task_id": ID}, as `rows` below makes them.
"""

import json
import re
from collections.abc import Iterator
from functools import cache
from math import inf
from typing import Any

from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput

from toolscale.serving.play import PlayError
from toolscale.serving.sessions import Sessions
from toolscale.serving.tasks import load_tasks

CALL = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)


@cache
def sessions_of(data: str) -> Sessions:
    return Sessions(load_tasks(data), most=4096, idle_seconds=inf)


class ToolScaleEnv(BaseTextEnv):
    """One episode of one task."""

    def __init__(self, env_config: Any, extras: dict[str, Any]) -> None:
        super().__init__()
        self.max_turns = extras.get("max_turns", 50)
        self._sessions = sessions_of(env_config.data)
        self._opened = self._sessions.open(extras["task_id"])

    def step(self, action: str) -> BaseTextEnvStepOutput:
        self.turns += 1
        calls, said = CALL.findall(action), CALL.sub("", action).strip()
        if not calls:
            found = self._opened.play.finish(said)
            return BaseTextEnvStepOutput(observations=[], reward=found.reward, done=True, metadata=found.as_json())
        self._opened.play.say(said)
        answers = [{"role": "tool", "content": self._made(call)} for call in calls]
        return BaseTextEnvStepOutput(
            observations=answers, reward=0.0, done=self.turns >= self.max_turns, metadata={"calls": len(calls)}
        )

    def close(self) -> None:
        self._sessions.close(self._opened.id)

    def _made(self, text: str) -> str:
        try:
            call = json.loads(text)
            return self._opened.play.call(str(call["name"]), call.get("arguments") or {})[0]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, PlayError) as error:
            return json.dumps({"error": f"this is no call: {error}"})


def rows(data: str, split: str) -> Iterator[dict[str, Any]]:
    """A split as SkyRL reads it, with the tools told in the system prompt."""
    sessions = sessions_of(data)
    for task_id in sessions.tasks.ids(split):
        opened = sessions.open(task_id)
        tools = "\n".join(json.dumps(tool["function"]) for tool in opened.play.tools)
        told = f"{opened.play.system}\n\nCall a function by <tool_call>JSON of name and arguments</tool_call>:\n{tools}"
        prompt = [{"role": "system", "content": told}, {"role": "user", "content": opened.play.instruction}]
        yield {"prompt": prompt, "env_class": "toolscale", "task_id": task_id}
        sessions.close(opened.id)
