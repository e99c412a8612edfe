"""`python -m trainer`: train, sft, evaluate, report, export, plan. For several devices: `torchrun ... -m trainer`."""

import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from toolscale.errors import UserError
from toolscale.printable import in_one_line
from toolscale.terminal import say, say_text
from trainer.config import Config
from trainer.installed import its_packages
from trainer.output.metrics import tell_dagster
from trainer.settings_file import changes_from
from trainer.threads import take_turns

app = typer.Typer(
    name="trainer",
    help="GRPO and PPO on the factory's tasks: rollouts in its environments, verdicts of its checkers as rewards.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _folder(text: str) -> Path:
    """A folder as it is typed; nothing, as of a shell's variable that is not set, would be the one that one is in."""
    if not text.strip():
        raise typer.BadParameter("is empty: name a folder")
    return Path(text)


Preset = Annotated[Path, typer.Option("--config", help="A YAML file, or a preset of trainer/presets by its name.")]
Dataset = Annotated[
    Path | None,
    typer.Option(
        parser=_folder, metavar="<path>", help="A folder of domain tasks, questions or steps; else data.mix names them."
    ),
]
Out = Annotated[
    Path,
    typer.Option(
        parser=_folder, metavar="<path>", help="Folder of the training: metrics, checkpoints, and at the end the model."
    ),
]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A setting on top, such as steps=50. Repeatable."),
]


@app.command()
def train(
    config: Preset,
    out: Out,
    dataset: Dataset = None,
    changes: Changes = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on exactly where the training in --out stands.")] = False,
) -> None:
    """Warm start where configured, then GRPO or PPO; evaluates before, in between and after, and writes the model."""
    settings = Config.read(config, changes_from(changes or []))
    tell_dagster({"trains": settings.model.path})
    from trainer.grpo import train as run

    result = run(settings, dataset, out, resume=resume)
    if os.environ.get("RANK", "0") == "0":
        page = out / "report.html"
        report = f"the report at {page}" if page.is_file() else f"and `trainer report {out}` makes its report"
        say(f"finished after {result.steps} steps: the model lies at {result.model}, {report}")


@app.command()
def sft(config: Preset, out: Out, dataset: Dataset = None, changes: Changes = None) -> None:
    """Supervised fine-tuning alone, on the dataset's successful trajectories or golden steps."""
    settings = Config.read(config, changes_from(changes or []))
    from trainer.runs import fine_tune

    fine_tune(settings, dataset, out)


@app.command()
def evaluate(
    config: Preset,
    dataset: Dataset = None,
    changes: Changes = None,
    model: Annotated[str, typer.Option(help="Another checkpoint than the configuration's.")] = "",
) -> None:
    """Pass@1 (and pass@k) of a checkpoint on the held-out tasks; prints JSON."""
    chosen = {"model.path": model} if model else {}
    settings = Config.read(config, changes_from(changes or []) | chosen)
    from trainer.runs import evaluate_checkpoint

    evaluate_checkpoint(settings, dataset)


@app.command()
def plan(
    config: Preset,
    changes: Changes = None,
    gpus: Annotated[int, typer.Option(min=1, max=4096, help="Devices that the weights are sharded over.")] = 1,
) -> None:
    """Memory on each device, and room on disk, or what `train` would refuse. Needs no weights."""
    settings = Config.read(config, changes_from(changes or []))
    from trainer.checks import check_settings
    from trainer.memory.plan import plan as made
    from trainer.memory.shape import read_shape
    from trainer.memory.storage import storage
    from trainer.memory.storage import told as told_of_storage
    from trainer.memory.verdict import lines

    check_settings(settings, read_shape(settings.model))
    for line in lines(settings, made(settings, gpus)):
        say_text(line)
    say_text(f"\n{told_of_storage(storage(settings))}")


@app.command()
def report(
    run: Annotated[Path, typer.Argument(help="The folder of a training, finished or under way.")],
    steps: Annotated[
        str,
        typer.Option(help="The steps whose rollouts it shows, such as 7 or 40-50; else what a browser opens at once."),
    ] = "",
) -> None:
    """Make report.html: curves, and every rollout with its conversation, verdict, reward and tokens."""
    from trainer.report.making import make_report

    say(str(make_report(run, steps)))


@app.command()
def export(
    run: Annotated[Path, typer.Argument(help="The folder of a training, finished or under way.")],
    to: Annotated[Path, typer.Option(help="A new folder for the model, which transformers and vLLM load.")],
    step: Annotated[int | None, typer.Option(min=0, help="The checkpoint's step; else the newest.")] = None,
    adapter: Annotated[bool, typer.Option("--adapter", help="The adapter alone, not merged into the model.")] = False,
) -> None:
    """Write the policy of a checkpoint as a model."""
    from trainer.output.checkpoint_export import export_checkpoint

    say(f"{export_checkpoint(run, to, step, adapter=adapter)} is a model in {to}")


def main() -> None:
    """Run the command line; a user's mistake is one line on standard error and exit status 2."""
    take_turns()
    with _dagster():
        status = _status()
    if status and int(os.environ.get("WORLD_SIZE", "1")) > 1:
        # At once: the other processes may wait for this one in a collective until torchrun ends them.
        sys.stderr.flush()
        os._exit(status)
    sys.exit(status)


def _status() -> int:
    """Run the command and say how the process shall end."""
    try:
        with its_packages():
            app()
    except UserError as error:
        line = in_one_line(str(error))
        say(f"trainer: {line}", error=True)
        tell_dagster({"error": line})
        return 2
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else 1
    except Exception:
        say_text(traceback.format_exc().rstrip(), error=True)
        return 1
    return 0


@contextmanager
def _dagster() -> Iterator[None]:
    """The channel to the Dagster run that started this process, if one did; one process of many has it."""
    if "DAGSTER_PIPES_CONTEXT" not in os.environ:
        yield
    elif os.environ.get("RANK", "0") != "0":
        del os.environ["DAGSTER_PIPES_CONTEXT"]
        yield
    else:
        from dagster_pipes import open_dagster_pipes

        with open_dagster_pipes():
            yield


if __name__ == "__main__":
    main()
