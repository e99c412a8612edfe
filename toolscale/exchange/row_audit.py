"""`toolscale audit` on rows without an environment: what can be checked where nothing can be run."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from toolscale.artifacts import FunctionSpec, Instructions, refers_elsewhere
from toolscale.checkers.said import fact_of, is_said
from toolscale.environment.folder import read_functions
from toolscale.exchange.published import PublishedRow, read_published

_HAND_OVER = re.compile(r"transfer|hand_?over|escalat|human", re.IGNORECASE)
_ANNOTATION = re.compile(r"\bSHOULD (?:NOT )?(?:BE|HAVE|FAIL|SUCCEED)\b|\b(?:TODO|FIXME|XXX)\b|<[A-Z_]{3,}>")
_COMMON = 5
"""A name is in common use from so many calls on."""
_ALIKE = 0.85
"""How much alike two names must be for one to be taken for a slip of the other; 1 is equal."""

LIMITS = (
    "The rows carry no functions and no database: nothing was replayed, so whether the golden calls run, and whether "
    "they lead where the instruction wants, is not known.",
    "Without a functions.json beside the rows nobody says which functions there are: only a name that stands in one "
    "call alone, and is much like one in common use, is told. With it, names and arguments are checked against it.",
    "Null arguments are taken for padding: one that was meant cannot be told from it.",
    "A leak is a communicated value that stands in the instruction as it is; one in other words is not seen.",
)


def audit_rows(path: Path) -> dict[str, Any]:
    """The report on rows in ToolScale's published columns: counts by check, failures with row ids, and the limits.

    Raises:
        UserError: the rows cannot be read.
    """
    read = read_published(path)
    rows = [row for row, _ in read]
    known = _Known(rows, _listed(path))
    failures: list[dict[str, Any]] = [
        {"task_id": row["id"], "check": "form", "reasons": wrong} for row, wrong in read if wrong
    ]
    for row in rows:
        for name, check in CHECKS.items():
            if reasons := list(check(row, known)):
                failures.append({"task_id": row["id"], "check": name, "reasons": reasons})
    failed = {name: {each["task_id"] for each in failures if each["check"] == name} for name in ("form", *CHECKS)}
    everything = set().union(*failed.values())
    return {
        "rows": len(rows),
        "passed": sum(row["id"] not in everything for row in rows),
        "domains": dict(Counter(_domain(row) for row in rows)),
        "checks": {name: _counted(name, rows, failed[name]) for name in failed},
        "failures": failures,
        "limits": list(LIMITS),
    }


def _counted(name: str, rows: list[PublishedRow], failed: set[str]) -> dict[str, int]:
    """A check that has nothing to look at in a row counts it neither as passed nor as failed."""
    relevant = [row for row in rows if row["id"] in failed or _has_something(name, row)]
    wrong = sum(row["id"] in failed for row in relevant)
    return {"passed": len(relevant) - wrong, "failed": wrong}


def _has_something(name: str, row: PublishedRow) -> bool:
    if name in ("known_functions", "known_parameters", "no_hand_over"):
        return bool(_actions(row))
    if name == "no_leak":
        return bool(_facts(row))
    return True


def _listed(path: Path) -> dict[str, FunctionSpec] | None:
    """The functions that a functions.json beside the rows lists; None where there is none."""
    file = (path if path.is_dir() else path.parent) / "functions.json"
    return {function.name: function for function in read_functions(file)} if file.is_file() else None


class _Known:
    """What the rows together say about each other: functions and parameters in use, and instructions that recur."""

    def __init__(self, rows: list[PublishedRow], listed: Mapping[str, FunctionSpec] | None) -> None:
        self.listed = listed
        self.ids = Counter(row["id"] for row in rows)
        self.functions: dict[str, Counter[str]] = defaultdict(Counter)
        self.parameters: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        self.instructions: dict[str, list[str]] = defaultdict(list)
        for row in rows:
            self.instructions[_folded(_instruction(row))].append(row["id"])
            for action in _actions(row):
                self.functions[_domain(row)][action["name"]] += 1
                self.parameters[_domain(row), action["name"]].update(action["arguments"].keys())


def _actions(row: PublishedRow) -> list[dict[str, Any]]:
    actions: list[dict[str, Any]] = row["evaluation_criteria"]["actions"]
    return actions


def _facts(row: PublishedRow) -> list[str]:
    facts = row["evaluation_criteria"].get("communicate_info")
    return [fact for fact in facts if isinstance(fact, str)] if isinstance(facts, list) else []


def _said(row: PublishedRow) -> Mapping[str, Any]:
    scenario = row["user_scenario"] if isinstance(row["user_scenario"], dict) else {}
    said = scenario.get("instructions")
    return said if isinstance(said, dict) else {"reason_for_call": str(said or "")}


def _domain(row: PublishedRow) -> str:
    return str(_said(row).get("domain") or "")


def _instruction(row: PublishedRow) -> str:
    said = _said(row)
    fields = (name for name in Instructions.model_fields if name != "domain")
    return "\n".join(str(said[name]) for name in fields if said.get(name))


def _folded(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def _one_id(row: PublishedRow, known: _Known) -> Iterator[str]:
    if known.ids[row["id"]] > 1:
        yield f"{known.ids[row['id']]} rows have this id"


def _has_golden_calls(row: PublishedRow, known: _Known) -> Iterator[str]:
    if not _actions(row):
        yield "no golden calls: an agent that does nothing leaves the right state"


def _has_instruction(row: PublishedRow, known: _Known) -> Iterator[str]:
    if not _folded(_instruction(row)):
        yield "no instruction"


def _known_functions(row: PublishedRow, known: _Known) -> Iterator[str]:
    for position, action in enumerate(_actions(row)):
        name = action["name"]
        if known.listed is not None and name not in known.listed:
            yield f"actions[{position}]: functions.json lists no function `{name}`"
        elif known.listed is None and (meant := _misspelt(name, known.functions[_domain(row)])):
            yield f"actions[{position}]: `{name}` is called here alone, and much like `{meant}`, which others call"


def _known_parameters(row: PublishedRow, known: _Known) -> Iterator[str]:
    for position, action in enumerate(_actions(row)):
        name, arguments = action["name"], action["arguments"]
        if known.listed is not None:
            schema = known.listed[name].parameters if name in known.listed else {}
            faults = list(_argument_faults(arguments, schema))
            yield from (f"actions[{position}] `{name}`: {fault}" for fault in faults)
            continue
        for parameter in arguments:
            if meant := _misspelt(parameter, known.parameters[_domain(row), name]):
                yield f"actions[{position}] `{name}`: `{parameter}` stands here alone, and is much like `{meant}`"


def _argument_faults(arguments: dict[str, Any], schema: Mapping[str, Any]) -> Iterator[str]:
    """What the parameters' schema has against arguments; a parameter that it does not name is a fault."""
    from jsonschema import Draft202012Validator

    if refers_elsewhere(schema):
        return  # a validator would go and fetch what a `$ref` points to
    closed = {"additionalProperties": False, **schema}
    yield from (" ".join(error.message.split()) for error in Draft202012Validator(closed).iter_errors(arguments))


def _misspelt(name: str, used: Counter[str]) -> str | None:
    """The name in common use that a name is much like that is used once."""
    if used[name] != 1:
        return None
    common = [other for other, times in used.items() if times >= _COMMON]
    return next(iter(get_close_matches(name, common, n=1, cutoff=_ALIKE)), None)


def _no_leak(row: PublishedRow, known: _Known) -> Iterator[str]:
    instruction = _instruction(row)
    for fact in _facts(row):
        if is_said(fact_of(fact), instruction):
            yield f"the instruction says {fact!r}, which is to be found out"


def _no_annotation(row: PublishedRow, known: _Known) -> Iterator[str]:
    """A note of whoever made the row, in what the user says or in what a call passes."""
    arguments = [action["arguments"] for action in _actions(row)]
    for text in (_instruction(row), *_facts(row), *_texts(arguments)):
        if found := _ANNOTATION.search(text):
            yield f"a maker's note is left in: {text[max(0, found.start() - 40) : found.end() + 40]!r}"


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)


def _no_hand_over(row: PublishedRow, known: _Known) -> Iterator[str]:
    """Golden calls that end in a hand-over with a free text, which nothing can check."""
    if (actions := _actions(row)) and _HAND_OVER.search(actions[-1]["name"]):
        alone = " and do nothing else" if len(actions) == 1 else ""
        yield f"the golden calls end in `{actions[-1]['name']}`{alone}: its free text cannot be checked"


def _distinct(row: PublishedRow, known: _Known) -> Iterator[str]:
    alike = known.instructions[_folded(_instruction(row))]
    if len(alike) > 1 and _folded(_instruction(row)):
        others = [each for each in alike if each != row["id"]]
        yield f"the same instruction as {', '.join(others[:5]) or 'another row of this id'}"


CHECKS: Mapping[str, Callable[[PublishedRow, _Known], Iterator[str]]] = {
    "one_id": _one_id,
    "instruction": _has_instruction,
    "golden_calls": _has_golden_calls,
    "known_functions": _known_functions,
    "known_parameters": _known_parameters,
    "no_leak": _no_leak,
    "no_annotation": _no_annotation,
    "no_hand_over": _no_hand_over,
    "distinct": _distinct,
}
"""Check -> what it has against a row, nothing where the row passes."""
