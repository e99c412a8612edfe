"""Addresses of Dagster's pages, and links from one to another: to runs that will be there, to a launchpad filled in."""

from collections.abc import Mapping
from urllib.parse import quote

import dagster as dg
import yaml

from pipelines.shown import link
from pipelines.tags import ORDER


def asset_at(asset: str, domain: str = "") -> str:
    """The address of an asset's page, at the partition of a domain where one is named."""
    return f"/assets/{asset}?view=partitions&partition={quote(domain, safe='')}" if domain else f"/assets/{asset}"


def job_at(job: str, tab: str = "") -> str:
    """The address of a job's page, whatever its code location is called; `playground` is the tab of the launchpad."""
    return "/".join(filter(None, ("/guess", job, tab)))


def runs_of_order(order: str) -> dg.MarkdownMetadataValue:
    """The runs that an order leads to, as soon as they are there."""
    return link("the runs of this order", f"/runs?{quote('q[0]')}={quote(f'tag:{ORDER}={order}', safe='')}")


def page_of(asset: str, domain: str) -> dg.MarkdownMetadataValue:
    """An asset's page, at the partition of a domain."""
    return link(f"{asset} of {domain}", asset_at(asset, domain))


def write_its_file(location: str, name: str) -> dg.MarkdownMetadataValue:
    """The launchpad of the job `new_domain`, with the name of a domain."""
    job = f"/locations/{quote(location, safe='')}/jobs/new_domain/playground"
    return _filled_in(job, {"name": name, "description": ""})


def order_the_rest(order: Mapping[str, object]) -> dg.MarkdownMetadataValue:
    """The launchpad of the job `new_domain`, filled in with what is left to be made after a preview."""
    return _filled_in(job_at("new_domain", "playground"), order)


def _filled_in(launchpad: str, order: Mapping[str, object]) -> dg.MarkdownMetadataValue:
    config = yaml.safe_dump({"ops": {"write_domain": {"config": dict(order)}}}, sort_keys=False)
    return link("the launchpad of new_domain, filled in", f"{launchpad}/setup?config={quote(config, safe='')}")
