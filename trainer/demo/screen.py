"""What the demo says while it runs; everything else that is printed goes to a file."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from rich.text import Text

from toolscale.console import console
from trainer.config import Config
from trainer.output.metrics import MetricsRecord

if TYPE_CHECKING:
    from trainer.demo.report import Report

_WIDTH = 24


@contextmanager
def aside(log: Path) -> Iterator[TextIO]:
    """Send what this process and its children print to `log`, and yield the terminal itself.

    vLLM's processes write to the descriptors directly, so these are what has to change. They stay so where the block
    ends well: what libraries find to say at the interpreter's end belongs to the log too.
    """
    terminal = os.fdopen(os.dup(1), "w")
    kept = [os.dup(descriptor) for descriptor in (1, 2)]
    try:
        with log.open("w") as file:
            for descriptor in (1, 2):
                os.dup2(file.fileno(), descriptor)
        yield terminal
    except BaseException:
        terminal.write(f"It did not end well; what was said is in {log}\n")
        for descriptor, original in zip((1, 2), kept, strict=True):
            os.dup2(original, descriptor)
        raise
    finally:
        terminal.close()
        for original in kept:
            os.close(original)


class Screen:
    """The demo's lines on a terminal."""

    def __init__(self, terminal: TextIO) -> None:
        self._console = console(terminal)

    def say(self, *parts: str | tuple[str, str]) -> None:
        """A line of texts, some with a style."""
        self._console.print(Text.assemble(*parts))

    def title(self, config: Config) -> None:
        """What is going to happen."""
        algorithm = config.algorithm
        self.say(("A small language model learns to use tools", "bold"), " (SmolLM2-135M; ten to fifteen minutes)")
        how = (
            f"{config.steps} steps of GRPO; each plays {algorithm.tasks_per_step} tasks "
            f"{algorithm.rollouts_per_task} times with vLLM, seed {config.seed}, in {config.model.dtype}\n"
        )
        self.say((how, "dim"))

    @contextmanager
    def timed(self, what: str) -> Iterator[None]:
        """A line for something that is made, when it is done."""
        began = time.monotonic()
        yield
        self.say(("made", "green"), f"  {what} ", (f"({time.monotonic() - began:.0f} s)", "dim"))

    def hear(self, line: MetricsRecord) -> None:
        """A line of the training's metrics."""
        {"sft": self._lesson, "train": self._step, "evaluation": self._evaluation}[line["kind"]](line)

    def end(self, report: "Report", out: Path) -> None:
        """What came of it."""
        before, after = report.before["pass_rate"], report.after["pass_rate"]
        self.say(
            (f"\nGRPO took the pass rate on held-out tasks from {before:.0%} to {after:.0%}", "bold"),
            f" in {report.seconds / 60:.1f} minutes, {report.trajectories_per_second:.2f} trajectories a second",
        )
        self.say(f"curves: {out / 'report.html'}   figures: {out / 'report.json'}")
        self.say(f"the model, for transformers or vLLM: {out / 'training' / 'model'}")

    def _lesson(self, line: MetricsRecord) -> None:
        self.say(("warm start", "cyan"), f" {line['step']:>3}   loss {line['loss']:.3f}")

    def _step(self, line: MetricsRecord) -> None:
        full = round(line["solved"] * _WIDTH)
        divergence = f"  mismatch KL {line['mismatch_kl']:.4f}" if line.get("mismatch_kl") is not None else ""
        self.say(
            ("GRPO", "cyan"),
            f" {line['step']:>3}   solved ",
            ("█" * full, "green"),
            ("░" * (_WIDTH - full), "dim"),
            f" {line['solved']:>4.0%}",
            (f"{divergence}  {line['seconds']['step']:.1f} s", "dim"),
        )

    def _evaluation(self, line: MetricsRecord) -> None:
        which = {-1: "as it came", 0: "before GRPO"}.get(line["step"], f"after {line['step']} steps")
        interval = f"95% interval {line['low']:.0%} to {line['high']:.0%}; {sum(line['seconds'].values()):.0f} s"
        self.say(
            ("held out", "bold"),
            f", {which}: {line['solved']:.0f} of {line['tasks']:.0f} tasks, {line['pass_rate']:.0%} ",
            (f"({interval})", "dim"),
        )
