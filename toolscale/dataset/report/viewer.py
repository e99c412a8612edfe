"""Tasks as the page's script shows them: golden calls, what they change, and the attempts beside them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toolscale.artifacts import CallOutcome
from toolscale.dataset.report.figures import MOST_SAID
from toolscale.dataset.report.replayed import Replayed, Tried
from toolscale.environment import ABSENT, EntryChange
from toolscale.packed import packed
from toolscale.printable import in_one_line, printable

_LONGEST_VALUE, _LONGEST_MESSAGE = 600, 4000
_IN_A_BLOCK = 10
"""Tasks that are packed, and opened by the browser, at once."""


def listed(replayed: Sequence[Replayed]) -> list[dict[str, Any]]:
    """The tasks for the list, and for its filters."""
    return [
        {
            "id": printable(one.task.id),
            "domain": one.task.domain,
            "split": one.split,
            "intent": in_one_line(one.task.intent or "No intent"),
            "says": _said_in_short(one),
            "depth": one.task.lineage.depth,
            "calls": len(one.task.golden_calls),
            "solved": sum(attempt.verdict.solved for attempt in one.task.attempts),
            "attempts": len(one.task.attempts),
            "reaches": [
                [call.name, sorted(rules)] for call, rules in zip(one.task.golden_calls, one.in_play, strict=True)
            ],
        }
        for one in replayed
    ]


def blocks(replayed: Sequence[Replayed]) -> Iterator[str]:
    """All about the tasks, packed, some at a time."""
    for start in range(0, len(replayed), _IN_A_BLOCK):
        yield packed([_told(one) for one in replayed[start : start + _IN_A_BLOCK]])


def _said_in_short(one: Replayed) -> str:
    scenario = one.task.user_scenario
    said = scenario.instructions.reason_for_call if scenario else ""
    return in_one_line(said[: 4 * MOST_SAID])[:MOST_SAID]


def _told(one: Replayed) -> dict[str, Any]:
    task, scenario = one.task, one.task.user_scenario
    parts = scenario.instructions.model_dump(exclude={"domain"}) if scenario else {}
    return {
        "persona": printable(scenario.persona or "") if scenario else "",
        "said": [[name.replace("_", " "), printable(text)] for name, text in parts.items() if text],
        "added": printable(task.lineage.added or ""),
        "difficulty": task.difficulty,
        "golden": [
            [*_call(outcome), sorted(rules)] for outcome, rules in zip(one.golden.outcomes, one.in_play, strict=True)
        ],
        "changes": list(_changes(one.changes)),
        "facts": [printable(fact) for fact in task.communicate_info],
        "tried": [_attempt(each) for each in one.tried],
    }


def _attempt(tried: Tried) -> dict[str, Any]:
    return {
        "attempt": tried.attempt,
        "solved": tried.solved,
        "reasons": [_short(reason) for reason in tried.reasons],
        "messages": [_message(message) for message in tried.messages if message["role"] != "system"],
        "differences": list(_changes(tried.differences)),
    }


def _message(message: Mapping[str, Any]) -> dict[str, Any]:
    calls = [call["function"] for call in message["tool_calls"] or ()]
    return {
        "role": message["role"],
        "text": _short(message["content"] or "", _LONGEST_MESSAGE if message["role"] != "tool" else _LONGEST_VALUE),
        "calls": [[printable(call["name"]), _short(call["arguments"])] for call in calls],
    }


def _call(outcome: CallOutcome) -> list[str]:
    """Name, arguments and result."""
    arguments = ", ".join(f"{name}={_written(value)}" for name, value in outcome.arguments.items())
    result = _written(outcome.result) if outcome.ok else f"{outcome.error_type}: {outcome.error}"
    return [printable(outcome.name), _short(arguments), _short(result)]


def _changes(changes: Sequence[EntryChange]) -> Iterator[list[str]]:
    """`added`, `removed` or `changed`; where; and from what to what."""
    for change in changes:
        entry = f"{change.table}/{change.key}" if change.key else change.table
        for field in change.fields:
            path = ".".join(map(str, field.path))
            before, after = _short(_written(field.before)), _short(_written(field.after))
            value = {"added": after, "removed": before}.get(change.kind, f"{before} \N{RIGHTWARDS ARROW} {after}")
            yield [change.kind, printable(f"{entry} {path}".strip()), value]


def _written(value: Any) -> str:
    return "nothing" if value is ABSENT else json.dumps(value, ensure_ascii=False)


def _short(text: str, longest: int = _LONGEST_VALUE) -> str:
    return printable(text if len(text) <= longest else f"{text[: longest - 1]}\N{HORIZONTAL ELLIPSIS}")
