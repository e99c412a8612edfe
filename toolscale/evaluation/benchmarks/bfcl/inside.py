"""The process beside ours in which the leaderboard's own code runs: one JSON object a line, in and out.

It is started as a program, with the places of modules as arguments, and imports nothing of ours. Two sides of the same
services stand in it: what the model calls is done to one, the right calls to the other. Arguments of the model arrive
as JSON and are passed on as they are: nothing that a model wrote is evaluated.
"""

import ast
import copy
import inspect
import json
import resource
import sys
from importlib import import_module
from typing import Any

_MEMORY, _CPU_SECONDS = 2 << 30, 600
_SERVICES = "bfcl_eval.eval_checker.multi_turn_eval.func_source_code"
_CONVERTERS = "bfcl_eval.eval_checker.ast_eval.type_convertor"
MODULES = {
    "GorillaFileSystem": "gorilla_file_system",
    "MathAPI": "math_api",
    "MessageAPI": "message_api",
    "TwitterAPI": "posting_api",
    "TicketAPI": "ticket_api",
    "TradingBot": "trading_bot",
    "TravelAPI": "travel_booking",
    "VehicleControlAPI": "vehicle_control",
}
"""A simulated service -> its module, and the file that describes its functions."""

_sides: dict[str, dict[str, Any]] = {}


def load(classes: list[str], config: dict[str, Any], long_context: bool) -> None:
    """Both sides of the services, each in its first state."""
    for side in ("model", "right"):
        _sides[side] = {name: _service(name, config.get(name, {}), long_context) for name in classes}


def call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Make a model's call: the result as the leaderboard writes it, and whether it failed."""
    return _made("model", name, (), arguments)


def right_calls(calls: list[str]) -> list[str]:
    """Make the right calls of a turn, which are written as Python; their results.

    One that has another name or other parameters than the service is of another version than the package.
    """
    results = []
    for each in calls:
        name, values, named = _read(each)
        inspect.signature(_method("right", name)).bind(*values, **named)
        results.append(_made("right", name, values, named)["result"])
    return results


def differences() -> list[str]:
    """Which attributes of which services are not the same on both sides; private ones count for nothing."""
    return [
        f"{name}.{attribute}"
        for name, service in _sides["right"].items()
        for attribute, value in vars(service).items()
        if not attribute.startswith("_") and getattr(_sides["model"][name], attribute) != value
    ]


def convert(language: str, text: str, kind: str, items: str | None) -> Any:
    """What a literal of Java or JavaScript is, as JSON."""
    short = {"java": "java", "javascript": "js"}[language]
    converter = getattr(import_module(f"{_CONVERTERS}.{short}_type_converter"), f"{short}_type_converter")
    try:
        value = converter(text, kind, items) if items else converter(text, kind)
    except (ValueError, IndexError, AttributeError):
        return text
    return sorted(value, key=str) if isinstance(value, set) else value


def _service(name: str, config: dict[str, Any], long_context: bool) -> Any:
    service = getattr(import_module(f"{_SERVICES}.{MODULES[name]}"), name)()
    if hasattr(service, "_load_scenario"):
        service._load_scenario(copy.deepcopy(config), long_context=long_context)
    return service


def _made(side: str, name: str, values: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
    try:
        result = _method(side, name)(*values, **named)
    except Exception as error:  # whatever the authors' code raises is a call's answer
        return {"result": f"Error during execution: {error}", "failed": True}
    if isinstance(result, str):
        return {"result": result, "failed": False}
    try:
        written = json.dumps(result) if isinstance(result, dict) else str(result)
    except (TypeError, ValueError):
        written = str(result)
    return {"result": written, "failed": False}


def _method(side: str, name: str) -> Any:
    if not name.startswith("_"):
        for service in _sides[side].values():
            method = getattr(service, name, None)
            if callable(method):
                return method
    raise NameError(f"name '{name}' is not defined")


def _read(written: str) -> tuple[str, tuple[Any, ...], dict[str, Any]]:
    node = ast.parse(written.strip(), mode="eval").body
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        raise ValueError(f"{written} is no call")
    named = {each.arg: ast.literal_eval(each.value) for each in node.keywords if each.arg}
    return node.func.id, tuple(ast.literal_eval(each) for each in node.args), named


def main() -> None:
    """Answer until nobody asks."""
    sys.path[:] = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_SECONDS, _CPU_SECONDS))
    answers, sys.stdout = sys.stdout, sys.stderr  # what the authors' code prints is no answer
    asked = {each.__name__: each for each in (load, call, right_calls, differences, convert)}
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = {"answer": asked[request.pop("do")](**request)}
        except (ImportError, AttributeError, KeyError, NameError, TypeError) as error:
            answer = {"unknown": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer, default=str) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
