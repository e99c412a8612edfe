"""The file that a run of an orchestrator is written to turn by turn, and that a later run goes on from.

JSON lines: a header with all that the conversation depends on, then one turn a line. A line that a kill cut off is
dropped. The file holds what tools answered, so going on neither asks nor pays for it again.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from pydantic import ValidationError

from toolscale.artifacts.base import canonical_json
from toolscale.errors import UserError
from toolscale.messages import Message
from toolscale.orchestration.turns import Turn
from toolscale.whole import writing


class TraceFile:
    """The turns of one run, on disk."""

    def __init__(self, path: Path, turns: Sequence[Turn]) -> None:
        self.path = path
        self.turns = tuple(turns)
        """Those that an earlier run left."""

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        model: str,
        opening: Sequence[Message],
        tools: Sequence[dict[str, Any]],
        seed: int,
        sample: int,
    ) -> Self:
        """The file of a run, begun where there is none.

        Raises:
            UserError: it belongs to another run, it is damaged, or it cannot be written.
        """
        header = {"model": model, "messages": list(opening), "tools": list(tools), "seed": seed, "sample": sample}
        lines = _lines(path)
        if not lines:
            with writing(path):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(_line(header), encoding="utf-8")
            return cls(path, [])
        for part, value in header.items():
            if canonical_json(lines[0].get(part)) != canonical_json(value):
                raise UserError(f"{path} is the trace of another run (its {part} differ): name another file")
        try:
            turns = [Turn.model_validate(line) for line in lines[1:]]
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            raise UserError(f"{path} is damaged ({first['msg']}): delete it, or name another file") from None
        with writing(path):
            path.write_text("".join(map(_line, lines)), encoding="utf-8")
        return cls(path, turns)

    def append(self, turn: Turn) -> None:
        """Write a turn down. Raises UserError if the disk refuses it."""
        with writing(self.path), self.path.open("a", encoding="utf-8") as file:
            file.write(_line(turn.model_dump(mode="json")))


def opening_of(path: Path) -> list[Message]:
    """The messages that the run in a file began with; none where there is no file.

    Raises:
        UserError: it is no trace.
    """
    lines = _lines(path)
    found = lines[0].get("messages") if lines else []
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"


def _lines(path: Path) -> list[dict[str, Any]]:
    """The whole lines of a file; none if there is no file."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read the trace {path}: {error}") from None
    whole = text.splitlines(keepends=True)
    if whole and not whole[-1].endswith("\n"):
        whole.pop()
    try:
        lines = [json.loads(line) for line in whole]
    except (ValueError, RecursionError):
        raise UserError(f"{path} is not a trace of JSON lines: name another file") from None
    if not all(isinstance(line, dict) for line in lines):
        raise UserError(f"{path} is not a trace of JSON objects: name another file")
    return lines
