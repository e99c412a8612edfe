"""A command's flags for a run are read off the declared options, and only what was typed is chosen."""

from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from toolscale.cli.flags import Chosen, option, takes
from toolscale.run_options import RunOptions

USUAL = {"tasks_per_domain": 85, "evolution_rounds": 1, "least_yield": 0.1}
app, heard = typer.Typer(rich_markup_mode=None), dict[str, Any]()


@app.command()
@takes(*map(option, RunOptions.model_fields))
def command(*, chosen: Chosen) -> None:
    """Hears what was chosen."""
    heard.clear()
    heard.update(chosen)


@pytest.mark.parametrize(
    ("typed", "chosen"),
    [
        ([], {}),
        (["--max-calls", "0", "--seed", "0"], {"max_calls": 0, "seed": 0}),
        (["--hold-out", "zoo, park"], {"hold_out": ["zoo", "park"]}),
        (["--hold-out", "none"], {"hold_out": []}),
        (["--roles", "agent=a/b", "--roles", "judge=c/d=e"], {"roles": {"agent": "a/b", "judge": "c/d=e"}}),
        (["--pass-rate", "0.1:0.8"], {"pass_rate": "0.1:0.8"}),
    ],
    ids=str,
)
def test_only_what_was_typed_is_chosen_and_a_zero_is_a_choice(typed: list[str], chosen: dict[str, Any]) -> None:
    assert CliRunner().invoke(app, typed, catch_exceptions=False).exit_code == 0
    assert heard == USUAL | chosen


@pytest.mark.parametrize(
    "typed", [("--seed", "-1"), ("--keep", "0"), ("--max-cost", "-0.5"), ("--user-mode", "loud")], ids=str
)
def test_what_the_declaration_does_not_allow_is_refused(typed: tuple[str, str]) -> None:
    assert CliRunner().invoke(app, typed).exit_code == 2


def test_every_option_is_described_in_the_words_of_its_declaration() -> None:
    shown = " ".join(CliRunner().invoke(app, ["--help"]).output.split())
    for field in RunOptions.model_fields.values():
        assert field.description
        assert field.description in shown
