"""`python -m trainer.route_demo`: SmolLM2-135M learns whom to ask, on a laptop's two cores, in minutes.

The same code as every training: the preset `route-smollm2-cpu`, on a quiz and a checkpoint that are made here, with
simulated experts behind HTTP.
"""

import shutil
import time
from pathlib import Path
from typing import Annotated

import typer

from toolscale.catalogue.catalogue import read_tools
from toolscale.mock_endpoint.experts.expert import read_experts
from trainer.config import Config
from trainer.demo.experts import experts_at
from trainer.demo.running import as_demo, make_model, own_model, run
from trainer.demo.screen import aside
from trainer.output.metrics import read_metrics
from trainer.route_demo.dataset import places_of, write_quiz
from trainer.route_demo.screen import RouteScreen
from trainer.settings_file import changes_from

PRESET = Path("route-smollm2-cpu")


def demo(
    seed: Annotated[int, typer.Option(min=0, help="Another seed: other questions, another training.")] = 0,
    prefer: Annotated[str | None, typer.Option(help="Train for a user who prefers this tool, not a low cost.")] = None,
    out: Annotated[Path, typer.Option(help="Where everything goes.")] = Path("runs/route-demo"),
    config: Annotated[Path, typer.Option(help="Other settings: a YAML file.")] = PRESET,
    changes: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A setting on top, such as steps=10.")
    ] = None,
) -> None:
    """Warm start on lessons that route by a coin, GRPO on what answers cost, and the routing before and after."""
    began = time.monotonic()
    suffix = f"-{prefer}" if prefer else ""
    model, quiz, training = own_model(out), out / f"quiz{suffix}", out / f"training{suffix}"
    catalogue = out / "catalogue.toml"
    given = {
        "model.path": str(model),
        "tools.catalogue": str(catalogue),
        "data.mix": [{"dataset": str(place)} for place in places_of(quiz)],
        "seed": seed,
    }
    settings = Config.read(config, given | changes_from(changes or []))
    as_demo(out, settings, TOOLSCALE_DATA_ROOT=str(out / "data"))
    with aside(out / f"training{suffix}.log") as terminal, experts_at(catalogue, seed):
        screen = RouteScreen(terminal)
        screen.title(settings)
        make_model(out, settings, screen)
        from trainer.grpo import train
        from trainer.route_demo.report import Report, write_report

        write_quiz(
            quiz,
            read_tools(str(catalogue)),
            read_experts(),
            instructions=settings.tools.instructions,
            prefer=prefer,
            seed=seed,
        )
        # The demo's own, from an earlier run.
        shutil.rmtree(training, ignore_errors=True)
        result = train(settings, None, training, hear=screen.hear)
        report = Report.of(settings, result, read_metrics(training), time.monotonic() - began, prefer)
        write_report(report, out, f"report{suffix}")
        screen.summary(report, out / f"report{suffix}.html")


if __name__ == "__main__":
    run(demo, "trainer.route_demo")
