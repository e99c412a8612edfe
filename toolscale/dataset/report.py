"""`toolscale report`: a dataset as one HTML page, with some tasks for a person to judge.

The page needs neither network nor JavaScript. All text in it came from models and is escaped; should anything slip
through, the page's own policy lets no script run and nothing load.
"""

import base64
import json
import random
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape

from toolscale.artifacts import CallOutcome, Task
from toolscale.dataset import by_model, diversity, shape, summary
from toolscale.dataset.contents import Contents, read_contents
from toolscale.dataset.folder import Placed, read_placed
from toolscale.dataset.licence import LICENCE
from toolscale.dataset.plots import PLOTS, plots
from toolscale.environment import ABSENT, EntryChange, Sandbox
from toolscale.errors import UserError

SHOWN = 20
"""Tasks on the page, unless said otherwise."""

_TEMPLATE = Path(__file__).with_name("report.html.j2")
_LONGEST = 600


@dataclass(frozen=True)
class Shown:
    """A task as the page shows it: with what its golden calls gave and changed."""

    task: Task
    split: str
    calls: Sequence[tuple[str, str, str]]
    """Name, arguments and result of each golden call."""
    changes: Sequence[tuple[str, str, str]]
    """What the golden calls left otherwise: `added`, `removed` or `changed`; where; and from what to what."""

    @property
    def said(self) -> list[tuple[str, str]]:
        """The parts of what the user says, with their names."""
        if self.task.user_scenario is None:
            return []
        parts = self.task.user_scenario.instructions.model_dump(exclude={"domain"})
        return [(name.replace("_", " "), text) for name, text in parts.items() if text]

    @property
    def solved(self) -> str:
        """How many attempts solved it."""
        return f"{sum(attempt.verdict.solved for attempt in self.task.attempts)} of {len(self.task.attempts)}"


def write_report(folder: Path, out: Path, *, seed: int = 0, tasks: int = SHOWN) -> int:
    """Write the page for a dataset folder; returns how many tasks it shows. The seed draws them.

    Raises:
        UserError: the folder is no dataset of ours, or the page cannot be written there.
    """
    if out.is_dir() or not out.parent.is_dir():
        raise UserError(f"{out}: no file can be written there; give --out a file name in a folder that exists")
    with read_contents(folder) as contents:
        shown = _replayed(read_placed(folder, _drawn(contents, seed, tasks)))
        page = (
            _environment()
            .from_string(_TEMPLATE.read_text(encoding="utf-8"))
            .render(
                summary=summary,
                shape=shape,
                diversity=diversity,
                how_measured=by_model.HOW_MEASURED,
                by_model=by_model.by_model(contents),
                contents=contents,
                limits=[*([summary.OF_THE_OFFLINE_MODEL] if contents.about.offline else []), *summary.LIMITS],
                plots={name: base64.b64encode(png).decode() for name, png in plots(contents).items()},
                captions=PLOTS,
                shown=shown,
                seed=seed,
                licence=LICENCE,
            )
        )
    out.write_text(page, encoding="utf-8", errors="backslashreplace")
    return len(shown)


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["coded"] = _coded
    return environment


def _coded(text: str) -> Markup:
    """What stands in backquotes as code; all of it escaped."""
    parts = text.split("`")
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if position % 2 else escape(part) for position, part in enumerate(parts)
    )


def _drawn(contents: Contents, seed: int, count: int) -> list[str]:
    ids = [name for (name,) in contents.tables.rows("select id from tasks order by id")]
    return random.Random(seed).sample(ids, min(count, len(ids)))


def _replayed(drawn: Sequence[Placed]) -> list[Shown]:
    shown = []
    with ExitStack() as stack:
        # By identity: tasks of one environment share one object.
        sandboxes = {
            id(spec): stack.enter_context(Sandbox(spec))
            for spec in {id(one.environment): one.environment for one in drawn}.values()
        }
        for one in drawn:
            replay = sandboxes[id(one.environment)].run(one.task.golden_calls)
            shown.append(
                Shown(
                    task=one.task,
                    split=one.split,
                    calls=[_call(outcome) for outcome in replay.outcomes],
                    changes=list(_changes(replay.diff(one.environment))),
                )
            )
    return shown


def _call(outcome: CallOutcome) -> tuple[str, str, str]:
    arguments = ", ".join(f"{name}={_written(value)}" for name, value in outcome.arguments.items())
    result = _written(outcome.result) if outcome.ok else f"{outcome.error_type}: {outcome.error}"
    return outcome.name, arguments, _short(result)


def _changes(changes: Sequence[EntryChange]) -> Iterator[tuple[str, str, str]]:
    for change in changes:
        entry = f"{change.table}/{change.key}" if change.key else change.table
        for field in change.fields:
            path = ".".join(map(str, field.path))
            before, after = _short(_written(field.before)), _short(_written(field.after))
            value = {"added": after, "removed": before}.get(change.kind, f"{before} \N{RIGHTWARDS ARROW} {after}")
            yield change.kind, f"{entry} {path}".strip(), value


def _written(value: Any) -> str:
    return "nothing" if value is ABSENT else json.dumps(value, ensure_ascii=False)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}\N{HORIZONTAL ELLIPSIS}"
