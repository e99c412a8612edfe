"""Functions that a benchmark describes and nobody can run: what is judged is which of them were called, and how."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from toolscale.artifacts import Call, FunctionSpec
from toolscale.artifacts.base import Json
from toolscale.orchestration.trace import Trace
from toolscale.tools.tool import ToolAnswer

_TYPES = {
    "dict": "object",
    "hashmap": "object",
    "float": "number",
    "double": "number",
    "int": "integer",
    "long": "integer",
    "str": "string",
    "char": "string",
    "bool": "boolean",
    "list": "array",
    "tuple": "array",
}
"""Python's names of types, in which benchmarks describe parameters -> JSON Schema's."""
_KNOWN = {"object", "number", "integer", "string", "boolean", "array", "null"}


@dataclass(frozen=True)
class DescribedFunction:
    """A tool that takes every call and does nothing."""

    spec: FunctionSpec
    kind: Literal["function"] = field(default="function")

    @classmethod
    def of(cls, name: str, description: str, parameters: Mapping[str, Any]) -> "DescribedFunction":
        """A function under the name that endpoints accept. ``parameters`` is JSON Schema, or nearly."""
        # Not validated: our own functions are in lower case, a benchmark's are named by others.
        spec = FunctionSpec.model_construct(
            name=callable_name(name),
            description=description or name,
            parameters=json_schema(parameters),
            kind="write",
        )
        return cls(spec)

    async def call(self, arguments: Mapping[str, Json]) -> ToolAnswer:
        """Say that the call was taken down."""
        return ToolAnswer(content=json.dumps({"status": "accepted"}))


def callable_name(name: str) -> str:
    """A function's name in the characters that OpenAI's form allows: `math.gcd` is `math_gcd`."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)[:64]


def calls_made(trace: Trace, functions: Iterable[DescribedFunction]) -> list[Call]:
    """The calls of a benchmark's own functions, in their order; those of the catalogue's tools are no part of them."""
    names = {function.spec.name for function in functions}
    return [Call(name=call.tool, arguments=call.arguments) for call in trace.calls if call.tool in names]


def json_schema(described: Any) -> Any:
    """A description of parameters with JSON Schema's types; a type that it does not have is left open."""
    if isinstance(described, Sequence) and not isinstance(described, str):
        return [json_schema(each) for each in described]
    if not isinstance(described, Mapping):
        return described
    schema = {key: json_schema(value) for key, value in described.items() if key != "type" or not _is_type(value)}
    if _is_type(described.get("type")):
        kind = _TYPES.get(described["type"].lower(), described["type"].lower())
        if kind in _KNOWN:
            schema["type"] = kind
    if schema.get("type") == "array":
        schema.setdefault("items", {})
    return schema


def _is_type(value: Any) -> bool:
    return isinstance(value, str)
