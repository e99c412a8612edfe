"""The page itself: which steps are on it, and how it is written."""

import base64
import hashlib
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path

import jinja2
from markupsafe import Markup

from toolscale.packed import packed
from toolscale.whole import writing
from trainer.config import Config
from trainer.output.metrics import MetricsRecord
from trainer.report.blocks import StepBlocks
from trainer.report.curves import drawn

_HERE = Path(__file__).parent
PAGE_BYTES = 32 * 2**20
"""Of all rollouts on a page. A browser opens that in a second or two."""


def spread_out(sizes: Mapping[int, int], room: int = PAGE_BYTES) -> list[int]:
    """The steps to show: all where they fit, else each second, fourth and so on, with the first and the newest.

    What is left out once is not asked for again as a training goes on, the newest aside.
    """
    steps, stride = sorted(sizes), 1
    while True:
        chosen = [step for step in steps if step % stride == 0 or step in (steps[0], steps[-1])]
        if len(chosen) <= 2 or sum(sizes[step] for step in chosen) <= room:
            return chosen
        stride *= 2


def write_page(
    file: Path, config: Config, lines: Sequence[MetricsRecord], shown: Sequence[StepBlocks], written: Sequence[int]
) -> None:
    """Write the page, whole or not at all.

    Args:
        file: takes the place of what was there.
        config: the training's.
        lines: its metrics.
        shown: the steps on the page, in order.
        written: all steps that have a file of rollouts.

    Raises:
        UserError: the disk refuses it.
    """
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    script = (_HERE / "viewer.js").read_text(encoding="utf-8")
    curves = drawn(lines)
    index = {
        "steps": [{"step": each.step, "groups": each.groups, "whole": sorted(each.blocks)} for each in shown],
        "curves": [curve.values for curve in curves],
    }
    page = environment.from_string((_HERE / "report.html.j2").read_text(encoding="utf-8")).render(
        name="/".join(file.parent.resolve().parts[-2:]),
        config=config,
        done=max((line["step"] for line in lines if line["kind"] == "train"), default=0),
        curves=curves,
        index=packed(index),
        shown=shown,
        missing=len(written) - len(shown),
        style=Markup((_HERE / "viewer.css").read_text(encoding="utf-8")),
        script=Markup(script),
        script_hash=base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii"),
    )
    # A name of its own: a training and `trainer report` may write the page at one time, on two machines even.
    beside = file.with_name(f".{file.name}-{secrets.token_hex(8)}")
    with writing(file):
        try:
            beside.write_text(page, encoding="utf-8")
            beside.replace(file)
        finally:
            beside.unlink(missing_ok=True)
