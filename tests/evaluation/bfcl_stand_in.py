"""A package in the places of the leaderboard's, with one small service and converters, and rows in its form."""

import json
from pathlib import Path
from typing import Any

from tests.evaluation.bench import lines

_SERVICE = """
import json, random

class TicketAPI:
    def __init__(self):
        self.tickets, self._opened = {}, 0

    def _load_scenario(self, scenario, long_context=False):
        self.tickets, self.owner = dict(scenario["tickets"]), "long" if long_context else "short"

    def open_ticket(self, title, priority=1):
        print("a ticket is opened")
        self._opened += random.random()
        self.tickets[str(len(self.tickets))] = [title, priority]
        return {"id": len(self.tickets) - 1}

    def read_ticket(self, number):
        if str(number) not in self.tickets:
            raise ValueError("there is no ticket %s" % number)
        return {"title": self.tickets[str(number)][0]}

    def hang(self):
        while True:
            pass
"""
_CONVERTER = """
def {short}_type_converter(value, expected_type, nested_type=None):
    if expected_type == "integer":
        return int(value.rstrip("L"))
    if expected_type in ("Array", "array"):
        return [each.strip().strip('"') for each in value[value.index("{begin}") + 1:-1].split(",")]
    return value
"""
_DESCRIBED = [
    {"name": "open_ticket", "title": {"type": "string"}, "priority": {"type": "integer"}},
    {"name": "read_ticket", "number": {"type": "integer"}},
]


def package(folder: Path) -> Path:
    """The folder to find modules in."""
    services = folder / "bfcl_eval" / "eval_checker" / "multi_turn_eval" / "func_source_code"
    converters = folder / "bfcl_eval" / "eval_checker" / "ast_eval" / "type_convertor"
    services.mkdir(parents=True)
    converters.mkdir(parents=True)
    (folder / "mpmath.py").write_text("")
    (folder / "bfcl_eval" / "__init__.py").write_text("")
    (services / "ticket_api.py").write_text(_SERVICE)
    for short, begin in (("java", "{"), ("js", "[")):
        text = _CONVERTER.format(short=short, begin=begin)
        (converters / f"{short}_type_converter.py").write_text(text)
    return folder


def conversation(folder: Path, category: str = "multi_turn_miss_func") -> Path:
    """One conversation of three turns: a ticket is opened, nothing can be read yet, then it can."""
    described = [
        {
            "name": each["name"],
            "description": "Does it.",
            "parameters": {
                "type": "dict",
                "properties": {name: kind for name, kind in each.items() if name != "name"},
                "required": [],
            },
        }
        for each in _DESCRIBED
    ]
    lines(folder / "multi_turn_func_doc" / "ticket_api.json", described)
    row: dict[str, Any] = {
        "id": f"{category}_0",
        "question": [
            [{"role": "user", "content": "Open a ticket on the lamp."}],
            [{"role": "user", "content": "Read it to me."}],
            [],
        ],
        "initial_config": {"TicketAPI": {"tickets": {"0": ["door", 1]}}},
        "involved_classes": ["TicketAPI"],
        "missed_function": {"2": ["read_ticket"]},
    }
    right = [["open_ticket('lamp')"], [], ["read_ticket(number=1)"]]
    lines(folder / f"BFCL_v3_{category}.json", [row])
    lines(folder / "possible_answer" / f"BFCL_v3_{category}.json", [{"id": row["id"], "ground_truth": right}])
    return folder


def row(name: str, function: dict[str, Any], text: str = "Do it.") -> dict[str, Any]:
    """A row of a single turn."""
    return {"id": name, "question": [[{"role": "user", "content": text}]], "function": [function]}


def category(folder: Path, name: str, rows: list[dict[str, Any]], answers: list[Any] | None = None) -> None:
    """A category's file, and that of its answers."""
    lines(folder / f"BFCL_v3_{name}.json", rows)
    if answers is not None:
        told = [{"id": each["id"], "ground_truth": answer} for each, answer in zip(rows, answers, strict=True)]
        lines(folder / "possible_answer" / f"BFCL_v3_{name}.json", json.loads(json.dumps(told)))
