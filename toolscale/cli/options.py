"""Options that commands share; and those of a run for one domain, which `synthesize` makes and `estimate` foretells."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

if TYPE_CHECKING:
    from pipelines.factory import Factory
    from toolscale.artifacts import Domain

Name = Annotated[str, typer.Argument(metavar="DOMAIN", help="The domain's name, such as car_rental, or 'Car rental'.")]
Description = Annotated[str, typer.Option(help="What it covers, in a sentence or two; else as its name or file says.")]
Model = Annotated[str, typer.Option(help="litellm's model string, for every role.")]
Role = Annotated[list[str] | None, typer.Option(help="ROLE=MODEL, where a role differs; may be repeated.")]
ApiBase = Annotated[str, typer.Option(help="Base URL of the model's endpoint.")]
Tasks = Annotated[int, typer.Option(min=1, help="First tasks proposed; each is then made harder.")]
Keep = Annotated[
    int | None, typer.Option(min=1, help="Tasks wanted: more are proposed until so many are kept, or the budget ends.")
]
PassRate = Annotated[str, typer.Option(metavar="LOW:HIGH", help="Wanted pass rate with --keep, such as 0.1:0.8.")]
GoldenCalls = Annotated[
    str, typer.Option(metavar="LOW:HIGH", help="Wanted number of golden calls with --keep, such as 4:12.")
]
Out = Annotated[Path | None, typer.Option(help="Where the dataset goes.")]
Seed = Annotated[int | None, typer.Option(min=0, help="The same seed asks the same.")]
MaxCost = Annotated[float | None, typer.Option(min=0, help="Dollars that the run may newly pay.")]
MaxCalls = Annotated[int | None, typer.Option(min=0, help="Calls that the run may newly make.")]
Preview = Annotated[
    bool, typer.Option("--preview", help="A handful of tasks through all stages, and what the rest will cost.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]

TASKS = 85

BUDGET_SPENT = 3
"""Exit status of a run that its budget ended, or that made fewer tasks than were wanted."""


class Ordered(NamedTuple):
    """What the options of a run for one domain ask for."""

    domain: "Domain"
    factory: "Factory"
    preview: bool
    as_json: bool


def of_a_run(command: Callable[[Ordered], None]) -> Callable[..., None]:
    """The command as typer is to see it: with the options of a run for one domain as its parameters."""

    def with_options(
        domain: Name,
        description: Description = "",
        model: Model = "",
        role: Role = None,
        api_base: ApiBase = "",
        tasks: Tasks = TASKS,
        keep: Keep = None,
        pass_rate: PassRate = "",
        golden_calls: GoldenCalls = "",
        out: Out = None,
        seed: Seed = None,
        max_cost: MaxCost = None,
        max_calls: MaxCalls = None,
        preview: Preview = False,
        as_json: AsJson = False,
    ) -> None:
        described, factory = _ordered(
            domain,
            description,
            out,
            role,
            model=model,
            api_base=api_base,
            tasks_per_domain=tasks,
            keep=keep,
            pass_rate=pass_rate or None,
            golden_calls=golden_calls or None,
            seed=seed,
            max_cost=max_cost,
            max_calls=max_calls,
        )
        command(Ordered(described, factory, preview, as_json))

    with_options.__name__, with_options.__doc__ = command.__name__, command.__doc__
    return with_options


def _ordered(
    name: str, description: str, out: Path | None, roles: list[str] | None, **chosen: Any
) -> "tuple[Domain, Factory]":
    """The domain and the settings of the run that these options ask for.

    Raises:
        UserError: what was chosen is not possible.
    """
    from pipelines.domains import named
    from pipelines.factory import Factory, roles_from
    from toolscale.settings import Settings

    settings = Settings.load()
    described = named(settings.data_root, name, description)
    if chosen["seed"] is None:
        del chosen["seed"]
    dataset = str(out or beside(settings.data_root, f"datasets/{described.name}"))
    return described, Factory.of(settings, roles=roles_from(roles or []), dataset=dataset, **chosen)


def beside(data_root: str, name: str) -> str:
    """Where a dataset goes: in the data root if that is a folder, else in the working directory."""
    return name if "://" in data_root else f"{data_root}/{name}"
