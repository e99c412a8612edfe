"""Links from a page of Dagster's to another: to runs that will be there, and to a launchpad that is filled in."""

from urllib.parse import quote

import dagster as dg
import yaml

from pipelines.shown import link
from pipelines.tags import ORDER


def runs_of_order(order: str) -> dg.MarkdownMetadataValue:
    """The runs that an order leads to, as soon as they are there."""
    return link("the runs of this order", f"/runs?{quote('q[0]')}={quote(f'tag:{ORDER}={order}', safe='')}")


def page_of(asset: str, domain: str) -> dg.MarkdownMetadataValue:
    """An asset's page, at the partition of a domain."""
    return link(f"{asset} of {domain}", f"/assets/{asset}?view=partitions&partition={quote(domain, safe='')}")


def write_its_file(location: str, name: str) -> dg.MarkdownMetadataValue:
    """The launchpad of the job `new_domain`, with the name of a domain."""
    config = {"ops": {"write_domain": {"config": {"name": name, "description": ""}}}}
    filled_in = quote(yaml.safe_dump(config, sort_keys=False), safe="")
    job = f"/locations/{quote(location, safe='')}/jobs/new_domain"
    return link("the launchpad of new_domain, filled in", f"{job}/playground/setup?config={filled_in}")
