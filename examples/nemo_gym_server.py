"""A resources server of NeMo Gym: the functions are its routes, the verdict its `verify`.

Put it into resources_servers/toolscale/app.py of a checkout of NeMo Gym, with `toolscale` in requirements.txt, and

python app.py data/dataset train > data/train.jsonl     # the rows that it wants
"""

import asyncio
import json
import sys
from collections.abc import Iterator
from math import inf
from typing import Any

from fastapi import FastAPI, Request, Response
from nemo_gym.base_resources_server import (
    BaseResourcesServerConfig,
    BaseSeedSessionRequest,
    BaseSeedSessionResponse,
    BaseVerifyRequest,
    BaseVerifyResponse,
    SimpleResourcesServer,
)
from nemo_gym.server_utils import SESSION_ID_KEY
from pydantic import PrivateAttr

from toolscale.serving.play import PlayError
from toolscale.serving.sessions import OpenSession, Sessions
from toolscale.serving.tasks import load_tasks


class Config(BaseResourcesServerConfig):
    data: str


class Seed(BaseSeedSessionRequest):
    task_id: str


class Verify(BaseVerifyRequest):
    task_id: str


class ToolScaleServer(SimpleResourcesServer):
    config: Config
    _sessions: Any = PrivateAttr(None)
    _opened: dict[str, OpenSession] = PrivateAttr(default_factory=dict)

    def setup_webserver(self) -> FastAPI:
        self._sessions = Sessions(load_tasks(self.config.data), most=4096, idle_seconds=3600)
        app = super().setup_webserver()
        app.post("/{function}")(self.call)  # after the framework's own, which go before it
        return app

    async def seed_session(self, request: Request, body: Seed) -> BaseSeedSessionResponse:
        opened = await asyncio.to_thread(self._sessions.open, body.task_id)
        self._opened[request.session[SESSION_ID_KEY]] = opened
        return BaseSeedSessionResponse()

    def call(self, function: str, request: Request, arguments: dict[str, Any]) -> Response:
        try:
            text, _ = self._opened[request.session[SESSION_ID_KEY]].play.call(function, arguments)
        except PlayError as refused:
            text = json.dumps({"error": str(refused)})
        return Response(text, media_type="application/json")

    async def verify(self, request: Request, body: Verify) -> BaseVerifyResponse:
        opened = self._opened.pop(request.session[SESSION_ID_KEY])
        *before, last = said_in(body.response.output) or [""]
        for text in before:
            opened.play.say(text)
        judged = await asyncio.to_thread(opened.play.finish, last)
        self._sessions.close(opened.id)
        return BaseVerifyResponse(**body.model_dump(), reward=judged.reward)


def said_in(output: list[Any]) -> list[str]:
    """What the agent told the user, of a response's items."""
    messages = [item for item in output if item.type == "message" and item.role == "assistant"]
    return ["".join(part.text for part in each.content if part.type == "output_text") for each in messages]


def rows(data: str, split: str) -> Iterator[dict[str, Any]]:
    """A split as NeMo Gym reads it."""
    with Sessions(load_tasks(data), most=1, idle_seconds=inf) as sessions:
        for task_id in sessions.tasks.ids(split):
            opened = sessions.open(task_id)
            said = [
                {"role": "system", "content": opened.play.system},
                {"role": "user", "content": opened.play.instruction},
            ]
            tools = [{"type": "function", "strict": False, **tool["function"]} for tool in opened.play.tools]
            yield {"responses_create_params": {"input": said, "tools": tools}, "task_id": task_id}
            sessions.close(opened.id)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        for row in rows(*sys.argv[1:]):
            print(json.dumps(row))
    else:
        ToolScaleServer.run_webserver()
