"""`python -m trainer.demo`: SmolLM2-135M learns to use tools, on two cores, in ten to fifteen minutes.

The same code as every training: the preset `smollm2-cpu`, on a dataset and a checkpoint that are made here.
"""

import shutil
import time
from pathlib import Path
from typing import Annotated

import typer

from trainer.config import Config
from trainer.demo.report import Report, write_report
from trainer.demo.running import as_demo, make_model, own_model, run
from trainer.demo.screen import Screen, aside
from trainer.output.metrics import read_metrics
from trainer.settings_file import changes_from

PRESET = Path("smollm2-cpu")


def demo(
    seed: Annotated[int, typer.Option(min=0, help="Another seed, another training.")] = 0,
    out: Annotated[
        Path, typer.Option(help="Where everything goes; a second run takes model and dataset from there.")
    ] = Path("runs/train-demo"),
    config: Annotated[Path, typer.Option(help="Other settings: a YAML file.")] = PRESET,
    changes: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A setting on top, such as steps=10.")
    ] = None,
) -> None:
    """Warm start, GRPO with real vLLM rollouts, and the pass rate on held-out tasks before and after."""
    began = time.monotonic()
    model, dataset, training = own_model(out), out / "dataset", out / "training"
    settings = Config.read(
        config, {"model.path": str(model), "evaluation.untrained": True, "seed": seed} | changes_from(changes or [])
    )
    as_demo(out, settings)
    with aside(out / "training.log") as terminal:
        screen = Screen(terminal)
        screen.title(settings)
        make_model(out, settings, screen)
        if not dataset.exists():
            from trainer.demo.dataset import write_demo_dataset

            with screen.timed("the tasks of a parcel shop, each through the gates"):
                write_demo_dataset(dataset)
        from trainer.grpo import train

        # The demo's own, from an earlier run.
        shutil.rmtree(training, ignore_errors=True)
        result = train(settings, dataset, training, hear=screen.hear)
        report = Report.of(settings, result, read_metrics(training), time.monotonic() - began)
        write_report(report, out)
        screen.end(report, out)


if __name__ == "__main__":
    run(demo, "trainer.demo")
