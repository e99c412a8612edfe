"""OpenAI's Batch API: requests that come as the lines of a file, are answered in their own time, and make a file again.

A batch is ``validating``, ``in_progress``, ``finalizing`` and at last ``completed``; or it is ``failed`` (its file is
wrong), ``expired`` (not all was answered in time), or by way of ``cancelling`` ``cancelled``. Everything lives in
memory, as long as the server does.
"""

import asyncio
import json
import random
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from typing_extensions import TypedDict

from toolscale.mock_endpoint import faults
from toolscale.mock_endpoint.faults import Fates
from toolscale.mock_endpoint.files import Files
from toolscale.mock_endpoint.switches import Switches
from toolscale.openai_api.chat import ApiError, ChatRequest

MOST_REQUESTS = 50_000
_FINAL = {"completed", "failed", "expired", "cancelled"}

Complete = Callable[[ChatRequest, bool], dict[str, Any]]
"""A request, and whether the model declines -> the completion. Raises ``ApiError``."""


class _Line(BaseModel):
    """One line of an input file."""

    model_config = ConfigDict(strict=True)

    custom_id: str = Field(min_length=1)
    method: Literal["POST"]
    url: Literal["/v1/chat/completions"]
    body: dict[str, Any]


class _Wanted(BaseModel):
    """What a client sends to create a batch."""

    model_config = ConfigDict(strict=True)

    input_file_id: str
    endpoint: Literal["/v1/chat/completions"]
    completion_window: Literal["24h"]
    metadata: dict[str, str] | None = None


class _Fault(TypedDict):
    code: str
    line: int
    message: str
    param: None


class Batches:
    """All batches of the server, and the requests in them."""

    def __init__(self, switches: Switches, files: Files, complete: Complete) -> None:
        self._switches = switches
        self._files = files
        self._complete = complete
        self._fates = Fates(switches.batch_rates, switches.fault_seed)
        self._batches: dict[str, dict[str, Any]] = {}
        self._cancelled: dict[str, asyncio.Event] = {}
        self._work: set[asyncio.Task[None]] = set()
        self._executed = 0

    def as_json(self) -> dict[str, int]:
        """What `/stats` says of them: batches, requests that were executed, and how many different ones."""
        return {"created": len(self._batches), "requests": self._executed, "distinct": self._fates.distinct}

    def create(self, body: bytes) -> dict[str, Any]:
        """A new batch; it is worked on from now on.

        Raises:
            ApiError: the request is malformed, or there is no such file.
        """
        try:
            wanted = _Wanted.model_validate_json(body)
        except ValidationError as error:
            raise ApiError(400, "malformed_request", _first_fault(error)) from None
        content = self._files.content(wanted.input_file_id)
        batch: dict[str, Any] = {
            "id": f"batch_{len(self._batches) + 1}",
            "object": "batch",
            "status": "validating",
            "errors": None,
            "created_at": int(time.time()),
            "expires_at": int(time.time()) + 24 * 3600,
            "output_file_id": None,
            "error_file_id": None,
            "request_counts": {"total": 0, "completed": 0, "failed": 0},
            **wanted.model_dump(),
        }
        self._batches[batch["id"]] = batch
        cancelled = self._cancelled[batch["id"]] = asyncio.Event()
        work = asyncio.create_task(self._execute(batch, content, cancelled))
        self._work.add(work)
        work.add_done_callback(self._work.discard)
        return batch

    def get(self, batch_id: str) -> dict[str, Any]:
        """A batch as it is now.

        Raises:
            ApiError: there is none of that id.
        """
        if batch_id not in self._batches:
            raise ApiError(404, "unknown_batch", f"no batch `{batch_id}` here")
        return self._batches[batch_id]

    def page(self, after: str | None, limit: int) -> dict[str, Any]:
        """The batches that were created before the one named ``after``, newest first, ``limit`` at most."""
        newest_first = list(reversed(self._batches.values()))
        start = newest_first.index(self.get(after)) + 1 if after else 0
        shown, rest = newest_first[start : start + limit], newest_first[start + limit :]
        ends = {"first_id": shown[0]["id"], "last_id": shown[-1]["id"]} if shown else {}
        return {"object": "list", "data": shown, "has_more": bool(rest), **ends}

    def cancel(self, batch_id: str) -> dict[str, Any]:
        """Work on it no longer; what was answered is kept.

        Raises:
            ApiError: there is none of that id, or it has ended.
        """
        batch = self.get(batch_id)
        if batch["status"] in _FINAL:
            raise ApiError(409, "ended", f"the batch is {batch['status']}: it cannot be cancelled")
        _enter(batch, "cancelling")
        self._cancelled[batch_id].set()
        return batch

    def close(self) -> None:
        """Stop all work."""
        for work in self._work:
            work.cancel()

    async def _execute(self, batch: dict[str, Any], content: bytes, cancelled: asyncio.Event) -> None:
        """Take the batch from one status to the next."""
        lines, wrong = self._validated(content)
        batch["request_counts"]["total"] = len(lines)
        if wrong:
            batch["errors"] = {"object": "list", "data": wrong}
            _enter(batch, "failed")
            return
        chance = random.Random(f"{self._switches.fault_seed} {batch['id']}")
        loop = asyncio.get_running_loop()
        started, seconds = loop.time(), self._switches.batch_latency.at(chance.random())
        if not cancelled.is_set():
            _enter(batch, "in_progress")
        outputs: list[str] = []
        errors: list[str] = []
        expired = False
        for number, line in enumerate(lines, 1):
            with suppress(TimeoutError):
                await asyncio.wait_for(
                    cancelled.wait(), max(0.0, started + seconds * number / len(lines) - loop.time())
                )
            if cancelled.is_set():
                errors += [_unanswered(left, "batch_cancelled") for left in lines[number - 1 :]]
                break
            fate = self._fates.next(json.dumps(line.body).encode())
            expired |= fate.fault == "expired"
            self._work_off(batch, line, fate, outputs, errors)
        if not cancelled.is_set():
            _enter(batch, "finalizing")
        for file, written in (("output_file_id", outputs), ("error_file_id", errors)):
            chance.shuffle(written)
            if written:
                text = "\n".join(written) + "\n"
                batch[file] = self._files.keep(text.encode(), f"{batch['id']}_{file}.jsonl", "batch_output")["id"]
        _enter(batch, "cancelled" if cancelled.is_set() else "expired" if expired else "completed")

    def _work_off(
        self,
        batch: dict[str, Any],
        line: _Line,
        fate: faults.Fate[faults.BatchFault],
        outputs: list[str],
        errors: list[str],
    ) -> None:
        """Answer one request, and write its line."""
        counts = batch["request_counts"]
        if fate.fault == "expired":
            counts["failed"] += 1
            errors.append(_unanswered(line, "batch_expired"))
            return
        self._executed += 1
        try:
            if fate.fault == "error":
                raise ApiError(faults.server_error(fate.variant), "error", "made to fail by --batch-fault error")
            if fate.fault == "limited":
                raise ApiError(429, "limited", "made to fail by --batch-fault limited", code="rate_limit_exceeded")
            chat = ChatRequest.read(json.dumps(line.body).encode())
            written = _answered(line, 200, self._complete(chat, fate.fault == "refusal"))
        except ApiError as error:
            counts["failed"] += 1
            errors.append(_answered(line, error.status, json.loads(error.body())))
            return
        counts["completed"] += 1
        match fate.fault:
            case "lost":
                return
            case "cut":
                outputs.append(faults.half(written))
            case "doubled":
                outputs += [written, written]
            case _:
                outputs.append(written)

    def _validated(self, content: bytes) -> tuple[list[_Line], list[_Fault]]:
        """The requests of a file, and what is wrong with it."""
        lines: list[_Line] = []
        wrong: list[_Fault] = []
        seen: set[str] = set()
        for number, text in enumerate(content.splitlines(), 1):
            try:
                line = _Line.model_validate_json(text)
            except ValidationError as error:
                wrong.append(_fault("invalid_json_line", number, _first_fault(error)))
                continue
            model = line.body.get("model")
            if line.custom_id in seen:
                wrong.append(_fault("duplicate_custom_id", number, f"custom_id `{line.custom_id}` stands here twice"))
            if model not in self._switches.models:
                wrong.append(_fault("model_not_found", number, f"no model `{model}` here"))
            elif lines and model != lines[0].body.get("model"):
                wrong.append(_fault("mismatched_model", number, "a batch has one model"))
            seen.add(line.custom_id)
            lines.append(line)
        if not lines and not wrong:
            wrong.append(_fault("empty_file", 1, "the file holds no request"))
        if len(lines) > MOST_REQUESTS:
            wrong.append(_fault("too_many_tasks", MOST_REQUESTS + 1, f"a batch holds {MOST_REQUESTS} requests at most"))
        return lines, wrong


def _enter(batch: dict[str, Any], status: str) -> None:
    batch["status"] = status
    batch[f"{status}_at"] = int(time.time())


def _answered(line: _Line, status: int, body: dict[str, Any]) -> str:
    response = {"status_code": status, "request_id": f"req_{line.custom_id}", "body": body}
    return _written(line, response, None)


def _unanswered(line: _Line, code: str) -> str:
    error = {"code": code, "message": "This request was not executed before the batch ended."}
    return _written(line, None, error)


def _written(line: _Line, response: dict[str, Any] | None, error: dict[str, str] | None) -> str:
    return json.dumps(
        {"id": f"batch_req_{line.custom_id}", "custom_id": line.custom_id, "response": response, "error": error}
    )


def _fault(code: str, line: int, message: str) -> _Fault:
    return {"code": code, "line": line, "message": message, "param": None}


def _first_fault(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place}: {first['msg']}" if place else first["msg"]
