"""Automation that is switched on in the UI: what a change makes stale is made again, and what follows from it.

It asks models, and so may cost money: the sensor is off until somebody starts it, and `TOOLSCALE_MAX_COST` bounds each
of its runs.
"""

import dagster as dg

from pipelines.tags import FOLLOWING, QUEUE, SYNTHESIS

_NOTHING_UNDER_WAY = ~dg.AutomationCondition.in_progress() & ~dg.AutomationCondition.any_deps_in_progress()

_INPUT_HAS_OTHER_ROWS = dg.AutomationCondition.any_deps_match(
    (dg.AutomationCondition.data_version_changed() & ~dg.AutomationCondition.executed_with_root_target())
    | dg.AutomationCondition.will_be_requested()
)

_CHANGED = dg.AutomationCondition.code_version_changed() | _INPUT_HAS_OTHER_ROWS

FOLLOWS = (
    _CHANGED.since_last_handled()  # type: ignore[misc]  # checks have conditions too, and no versions
    & ~dg.AutomationCondition.missing()
    & _NOTHING_UNDER_WAY
).with_label("its prompt, source or settings changed, or its inputs' rows")
"""Of a domain's assets: only what was made before is made again, so nothing starts a domain that nobody asked for."""

RELEASES = (
    dg.AutomationCondition.any_deps_match(
        dg.AutomationCondition.newly_updated()
        & dg.AutomationCondition.any_new_update_has_run_tags(tag_values={FOLLOWING: "follows"})
    ).since_last_handled()
    & ~dg.AutomationCondition.missing()
    & _NOTHING_UNDER_WAY
).with_label("an automated run made a domain again")
"""Of the dataset: after runs of the job `generate` the sensor `release_after_generate` writes it."""

follow_changes = dg.AutomationConditionSensorDefinition(
    "follow_changes",
    target=dg.AssetSelection.groups(*SYNTHESIS.values()) | dg.AssetSelection.assets("dataset"),
    run_tags={FOLLOWING: "follows", QUEUE: "assets"},
    default_status=dg.DefaultSensorStatus.STOPPED,
    minimum_interval_seconds=30,
    description="Makes again what a changed prompt, source or setting made stale. Asks models; off until started.",
)
