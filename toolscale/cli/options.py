"""Options that commands share; and those of a run for one domain, which `synthesize` makes and `estimate` foretells."""

from collections.abc import Callable
from inspect import Parameter
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from toolscale.cli.flags import Chosen, flag, option, takes
from toolscale.errors import UserError

if TYPE_CHECKING:
    from pipelines.factory import Factory
    from toolscale.artifacts import Domain

DomainName = Annotated[
    str, typer.Argument(metavar="DOMAIN", help="The domain's name, such as car_rental, or 'Car rental'.")
]
AllDomains = Annotated[
    bool, typer.Option("--all", help="Every domain that has a file and is switched on, the cheapest unfinished first.")
]
AtOnce = Annotated[int, typer.Option(min=1, help="With --all, domains made at the same time under one budget.")]
DomainDescription = Annotated[
    str, typer.Option(help="What it covers, in a sentence or two; by default what its name or file says.")
]
ApiBase = Annotated[str, flag("api_base")]
MaxCost = Annotated[float | None, flag("max_cost")]
MaxCalls = Annotated[int | None, flag("max_calls")]
Preview = Annotated[
    bool, typer.Option("--preview", help="Make a few tasks through all stages, and say what the rest will cost.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]

BUDGET_SPENT = 3
"""Exit status of a run that its budget ended, or that made fewer tasks than were wanted."""

PASSED_OVER = 4
"""Exit status of a fleet that passed a domain over: it failed, or was stopped early."""

AT_ONCE = 2
"""Domains of a fleet that are made at the same time, unless said otherwise."""


def out(usual: str) -> Parameter:
    """The option `--out`, for a command whose datasets usually go to this folder of the data root, in backquotes."""
    told = f"Where the dataset goes; by default {usual} in the data root."
    return option("dataset", "--out", metavar="<path>", help=told)


INSTANCES = (
    option("catalogue"),
    option(
        "schedules", "--schedule", help="Comma-separated price schedules to draw from; by default those of training."
    ),
    option("preferences", metavar="FILE"),
    option("descriptions", metavar="FILE"),
)
"""What the instances of a dataset's tasks are drawn from."""

_OF_ONE_DOMAIN = (
    option("model"),
    option("roles", "--role", help="Another model for one role; may be repeated."),
    option("api_base"),
    option("tasks_per_domain", "--tasks"),
    option("keep"),
    option("pass_rate"),
    option("golden_calls"),
    option("task_source"),
    out("`datasets/DOMAIN` (`dataset` with --all)"),
    option("seed"),
    *INSTANCES,
    option("max_cost"),
    option("max_calls"),
    option("cost_per_task"),
    option("least_yield"),
    option("release_proposed", "--release-proposed"),
)


class Ordered(NamedTuple):
    """What the options of a run ask for."""

    domain: "Domain | None"
    """None = all."""
    factory: "Factory"
    preview: bool
    at_once: int
    as_json: bool


def of_a_run(command: Callable[[Ordered], None]) -> Callable[..., None]:
    """The command as typer is to see it: with the options of a run for one domain, or for all, as its parameters."""

    @takes(*_OF_ONE_DOMAIN)
    def with_options(
        domain: DomainName = "",
        description: DomainDescription = "",
        every: AllDomains = False,
        at_once: AtOnce = AT_ONCE,
        *,
        chosen: Chosen,
        preview: Preview = False,
        as_json: AsJson = False,
    ) -> None:
        if bool(domain) == every:
            raise UserError("name one domain, or give --all for every domain that has a file")
        if every and (preview or description):
            raise UserError("--preview and --description are of one domain: name it, or leave them out with --all")
        if domain and chosen.get("release_proposed"):
            raise UserError("--release-proposed is of a fleet: give it with --all, or release the domain by its name")
        described, factory = _all(chosen) if every else _ordered(domain, description, chosen)
        command(Ordered(described, factory, preview, at_once, as_json))

    with_options.__name__, with_options.__doc__ = command.__name__, command.__doc__
    return with_options


def _all(chosen: Chosen) -> "tuple[None, Factory]":
    """The settings of a fleet.

    Raises:
        UserError: what was chosen is not possible.
    """
    from pipelines.factory import Factory
    from toolscale.settings import Settings

    return None, Factory.of(Settings.load(), **chosen)


def _ordered(name: str, description: str, chosen: Chosen) -> "tuple[Domain, Factory]":
    """The domain and the settings of the run that these options ask for.

    Raises:
        UserError: what was chosen is not possible.
    """
    from pipelines.domains import named
    from pipelines.factory import Factory
    from toolscale.settings import Settings

    settings = Settings.load()
    described = named(settings.data_root, name, description)
    usual = {"dataset": beside(settings.data_root, f"datasets/{described.name}")}
    return described, Factory.of(settings, **usual | chosen)


def beside(data_root: str, name: str) -> str:
    """Where a dataset goes: in the data root if that is a folder, else in the working directory."""
    return name if "://" in data_root else f"{data_root}/{name}"
