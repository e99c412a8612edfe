"""`python -m trainer.orchestrator_demo`: SmolLM2-135M learns when to ask, and whom, on two cores.

The same code as every training: the preset `orchestrate-smollm2-cpu`, on tasks and a checkpoint that are made here,
with simulated experts behind HTTP. With `--config` and `--set model.path=` it is any preset and any model.
"""

import asyncio
import shutil
import time
from pathlib import Path
from typing import Annotated

import typer

from trainer.config import Config
from trainer.demo.experts import experts_at
from trainer.demo.running import as_demo, make_model, own_model, run
from trainer.demo.screen import aside
from trainer.orchestrator_demo.dataset import EXPERTS, mix_of, write_claims
from trainer.orchestrator_demo.screen import OrchestratorScreen
from trainer.output.metrics import read_metrics
from trainer.settings_file import changes_from

PRESET = Path("orchestrate-smollm2-cpu")


def demo(
    seed: Annotated[int, typer.Option(min=0, help="Another seed, another training.")] = 0,
    out: Annotated[
        Path, typer.Option(help="Where everything goes; a second run takes model and tasks from there.")
    ] = Path("runs/orchestrate-demo"),
    config: Annotated[Path, typer.Option(help="Other settings: a preset, or a YAML file.")] = PRESET,
    changes: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A setting on top, such as steps=10.")
    ] = None,
) -> None:
    """Warm start on lessons that hint at the best way, GRPO on M . P, and held-out claims before and after."""
    began = time.monotonic()
    claims, training, catalogue = out / "claims", out / "training", out / "catalogue.toml"
    given = {
        "model.path": str(own_model(out)),
        "tools.catalogue": str(catalogue),
        "tools.domain_tasks": True,
        "data.mix": mix_of(claims),
        "seed": seed,
    }
    settings = Config.read(config, given | changes_from(changes or []))
    as_demo(out, settings, TOOLSCALE_DATA_ROOT=str(out / "data"))
    # What experts answer is part of the tasks, so it hangs on their seed, not on the training's.
    with aside(out / "training.log") as terminal, experts_at(catalogue, 0, EXPERTS):
        screen = OrchestratorScreen(terminal)
        screen.title(settings)
        make_model(out, settings, screen)
        if not claims.exists():
            with screen.timed("the tasks of a claims desk, each through the gates"):
                write_claims(claims, catalogue)
        from trainer.grpo import train
        from trainer.model.tokenizer import open_tokenizer
        from trainer.orchestrator_demo.report import Report, write_report
        from trainer.orchestrator_demo.yardstick import measure
        from trainer.output.folder import TrainingFolder
        from trainer.rollout.attempts import read_attempts
        from trainer.rollout.chat import Chat
        from trainer.tasks.data import read_exercises

        # The demo's own, from an earlier run.
        shutil.rmtree(training, ignore_errors=True)
        result = train(settings, None, training, hear=screen.hear)
        exercises = read_exercises(None, settings.data, settings.seed, settings.tools)
        yardstick = asyncio.run(measure(settings, exercises, Chat.of(open_tokenizer(settings.model), settings.model)))
        attempts = TrainingFolder(training).attempts
        before, after = (read_attempts(attempts, step) for step in (0, result.steps))
        report = Report.of(settings, yardstick, before, after, read_metrics(training), time.monotonic() - began)
        write_report(report, out)
        screen.told(report, out / "report.html")


if __name__ == "__main__":
    run(demo, "trainer.orchestrator_demo")
