"""Options that commands share; and those of a run for one domain, which `synthesize` makes and `estimate` foretells."""

from collections.abc import Callable
from inspect import Parameter
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from toolscale.cli.flags import Chosen, flag, option, takes

if TYPE_CHECKING:
    from pipelines.factory import Factory
    from toolscale.artifacts import Domain

DomainName = Annotated[
    str, typer.Argument(metavar="DOMAIN", help="The domain's name, such as car_rental, or 'Car rental'.")
]
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


def out(usual: str) -> Parameter:
    """The option `--out`, for a command whose datasets usually go to this folder of the data root."""
    told = f"Where the dataset goes; by default `{usual}` in the data root."
    return option("dataset", "--out", metavar="<path>", help=told)


_OF_ONE_DOMAIN = (
    option("model"),
    option("roles", "--role", help="Another model for one role; may be repeated."),
    option("api_base"),
    option("tasks_per_domain", "--tasks"),
    option("keep"),
    option("pass_rate"),
    option("golden_calls"),
    out("datasets/DOMAIN"),
    option("seed"),
    option("max_cost"),
    option("max_calls"),
)


class Ordered(NamedTuple):
    """What the options of a run for one domain ask for."""

    domain: "Domain"
    factory: "Factory"
    preview: bool
    as_json: bool


def of_a_run(command: Callable[[Ordered], None]) -> Callable[..., None]:
    """The command as typer is to see it: with the options of a run for one domain as its parameters."""

    @takes(*_OF_ONE_DOMAIN)
    def with_options(
        domain: DomainName,
        description: DomainDescription = "",
        *,
        chosen: Chosen,
        preview: Preview = False,
        as_json: AsJson = False,
    ) -> None:
        described, factory = _ordered(domain, description, chosen)
        command(Ordered(described, factory, preview, as_json))

    with_options.__name__, with_options.__doc__ = command.__name__, command.__doc__
    return with_options


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
