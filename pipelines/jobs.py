"""Jobs: `generate` runs one domain end to end, `release` writes the dataset, `new_domain` adds one.

`preview` shows a domain of which `new_domain` ordered a handful of tasks only; `publish` and `train` are for what is
made on request alone.
"""

from collections.abc import Mapping
from typing import Any

import dagster as dg
from pydantic import Field

from pipelines.dagster_internals import PRIORITY_TAG
from pipelines.domains import DOMAINS, named, order_of, write_domain
from pipelines.factory import Factory
from pipelines.hooks import note_that_it_is_made, note_why_not_made
from pipelines.launchpad import Launchpad, with_options
from pipelines.links import order_the_rest, page_of, runs_of_order
from pipelines.orders import QUOTA, Order
from pipelines.preflight import refuse_early
from pipelines.preview import preview_of, refuse_preview
from pipelines.recipe import settings_here
from pipelines.refusals import refusal
from pipelines.shown import markdown
from pipelines.storage import stored_assets
from pipelines.tags import AGAIN_BY_ITSELF, DOMAIN, MODEL, QUEUE, SYNTHESIS
from toolscale.errors import UserError


def _tags_of(domain: str) -> dict[str, str]:
    """Of the runs that wait, that of the domain comes first which is furthest along: it has least to pay for."""
    settings = settings_here()
    first = {PRIORITY_TAG: str(len(stored_assets(settings.data_root, domain)))} if settings else {}
    return {DOMAIN: domain, **first}


_START: dict[str, Any] = {"resources": {"factory": {"config": {}}}}
"""What the launchpad of a domain's run begins with: the place of the options, none of them chosen."""

generate = dg.define_asset_job(
    "generate",
    selection=dg.AssetSelection.groups(*SYNTHESIS.values()),
    partitions_def=DOMAINS,
    config=dg.PartitionedConfig(
        DOMAINS, run_config_for_partition_key_fn=lambda domain: _START, tags_for_partition_key_fn=_tags_of
    ),
    tags={QUEUE: "assets", **AGAIN_BY_ITSELF},
    hooks={note_why_not_made, note_that_it_is_made},
    description="One domain end to end: from its description to verified tasks.",
)

release = dg.define_asset_job(
    "release",
    selection=dg.AssetSelection.assets("dataset"),
    executor_def=dg.in_process_executor,
    tags={QUEUE: "assets", **AGAIN_BY_ITSELF},
    description="The dataset over every domain that has verified tasks.",
)

publish = dg.define_asset_job(
    "publish",
    selection=dg.AssetSelection.assets("published_dataset"),
    executor_def=dg.in_process_executor,
    config={"ops": {"published_dataset": {"config": {"repository": "", "public": False, "pull_request": False}}}},
    description="The current dataset, published on the Hugging Face Hub.",
)

train = dg.define_asset_job(
    "train",
    selection=dg.AssetSelection.assets("orchestrator"),
    executor_def=dg.in_process_executor,
    config={"ops": {"orchestrator": {"config": {"config": "single-gpu", "changes": [], "resume": False}}}},
    description="A language model trained on the current dataset.",
)


_OF_ONE_DOMAIN = ("model", "api_base", "roles", *QUOTA, "task_source", "max_cost", "max_calls")
"""Options of its run that the job `new_domain` takes, beside the number of tasks."""


@with_options(*_OF_ONE_DOMAIN, tasks="tasks_per_domain")
class NewDomain(Launchpad):
    """A domain that nobody has written before, or one to go on with."""

    name: str = Field(description="Such as `Car rental`; its partition is then `car_rental`.")
    description: str = Field(default="", description="What it covers, in a sentence or two; empty = as its name says.")
    preview: bool = Field(default=False, description="Make a few tasks first, and say what the rest will cost.")

    def settings(self) -> dict[str, Any]:
        """What was chosen, as the resource `factory` takes it."""
        given = self.model_dump(mode="json")
        chosen = {name: given[name] for name in _OF_ONE_DOMAIN if given[name] not in ("", {}, None)}
        return {"tasks_per_domain": given["tasks"], **chosen}


@dg.op(name="write_domain")
def write_domain_file(
    context: dg.OpExecutionContext, config: NewDomain, factory: dg.ResourceParam[Factory]
) -> dg.Output[None]:
    """Write `domains/<name>.toml`. The sensor sees it within half a minute, registers the domain and generates it.

    What would end the run late, such as a missing key or an unknown price, is refused before anything is written.
    """
    try:
        domain, told = named(factory.data_root, config.name, config.description), factory.told(config.settings())
        context.instance.add_run_tags(context.run_id, {DOMAIN: domain.name, MODEL: told.teacher()})
        refuse_early([domain], told)
        if config.preview:
            refuse_preview(factory.data_root, domain.name)
        order = Order(order=context.run_id, preview=config.preview, run=config.settings())
        file = write_domain(factory.data_root, domain, order)
    except UserError as error:
        raise refusal(error) from error
    follows = _told_of(domain.name, order, told)
    context.log.info("wrote %s. %s", file, follows)
    links = {"its_runs": runs_of_order(order.order), "tasks": page_of("verified_tasks", domain.name)}
    return dg.Output(None, metadata={"what_follows": follows, **links, "file": dg.MetadataValue.path(str(file))})


def _told_of(domain: str, order: Order, factory: Factory) -> str:
    """The run that follows an order, in a sentence or two."""
    run = order.run_config(factory.tasks_per_domain)["resources"]["factory"]["config"]
    wanted = f"until {run['keep']} tasks are kept" if run.get("keep") else f"with {run['tasks_per_domain']} first tasks"
    most = {"max_cost": "at most ${:g}", "max_calls": "at most {:,} calls"}
    limits = "".join(f", {said.format(run[name])}" for name, said in most.items() if run.get(name) is not None)
    after = "`preview` then shows what they are like and what the rest costs" if order.preview else "`release` follows"
    return (
        f"Within half a minute the sensor `domains` requests a run of `generate` for the partition {domain}, {wanted}, "
        f"by {factory.teacher()}{limits}; {after}."
    )


@dg.job(
    executor_def=dg.in_process_executor,
    config={
        "ops": {"write_domain": {"config": {"name": "Car rental", "description": "", "preview": True, "max_cost": 5.0}}}
    },
    description="Add a domain by name and description, then generate it.",
)
def new_domain() -> None:
    """Write the domain's file and leave the rest to the sensor."""
    write_domain_file()


class Previewed(Launchpad):
    """The domain that a preview was made of."""

    domain: str = Field(description="Its name.")


@dg.op(name="show_preview")
def show_preview(
    context: dg.OpExecutionContext, config: Previewed, factory: dg.ResourceParam[Factory]
) -> dg.Output[None]:
    """Show what a domain is like so far, and what the rest of it would cost."""
    try:
        context.instance.add_run_tags(context.run_id, {DOMAIN: config.domain, MODEL: factory.teacher()})
        found, order = preview_of(config.domain, factory), order_of(factory.data_root, config.domain)
    except UserError as error:
        raise refusal(error) from error
    low, high = found.rest.dollars.low, found.rest.dollars.high
    figures = {"dollars_paid": found.paid.dollars, "rest_dollars_low": low, "rest_dollars_high": high}
    shown = {name: round(dollars, 4) for name, dollars in figures.items()}
    rest = {"order_the_rest": order_the_rest(whole(config.domain, order))} if order else {}
    return dg.Output(None, metadata={"preview": markdown(found.as_markdown()), **rest, **shown})


def whole(domain: str, order: Order) -> dict[str, Any]:
    """An order as the launchpad takes it, without its preview."""
    chosen = order.chosen()
    tasks = {"tasks": chosen.pop("tasks_per_domain")} if "tasks_per_domain" in chosen else {}
    return {"name": domain, **tasks, **chosen}


@dg.job(
    executor_def=dg.in_process_executor,
    config={"ops": {"show_preview": {"config": {"domain": "car_rental"}}}},
    description="Show what a domain looks like, and what the rest of it would cost.",
)
def preview() -> None:
    """Runs by itself when the run of a preview has succeeded."""
    show_preview()


def preview_config(domain: str, run_config: Mapping[str, Any], first_tasks: int) -> dict[str, Any]:
    """The configuration of `preview` for a domain whose few tasks were made with `run_config`."""
    factory = {**run_config["resources"]["factory"]["config"], "tasks_per_domain": first_tasks}
    return {"ops": {"show_preview": {"config": {"domain": domain}}}, "resources": {"factory": {"config": factory}}}
