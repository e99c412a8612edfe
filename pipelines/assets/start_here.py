"""Group begin: no asset but a page, on which the UI opens and which says what to click first."""

import dagster as dg

from pipelines.assets.stage import OWNERS
from pipelines.links import asset_at, job_at

ADDRESS = "/assets/start_here"

FIRST = "railway"
"""A domain that the offline model knows, so that neither key nor GPU is needed."""


def _launchpad(job: str) -> str:
    return job_at(job, "playground")


start_here = dg.AssetSpec(
    "start_here",
    group_name="begin",
    owners=OWNERS,
    description=f"""Nothing is made here: this page says what to click first.

1. **Make a domain**, with neither key nor GPU: [the job generate]({job_at("generate")}), *Materialize all…*, the
   partition `{FIRST}`, which is there half a minute after the start. The dataset follows by itself.
2. **See what became of it**: [its funnel]({asset_at("rejected_tasks", FIRST)}),
   [the tasks that were kept]({asset_at("verified_tasks", FIRST)}), [the dataset]({asset_at("dataset")}).
3. **A domain of your own**, with a model of your own: [the launchpad of new_domain]({_launchpad("new_domain")}). It
   makes a few tasks, shows them, and says what the rest costs.
4. **Publish it** on the Hugging Face Hub: [the launchpad of publish]({_launchpad("publish")}).
5. **Train on it**: [the launchpad of train]({_launchpad("train")}), after `make setup-trainer`.

All of it in pictures: `docs/tour.md`. What ran so far: [the runs](/runs).""",
)
