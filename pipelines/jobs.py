"""Jobs: `generate` runs one domain end to end, `release` writes the dataset, `train` trains, `new_domain` adds one."""

import dagster as dg
from pydantic import Field

from pipelines.domains import DOMAINS, make_domain, write_domain
from pipelines.factory import Factory, refusal
from toolscale.errors import UserError

QUEUE = "toolscale/queue"
"""Tag of a run: those of the queue `assets` go one at a time (dagster.yaml), as a release reads what others write."""

generate = dg.define_asset_job(
    "generate",
    selection=dg.AssetSelection.groups("environment", "tasks"),
    partitions_def=DOMAINS,
    executor_def=dg.in_process_executor,
    tags={QUEUE: "assets"},
    description="One domain end to end: from its description to verified tasks.",
)

release = dg.define_asset_job(
    "release",
    selection=dg.AssetSelection.assets("dataset"),
    executor_def=dg.in_process_executor,
    tags={QUEUE: "assets"},
    description="The dataset over every domain that has verified tasks.",
)

train = dg.define_asset_job(
    "train",
    selection=dg.AssetSelection.assets("orchestrator"),
    executor_def=dg.in_process_executor,
    description="A language model trained on the dataset that lies there.",
)


class NewDomain(dg.Config):
    """A domain that nobody has written before."""

    name: str = Field(description="Small letters, digits and underscores, such as `car_rental`.")
    description: str = Field(description="What the domain covers, in a sentence or two.")


@dg.op(name="write_domain")
def write_domain_file(context: dg.OpExecutionContext, config: NewDomain, factory: dg.ResourceParam[Factory]) -> None:
    """Write `domains/<name>.toml`. The sensor sees it within half a minute, registers the domain and generates it."""
    try:
        file = write_domain(factory.data_root, make_domain(config.name, config.description))
    except UserError as error:
        raise refusal(error) from error
    context.log.info("wrote %s; the sensor `domains` takes it from there", file)


@dg.job(executor_def=dg.in_process_executor, description="Add a domain by name and description; then it is generated.")
def new_domain() -> None:
    """Write the domain's file and leave the rest to the sensor."""
    write_domain_file()
