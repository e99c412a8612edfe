"""Functions of Java and JavaScript: their values are written as source text, in strings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from toolscale.artifacts import Call
from toolscale.artifacts.base import Json
from toolscale.evaluation.benchmarks.bfcl.package import Package
from toolscale.evaluation.benchmarks.offered import callable_name

_TITLES = {"java": "Java", "javascript": "JavaScript"}
_LISTS = {"Array", "ArrayList", "array"}


@dataclass(frozen=True)
class SourceLanguage:
    """How the functions of one problem are described, and their arguments read."""

    name: Literal["java", "javascript"]
    types: Mapping[str, Mapping[str, Any]]
    """By function, by parameter: its type in the language, and that of its elements where it is a list."""

    @classmethod
    def of(cls, name: Literal["java", "javascript"], functions: Sequence[Mapping[str, Any]]) -> "SourceLanguage":
        """The language of a row's functions."""
        return cls(name, {callable_name(each["name"]): each["parameters"]["properties"] for each in functions})

    def described(self, function: Mapping[str, Any]) -> dict[str, Any]:
        """A function's description with every parameter a string."""
        parameters = function["parameters"]
        properties = {name: self._as_text(each) for name, each in parameters["properties"].items()}
        return {**function, "parameters": {**parameters, "properties": properties}}

    async def read(self, calls: Sequence[Call]) -> list[Call]:
        """The calls with their arguments as JSON.

        Raises:
            ValueError: an argument is not source text.
            PackageError: the authors' converter did not come to an end.
        """
        async with Package() as package:
            return [await self._read(call, package) for call in calls]

    async def _read(self, call: Call, package: Package) -> Call:
        read: dict[str, Json] = {}
        for name, value in call.arguments.items():
            parameter = self.types.get(call.name, {}).get(name)
            if parameter is None:
                read[name] = value
                continue
            if not isinstance(value, str):
                raise ValueError(f"{call.name} got {name}={value!r}, which is not {_TITLES[self.name]} in a string")
            kind = str(parameter["type"])
            items = str(parameter["items"]["type"]) if kind in _LISTS and "items" in parameter else None
            read[name] = await package.ask("convert", language=self.name, text=value, kind=kind, items=items)
        return Call(name=call.name, arguments=read)

    def _as_text(self, parameter: Mapping[str, Any]) -> dict[str, Any]:
        kind = parameter["type"]
        of = f" of {parameter['items']['type']}" if kind in _LISTS and "items" in parameter else ""
        told = f"Written in {_TITLES[self.name]}, as a string; its type there: {kind}{of}."
        return {"type": "string", "description": f"{parameter.get('description', '')} {told}".strip()}
