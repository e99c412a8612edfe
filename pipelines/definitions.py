"""Everything that Dagster is told, with the settings as they are when the code location loads.

Importing the assets reads the settings already: see `settings_here` in `pipelines/recipe.py`.
"""

import dagster as dg

from pipelines.assets import audit, costs, environment, models, preferences, proposals, release, tasks, training
from pipelines.assets.start_here import start_here
from pipelines.automation import follow_changes
from pipelines.checks import (
    dataset_is_whole_and_passes_the_audit,
    entries_fit_together,
    functions_make_a_module,
    golden_calls_solve_and_idleness_does_not,
    no_key_is_in_the_data,
    rules_speak_for_the_policy,
)
from pipelines.code_references import linked
from pipelines.executors import executor
from pipelines.factory import Factory
from pipelines.jobs import generate, new_domain, preview, publish, train
from pipelines.jobs import release as release_job
from pipelines.lineage import StepLineage
from pipelines.progress import Listener, Progress
from pipelines.run_config import RunConfig
from pipelines.schedules import daily_costs, reaudit, sum_costs, weekly_reaudit
from pipelines.sensors import domains_sensor, release_after_generate
from pipelines.storage import Environments, Rows
from pipelines.watch import watch_verified_tasks
from toolscale.settings import Settings


@dg.definitions
def defs() -> dg.Definitions:
    """The code location that `dg dev` loads, with the settings of the working directory."""
    return definitions(RunConfig(), Settings.load().data_root)


def definitions(factory: Factory | RunConfig, data_root: str, progress: Listener | None = None) -> dg.Definitions:
    """The definitions for one run's factory, or for one that each run configures. `progress` hears of the stages."""
    lineage = StepLineage()
    assets = dg.load_assets_from_modules(
        [proposals, environment, tasks, release, training, models, preferences, audit, costs]
    )
    return dg.Definitions(
        # A command has no page that shows links, or that it begins with.
        assets=[start_here, *linked(assets)] if isinstance(factory, RunConfig) else assets,
        asset_checks=[
            entries_fit_together,
            functions_make_a_module,
            rules_speak_for_the_policy,
            golden_calls_solve_and_idleness_does_not,
            watch_verified_tasks,
            no_key_is_in_the_data,
            dataset_is_whole_and_passes_the_audit,
        ],
        jobs=[generate, release_job, publish, train, new_domain, preview, reaudit, sum_costs],
        sensors=[domains_sensor, release_after_generate, follow_changes],
        schedules=[weekly_reaudit, daily_costs],
        resources={
            "factory": factory,
            "rows": Rows(data_root=data_root, lineage=lineage),
            "environments": Environments(data_root=data_root, lineage=lineage),
            "progress": progress or _unheard,
        },
        executor=executor(Settings.load().executor),
    )


def _unheard(progress: Progress) -> None:
    """Nobody listens; Dagster keeps its own events."""
