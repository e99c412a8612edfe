"""Running the factory."""

import json
from pathlib import Path
from typing import Annotated

import typer


def demo(
    domains: Annotated[str, typer.Option(help="Reference domains, with commas.")] = "railway,restaurant,medicine",
    tasks_per_domain: Annotated[int, typer.Option(min=1, help="First tasks proposed; each is then made harder.")] = 85,
    seed: Annotated[int | None, typer.Option(min=0, help="The same seed gives the same rows.")] = None,
    out: Annotated[Path | None, typer.Option(help="Where the dataset goes; else `demo` in the data root.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """The whole factory on the offline model: no key, no network, no GPU."""
    from pipelines.domains import read_domain
    from pipelines.factory import Factory
    from pipelines.progress import shown
    from pipelines.run import run
    from toolscale.reference.domain import reference_domain
    from toolscale.settings import Settings

    settings = Settings.load()
    factory = Factory.of(
        settings,
        model="offline/reference",
        tasks_per_domain=tasks_per_domain,
        seed=settings.seed if seed is None else seed,
        dataset=str(out or f"{settings.data_root}/demo"),
    )
    names = [reference_domain(name.strip()).name for name in domains.split(",")]
    with shown() as progress:
        report = run([read_domain(settings.data_root, name) for name in names], factory, progress=progress)
    print(json.dumps(report.as_json())) if as_json else report.print()


def synthesize(
    domain: Annotated[str, typer.Argument(help="The domain's name, such as car_rental.")],
    description: Annotated[str, typer.Option(help="What it covers, in a sentence or two.")] = "",
    model: Annotated[str, typer.Option(help="litellm's model string, for every role.")] = "",
    role: Annotated[list[str] | None, typer.Option(help="ROLE=MODEL, where a role differs; may be repeated.")] = None,
    api_base: Annotated[str, typer.Option(help="Base URL of the model's endpoint.")] = "",
    tasks: Annotated[int, typer.Option(min=1, help="First tasks proposed; each is then made harder.")] = 85,
    out: Annotated[Path | None, typer.Option(help="Where the dataset goes.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="The same seed asks the same.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """A dataset for a domain that nobody has written before, with a model of yours."""
    from pipelines.domains import make_domain, read_domain
    from pipelines.factory import Factory, roles_from
    from pipelines.progress import shown
    from pipelines.run import run
    from toolscale.settings import Settings

    settings = Settings.load()
    root = settings.data_root
    described = make_domain(domain, description) if description else read_domain(root, domain)
    factory = Factory.of(
        settings,
        model=model,
        roles=roles_from(role or []),
        api_base=api_base,
        tasks_per_domain=tasks,
        seed=settings.seed if seed is None else seed,
        dataset=str(out or f"{root}/datasets/{domain}"),
    )
    with shown() as progress:
        report = run([described], factory, progress=progress)
    print(json.dumps(report.as_json())) if as_json else report.print()
