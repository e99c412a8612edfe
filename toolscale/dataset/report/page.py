"""The page itself. It needs no network: charts, library and data are in the file.

Text of models reaches it in two ways: escaped by the template, or packed, and then as text nodes that the page's script
makes. Should anything slip through, the page's own policy runs no other script than its own and lets nothing load.
"""

import base64
import hashlib
import random
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape

from toolscale.dataset import by_model, diversity, shape, summary
from toolscale.dataset.contents import Contents, read_contents
from toolscale.dataset.folder import read_placed
from toolscale.dataset.licence import LICENCE
from toolscale.dataset.plots import PLOTS, plots
from toolscale.dataset.report.compared import Comparison, compared, label
from toolscale.dataset.report.coverage import Coverage, coverage
from toolscale.dataset.report.figures import funnels, in_columns, points
from toolscale.dataset.report.replayed import Replayed, replayed
from toolscale.dataset.report.viewer import blocks, listed
from toolscale.errors import UserError
from toolscale.packed import packed, packed_text
from toolscale.printable import printable
from toolscale.whole import writing

SHOWN = 200
"""Tasks on the page, unless said otherwise."""

_HERE = Path(__file__).parent


def write_report(folder: Path, out: Path, *, seed: int = 0, tasks: int = SHOWN, against: Path | None = None) -> int:
    """Write the page for a dataset folder; returns how many tasks it shows. The seed draws them.

    Args:
        folder: the dataset.
        out: the page.
        seed: draws the tasks that are replayed and shown.
        tasks: how many.
        against: another dataset, to compare it with.

    Raises:
        UserError: a folder is no dataset of ours, or the page cannot be written there.
    """
    if out.is_dir() or not out.parent.is_dir():
        raise UserError(f"{out}: no file can be written there; give --out a file name in a folder that exists")
    with ExitStack() as stack:
        contents = stack.enter_context(read_contents(folder))
        other = stack.enter_context(read_contents(against)) if against else None
        shown = replayed(contents, read_placed(folder, _drawn(contents, seed, tasks)))
        comparison = compared(contents, other, label(folder, against)) if other and against else None
        page = _page(contents, shown, seed, comparison)
    with writing(out):
        out.write_text(page, encoding="utf-8", errors="backslashreplace")
    return len(shown)


def _page(contents: Contents, shown: Sequence[Replayed], seed: int, comparison: Comparison | None) -> str:
    reached = coverage(contents, shown)
    library, script = _plotly(), "\n".join(_read(name) for name in ("report.js", "charts.js", "tasks.js"))
    return (
        _environment()
        .from_string(_read("report.html.j2"))
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
            tiles=_tiles(contents, reached),
            coverage=reached,
            shown=len(shown),
            seed=seed,
            comparison=comparison,
            licence=LICENCE,
            style=Markup(_read("report.css")),
            script=Markup(script),
            script_hashes=[_hash(library), _hash(script)],
            library=packed_text(library),
            data=packed(_data(contents, shown, reached, comparison)),
            blocks=list(blocks(shown)),
        )
    )


def _data(
    contents: Contents, shown: Sequence[Replayed], reached: dict[str, Coverage], comparison: Comparison | None
) -> dict[str, Any]:
    return {
        "funnels": funnels(contents),
        "points": in_columns(points(contents)),
        "coverage": {domain: mine.as_json() for domain, mine in reached.items()},
        "tasks": listed(shown),
        "compared": comparison.curves if comparison else None,
    }


def _tiles(contents: Contents, reached: Mapping[str, Coverage]) -> list[tuple[str, str]]:
    """The figures at the top, with what they are."""
    (row,) = contents.tables.rows(
        "select sum(proposed), count(*) filter (where kept > 0), (select avg(golden_calls) from shape), "
        "(select avg(pass_rate) from shape) from domains"
    )
    proposed, domains, calls, rate = row
    mine = reached.values()
    functions = f"{sum(each.used for each in mine)} of {sum(len(each.functions) for each in mine)}"
    rules = f"{sum(each.tested for each in mine)} of {sum(len(each.sentences) for each in mine)}"
    return [
        (f"{contents.tasks:,}", "tasks"),
        (f"{domains:,}", "domains" if domains != 1 else "domain"),
        (f"{contents.tasks / proposed:.0%}" if proposed else "-", "of what was proposed"),
        ("-" if rate is None else f"{rate:.2f}", "mean pass rate"),
        ("-" if calls is None else f"{calls:.1f}", "golden calls a task"),
        (functions, "functions needed"),
        (rules, "rules put to the test"),
    ]


def _plotly() -> str:
    """The library that draws the charts, as its package has it."""
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs())


def _read(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    """What the page's policy knows a script by."""
    return base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["coded"] = _coded
    return environment


def _coded(text: str) -> Markup:
    """What stands in backquotes as code; all of it escaped."""
    parts = printable(text).split("`")
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if position % 2 else escape(part) for position, part in enumerate(parts)
    )


def _drawn(contents: Contents, seed: int, count: int) -> list[str]:
    ids = [name for (name,) in contents.tables.rows("select id from tasks order by id")]
    return random.Random(seed).sample(ids, min(count, len(ids)))
