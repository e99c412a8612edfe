"""Tags of the factory's runs, and the groups of what they make."""

from pipelines.dagster_internals import MAX_RETRIES_TAG, RETRY_ON_ASSET_OR_OP_FAILURE_TAG

SYNTHESIS = {"environment": "environment_synthesis", "tasks": "task_synthesis"}
"""Group of stages -> group of their assets in the UI, where no group is called like an asset."""

DOMAIN = "toolscale/domain"
"""Tag of every run that is about a domain, also of those that make no partition: all of one domain's have the same."""

MODEL = "toolscale/model"
"""Tag of a run: the model that is asked, as teacher where roles have models of their own; or the one in training."""

QUEUE = "toolscale/queue"
"""Tag of a run: those of the queue `assets` go one at a time (dagster.yaml), as a release reads what others write."""

AGAIN_BY_ITSELF = {MAX_RETRIES_TAG: "2", RETRY_ON_ASSET_OR_OP_FAILURE_TAG: "false"}
"""Tags of a run that Dagster's daemon begins again at the stage it was in, if its process died and no stage failed."""

AGAIN_BY_HAND = {MAX_RETRIES_TAG: "0"}
"""Tag of a run that it never begins again."""

ORDER = "toolscale/order"
"""Tag of a run that was ordered; its value is the order's id."""

PREVIEW = "toolscale/preview"
"""Tag of a run that only previews a domain; its value is the number of first tasks that the whole would have."""

FOLLOWING = "toolscale/automation"
"""Tag of the runs that the automation requests."""
