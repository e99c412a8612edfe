"""Typed answers: how to ask for one, how to read one, and what to say about one that is wrong."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from pydantic import BaseModel, ValidationError

from toolscale.llm.coerce import coerced
from toolscale.llm.request import Message
from toolscale.llm.wellformed import well_formed_value
from toolscale.settings import AnswerMode

_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL)
_FENCED = re.compile(r"```(?:json)?[ \t]*\n(.*?)```", re.DOTALL)
_MOST_REASONS = 10


@dataclass(frozen=True)
class AnswerForm:
    """The form that an answer must have."""

    name: str
    schema: dict[str, Any]
    validated: Callable[[Any], Any]
    """The value as the caller wants it. Raises ``ValueError`` with one reason a line."""

    @staticmethod
    def of(answer: type[BaseModel] | dict[str, Any]) -> "AnswerForm":
        """The form of a pydantic model, or of a JSON Schema (2020-12)."""
        if isinstance(answer, dict):
            return AnswerForm(str(answer.get("title", "answer")), answer, _SchemaCheck(answer))
        return _form_of_model(answer)

    def ask(self, messages: list[Message], mode: AnswerMode) -> tuple[list[Message], dict[str, Any]]:
        """The messages and the parameters that ask for an answer of this form."""
        if mode == "schema":
            name = re.sub(r"[^A-Za-z0-9_-]", "_", self.name)[:64]
            schema = {"type": "json_schema", "json_schema": {"name": name, "schema": self.schema}}
            return messages, {"response_format": schema}
        form = json.dumps(self.schema, ensure_ascii=False)
        request = f"Answer with one JSON value, in a ```json block, that satisfies this JSON Schema:\n{form}"
        if mode == "json":
            request = f"Answer with one JSON value, and nothing else, that satisfies this JSON Schema:\n{form}"
        params = {"response_format": {"type": "json_object"}} if mode == "json" else {}
        return said_by_user(messages, request), params

    def read(self, raw: str, *, cut_off: bool = False) -> tuple[Any, list[str]]:
        """The value in a text, and the reasons against it; no reasons if it has the form, perhaps after mending.

        What was cut off is not repaired: closing its brackets would pass off a part as the whole.
        """
        value, found = parsed(raw, repair=not cut_off)
        if not found and cut_off:
            return None, ["the answer was cut off because it was too long: answer more briefly"]
        if not found:
            return None, ["there is no JSON in the answer"]
        value = well_formed_value(value)
        try:
            return self.validated(value), []
        except ValueError:
            mended = well_formed_value(coerced(value, self.schema))
        try:
            return self.validated(mended), []
        except ValueError as error:
            return None, str(error).splitlines()[:_MOST_REASONS]


@lru_cache(maxsize=256)
def _form_of_model(model: type[BaseModel]) -> AnswerForm:
    """A model's form: its schema takes longer to write than all the rest of a call."""
    return AnswerForm(model.__name__, model.model_json_schema(), lambda value: _as_model(model, value))


def parsed(raw: str, *, repair: bool = True) -> tuple[Any, bool]:
    """The JSON value in a text, and whether there is one: all of it, its fenced block, or what can be repaired."""
    text = _THOUGHT.sub("", raw).strip()
    fenced = _FENCED.search(text)
    candidates = [text, fenced.group(1).strip()] if fenced else [text]
    for candidate in candidates:
        try:
            return json.loads(candidate), True
        except ValueError:
            continue
    start = re.search(r"[{\[]", candidates[-1])
    if start is None or not repair:
        return None, False
    from json_repair import repair_json

    repaired = repair_json(candidates[-1][start.start() :], return_objects=True)
    return repaired, repaired not in ("", None)


def sent_back(messages: list[Message], raw: str, reasons: list[str]) -> list[Message]:
    """The conversation in which the model is told what is wrong with its answer, and asked again."""
    listed = "\n".join(f"- {reason}" for reason in reasons)
    complaint = f"Your answer was not accepted:\n{listed}\nAnswer again, whole and corrected."
    # Some providers refuse an empty turn.
    answered = [*messages, {"role": "assistant", "content": raw}] if raw.strip() else messages
    return said_by_user(answered, complaint)


def said_by_user(messages: list[Message], text: str) -> list[Message]:
    """The conversation with one more thing said by the user; never two turns of the user in a row."""
    *earlier, last = messages
    if last["role"] == "user" and isinstance(last["content"], str):
        return [*earlier, {**last, "content": f"{last['content']}\n\n{text}"}]
    return [*messages, {"role": "user", "content": text}]


def _as_model(model: type[BaseModel], value: Any) -> BaseModel:
    try:
        return model.model_validate(value)
    except ValidationError as error:
        reasons = [f"{_place(each['loc'])}: {each['msg']}" for each in error.errors(include_url=False)]
        raise ValueError("\n".join(reasons)) from None


class _SchemaCheck:
    """Validation against a JSON Schema that is compiled once."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self._schema = schema

    @cached_property
    def _validator(self) -> Any:
        from jsonschema import Draft202012Validator

        return Draft202012Validator(self._schema)

    def __call__(self, value: Any) -> Any:
        errors = sorted(self._validator.iter_errors(value), key=lambda error: list(map(str, error.absolute_path)))
        if errors:
            raise ValueError("\n".join(f"{_place(error.absolute_path)}: {_short(error.message)}" for error in errors))
        return value


def _place(path: Any) -> str:
    return "`" + (".".join(str(part) for part in path) or "the answer") + "`"


def _short(message: str) -> str:
    """jsonschema quotes the whole value in its messages; a model needs the end of it, which says what is wrong."""
    message = " ".join(message.split())
    return message if len(message) <= 240 else f"{message[:80]} ... {message[-150:]}"
