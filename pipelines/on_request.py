"""Assets that are made on request alone: *Materialize all* and backfills pass them by."""

import dagster as dg

from pipelines.dagster_internals import BACKFILL_ID_TAG

GROUP = "on_request"
"""Their group, so that to materialize all of another never reaches them."""


def is_asked_for(context: dg.AssetExecutionContext) -> bool:
    """Whether the run was launched for this asset and no other; if not, says in the log why the asset is left alone."""
    alone = context.job_def.asset_layer.executable_asset_keys == {context.asset_key}
    if alone and BACKFILL_ID_TAG not in context.run.tags:
        return True
    name = context.asset_key.to_user_string()
    context.log.info("%s is left alone, since the run is for other assets too: launch it by itself", name)
    return False
