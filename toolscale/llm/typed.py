"""Typed answers: how to ask for one, how to read one, and what to say about one that is wrong."""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

from pydantic import BaseModel, ValidationError

from toolscale.artifacts.bounded_schema import errors_in, schema_faults, validator_of
from toolscale.errors import UserError
from toolscale.llm.coerce import coerced
from toolscale.llm.json_text import LONGEST, TooDeep, fault_of, loaded, places, repaired, sound
from toolscale.messages import Message
from toolscale.settings import AnswerMode

_MOST_REASONS = 10
_MOST_ERRORS = 100
_LONGEST_REASON = 240
_LONGEST_EXCERPT = 100_000
"""Characters of its own answer that a model is shown again. Each round pays for them; without, it makes it up anew."""


@dataclass(frozen=True)
class AnswerForm:
    """The form that an answer must have."""

    name: str
    schema: dict[str, Any]
    validated: Callable[[Any], Any]
    """The value as the caller wants it. Raises ``ValueError`` with one reason a line."""

    @staticmethod
    def of(answer: type[BaseModel] | dict[str, Any]) -> "AnswerForm":
        """The form of a pydantic model, or of a JSON Schema (2020-12).

        Raises:
            UserError: it is no schema, or no answer can be checked against it in bounded time.
        """
        if isinstance(answer, dict):
            return _form_of_schema(json.dumps(answer))
        return _form_of_model(answer)

    def ask(self, messages: list[Message], mode: AnswerMode) -> tuple[list[Message], dict[str, Any]]:
        """The messages and the parameters that ask for an answer of this form."""
        if mode == "schema":
            name = re.sub(r"[^A-Za-z0-9_-]", "_", self.name)[:64]
            schema = {"type": "json_schema", "json_schema": {"name": name, "schema": self.schema}}
            return messages, {"response_format": schema}
        if mode == "json":
            request = f"Answer with one JSON value, and nothing else, that satisfies this JSON Schema:\n{self.shown()}"
            return said_by_user(messages, request), {"response_format": {"type": "json_object"}}
        request = f"Answer with one JSON value, in a ```json block, that satisfies this JSON Schema:\n{self.shown()}"
        return said_by_user(messages, request), {}

    def shown(self) -> str:
        """The schema as a model reads it."""
        return json.dumps(self.schema, ensure_ascii=False)

    def read(self, raw: str, *, cut_off: bool = False) -> tuple[Any, list[str]]:
        """The value in a text, and the reasons against it; no reasons if it has the form, perhaps after mending.

        What needs the least mending wins: a value that is right as it stands, one whose types can be set right, one
        whose spelling can be repaired. What was cut off is not repaired: closing its brackets would pass off a part
        as the whole.
        """
        if len(raw) > LONGEST:
            return None, [f"the answer is longer than {LONGEST} characters: answer more briefly"]
        try:
            return self.validated(loaded(raw)), []
        except ValueError:
            pass
        try:
            return self._read(places(raw, cut_off=cut_off), cut_off)
        except RecursionError:
            return None, ["the answer is too intricate to be checked"]

    def ignored_by(self, raw: str) -> bool:
        """Whether a model that was sent the schema apart from the messages seems never to have seen it.

        An endpoint that holds its answers to a schema sends JSON and nothing else, and an object has its names.
        """
        try:
            value = loaded(raw)
        except ValueError:
            return True
        named = self.schema.get("required", [])
        return bool(named) and not (isinstance(value, dict) and any(name in value for name in named))

    def _read(self, found: list[str], cut_off: bool) -> tuple[Any, list[str]]:
        whole, too_deep = _values(found, loaded)
        reasons, alone = too_deep, len(found) <= 2  # the whole text, and what stands in it
        for value in whole:
            try:
                return self.validated(value), []
            except ValueError:
                continue
        for value in whole:
            try:
                return self.validated(self._mended(value, alone=alone)), []
            except ValueError as error:
                reasons = reasons or _listed(error)
        if cut_off:
            return None, reasons or ["the answer was cut off because it was too long: answer more briefly"]
        for value in _values([] if too_deep else found, repaired)[0]:
            try:
                return self.validated(self._mended(value, alone=alone)), []
            except ValueError as error:
                reasons = reasons or _listed(error)
        return None, reasons or [next(map(fault_of, found[::-1]), "") or "there is no JSON in the answer"]

    def _mended(self, value: Any, *, alone: bool) -> Any:
        """The value set right. One of several is never taken for a list of one: the others may belong to the list."""
        mended = sound(coerced(value, self.schema, self.name))
        return value if isinstance(mended, list) and not isinstance(value, list) and not alone else mended


@lru_cache(maxsize=256)
def _form_of_model(model: type[BaseModel]) -> AnswerForm:
    """A model's form: its schema takes longer to write than all the rest of a call."""
    return AnswerForm(model.__name__, model.model_json_schema(), lambda value: _as_model(model, value))


@lru_cache(maxsize=256)
def _form_of_schema(text: str) -> AnswerForm:
    schema = json.loads(text)
    if faults := list(islice(schema_faults(schema), _MOST_REASONS)):
        raise UserError(f"the schema of the answer cannot be used: {'; '.join(faults)}")
    return AnswerForm(str(schema.get("title", "answer")), schema, _checked_against(schema))


def _values(found: list[str], read: Callable[[str], Any]) -> tuple[list[Any], list[str]]:
    """What can be read of the places where an answer may stand, and why one of them is not even looked at."""
    values, too_deep = [], []
    for place in found:
        try:
            values.append(read(place))
        except TooDeep as error:
            too_deep = [str(error)]
        except ValueError:
            continue
    return values, too_deep


def sent_back(
    messages: list[Message], raw: str, reasons: list[str], schema: str = "", *, beside: str = ""
) -> list[Message]:
    """The conversation in which the model is told what is wrong with its answer, and asked again.

    ``schema`` is shown to a model that may never have seen it, ``beside`` are more lines that it needs. Of a long
    answer the model is shown both ends.
    """
    listed = "\n".join(f"- {reason}" for reason in reasons[:_MOST_REASONS])
    if len(reasons) > _MOST_REASONS:
        listed += f"\n- and {len(reasons) - _MOST_REASONS} more like these"
    shown = f"It must be one JSON value that satisfies this JSON Schema:\n{schema}\n" if schema else ""
    shown += f"{beside}\n" if beside else ""
    complaint = f"Your answer was not accepted:\n{listed}\n{shown}Answer again, whole and corrected."
    # Some providers refuse an empty turn.
    answered = [*messages, {"role": "assistant", "content": _excerpt(raw)}] if raw.strip() else messages
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
        errors = error.errors(include_url=False, include_input=False, include_context=False)
        raise ValueError("\n".join(_reason(each["loc"], each["msg"]) for each in errors[:_MOST_REASONS])) from None


def _checked_against(schema: dict[str, Any]) -> Callable[[Any], Any]:
    """Validation against a JSON Schema without faults."""
    validator = validator_of(schema)

    def checked(value: Any) -> Any:
        from referencing.exceptions import Unresolvable

        try:
            errors = list(islice(errors_in(validator, value), _MOST_ERRORS))
        except Unresolvable as error:
            raise UserError(f"the schema of the answer refers to `{error.ref}`, which it does not hold") from None
        if errors:
            errors.sort(key=lambda error: list(map(str, error.absolute_path)))
            raise ValueError("\n".join(_reason(error.absolute_path, error.message) for error in errors[:_MOST_REASONS]))
        return value

    return checked


def _reason(path: Iterable[Any], message: str) -> str:
    """One line: where, and what. A validator may quote the whole value, so only both ends of its words are kept."""
    place = _shortened(".".join(str(part) for part in path) or "the answer", _LONGEST_REASON // 2)
    return _shortened(f"`{place}`: {message}", _LONGEST_REASON)


def _listed(error: ValueError) -> list[str]:
    return str(error).splitlines()[:_MOST_REASONS]


def _shortened(text: str, longest: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= longest else f"{text[: longest // 3]} ... {text[-longest // 2 :]}"


def _excerpt(raw: str) -> str:
    half = _LONGEST_EXCERPT // 2
    return raw if len(raw) <= _LONGEST_EXCERPT else f"{raw[:half]}\n[...]\n{raw[-half:]}"
