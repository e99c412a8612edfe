"""An exported package is played by `vf-eval`, with a user who says all at once and with one who answers turn by turn.

Runs where verifiers is installed: `make test-verifiers`.
"""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.exchange.world import FINE, WORLD
from toolscale.dataset.folder import Placed
from toolscale.exchange.verifiers_export import export_verifiers

pytest.importorskip("verifiers.v1")

ALONE = ("--env.agent.harness.id", "null", "--env.agent.runtime.type", "subprocess")
IN_TURNS = (
    *("--env.id", "user-sim", "--env.user.model", "user", "--env.user.runtime.type", "subprocess"),
    *("--env.assistant.harness.id", "null", "--env.assistant.runtime.type", "subprocess"),
)


@contextmanager
def models(last_words: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """An endpoint where `agent` makes the golden calls and says its last words, and `user` asks and is then done."""
    asked: list[dict[str, Any]] = []

    def said(body: dict[str, Any]) -> dict[str, Any]:
        roles = [message["role"] for message in body["messages"]]
        if body["model"] == "user":
            return {"content": "###DONE###" if "assistant" in roles else "I need a room."}
        if (made := roles.count("tool")) == len(FINE.golden_calls):
            return {"content": last_words}
        call = FINE.golden_calls[made]
        function = {"name": call.name, "arguments": json.dumps(call.arguments)}
        return {"tool_calls": [{"index": 0, "id": f"call_{made}", "type": "function", "function": function}]}

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append(body)
            delta = {"role": "assistant", **said(body)}
            ended = {"index": 0, "delta": {}, "finish_reason": "tool_calls" if "tool_calls" in delta else "stop"}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for choices in ([{"index": 0, "delta": delta, "finish_reason": None}], [ended], []):
                kind = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": body["model"]}
                chunk = {**kind, "choices": choices, **({} if choices else {"usage": usage})}
                self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
            self.wfile.write(b"data: [DONE]\n\n")

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1", asked
        server.shutdown()


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("verifiers") / "out"
    export_verifiers([Placed(FINE, WORLD, "train")], out)
    return out / "toolscale_hotel_desk"


def played(package: Path, base_url: str, folder: Path, *options: str) -> dict[str, float]:
    """The rewards of the agent that was evaluated, by name."""
    command = [str(Path(sys.executable).with_name("vf-eval")), package.name, "-m", "agent", "--no-push"]
    told = {"PRIME_API_KEY": "any", "PYTHONPATH": os.pathsep.join([str(package), str(Path(__file__).parents[2])])}
    ran = subprocess.run(
        [*command, "--client.base-url", base_url, *options],
        cwd=folder,
        env={**os.environ, **told},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (traces,) = folder.glob("outputs/*/traces.jsonl")
    (episode,) = map(json.loads, traces.read_text(encoding="utf-8").splitlines())
    (own,) = [trace for trace in episode["traces"] if trace["tools"]]
    assert own["errors"] == []
    return {name: reward["score"] for name, reward in own["rewards"].items()}


@pytest.mark.parametrize("options", [ALONE, IN_TURNS], ids=["alone", "in turns"])
@pytest.mark.parametrize(("last_words", "reward"), [("2,500 in Zürich", 1.0), ("It is done.", 0.0)])
def test_golden_calls_earn_the_reward_if_all_is_said(
    package: Path, tmp_path: Path, options: tuple[str, ...], last_words: str, reward: float
) -> None:
    with models(last_words) as (base_url, asked):
        assert played(package, base_url, tmp_path, *options) == {"solved": reward}
    opened = next(each for each in asked if each["model"] == "agent")["messages"][-1]["content"]
    assert opened == ("I need a room." if options == IN_TURNS else FINE.instruction)
    assert [each["model"] for each in asked].count("user") == (2 if options == IN_TURNS else 0)
