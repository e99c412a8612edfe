"""Dagster says that something is stale exactly where it is so, and what does not fit together is refused.

On a reference domain that is made once, by the offline model; every stage is watched while it works.
"""

import logging
from collections import defaultdict

import dagster as dg
import pytest
from dagster._core.definitions.data_version import CachingStaleStatusResolver, StaleStatus
from dagster._core.loader import LoadingContextForTest

from pipelines.assets.stage import STAGES
from pipelines.definitions import definitions
from pipelines.factory import Factory
from toolscale import prompts
from toolscale.settings import Settings
from toolscale.synthesis.run import DomainRun

DOMAIN, LAST = "weather", ("verified_tasks", "rejected_tasks", "trajectories", "later_rejects")
OF_NO_MATTER = {
    "data_root",
    "max_cost",
    "max_calls",
    "store_url",
    "prices",
    "default_model",
    "default_api_base",
    "models",
    "executor",
}
OF_NO_MATTER |= {"max_in_flight", "timeout_seconds", "deadline_seconds", "retries", "retry_seconds", "batch_stages"}
OF_NO_MATTER |= {"max_answer_bytes", "batch_gather_seconds", "batch_max_calls", "batch_poll_seconds"}
"""What is read to ask a model, and does not change what it answers; which model answers is told by its role."""

OPTIONS = {"first_tasks": ["tasks_per_domain", "keep"], "evolution_rounds": ["evolution_rounds"]}
OPTIONS |= {"wanted": ["keep", "pass_rate", "golden_calls"]}
"""Field of a run -> the options that it follows from, under the names that a version knows."""

ASKED_WHERE_NEEDED = {
    "verified_tasks": {"judge_policy", "openness", "tasks", "evolution", "task_rules", "rewording"},
    "programs": {"agent"},
    "tasks": {"rewording"},
    "evolved_tasks": {"rewording"},
}
"""Prompts for what this domain has not: sentences of a policy that no program can check, open choices, programs."""


class Made:
    """A domain at a data root, and the instance that knows of it."""

    def __init__(self, root, instance):
        self.root, self.instance, self.worked = root, instance, defaultdict(set)
        self.stage = None

    def factory(self, **chosen):
        options = {"model": "offline/reference", "tasks_per_domain": 2, "user_mode": "simulated", "attempts": 2}
        return Factory.of(Settings(data_root=str(self.root)), **options | chosen)

    def hear(self, progress):
        self.stage = progress.stage if progress.state != "finished" else None

    def note(self, what):
        if self.stage:
            self.worked[self.stage].add(what)

    def noting(self, what, function, position):
        """The function, with an argument of each call noted."""

        def noted(*arguments):
            self.note((what, arguments[position]))
            return function(*arguments)

        return noted

    def definitions(self, **chosen):
        return definitions(self.factory(**chosen), str(self.root), self.hear)

    def materialize(self, *assets, **chosen):
        """Make some assets of the domain again, or all; the reason if that fails."""
        job = self.definitions(**chosen).resolve_job_def("generate")
        keys = [dg.AssetKey(asset) for asset in assets] or None
        ran = job.execute_in_process(
            instance=self.instance, partition_key=DOMAIN, asset_selection=keys, raise_on_error=False
        )
        failures = [event.step_failure_data.error for event in ran.all_events if event.is_step_failure]
        return str(failures[0]) if failures else ""

    def release(self, **chosen):
        job = self.definitions(**chosen).resolve_job_def("release")
        ran = job.execute_in_process(instance=self.instance, raise_on_error=False)
        log = self.instance.all_logs(ran.run_id)
        return ran.success, [entry.user_message for entry in log if entry.level == logging.WARNING]

    def stale(self):
        """Name of each asset of the domain that is stale -> why."""
        graph = self.definitions().resolve_asset_graph()
        found = CachingStaleStatusResolver(self.instance, graph, LoadingContextForTest(self.instance))
        names = [*STAGES, *LAST[1:]]
        reasons = {name: found.get_stale_root_causes(dg.AssetKey(name), DOMAIN) for name in names}
        for name, causes in reasons.items():
            status = found.get_status(dg.AssetKey(name), DOMAIN)
            assert status is (StaleStatus.STALE if causes else StaleStatus.FRESH), name
        return {
            name: {f"{cause.asset_key.to_user_string()} {cause.reason}" for cause in causes}
            for name, causes in reasons.items()
            if causes
        }


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patched, dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions("domain", [DOMAIN])
        made = Made(tmp_path_factory.mktemp("made"), instance)
        for kind, names in ((Settings, {name: [name] for name in Settings.model_fields}), (DomainRun, OPTIONS)):
            patched.setattr(kind, "__getattribute__", read_by(names, made))
        templates = prompts._environment()
        patched.setattr(templates, "cache", None)
        patched.setattr(templates.loader, "get_source", made.noting("prompt", templates.loader.get_source, 1))
        patched.setattr(Settings, "for_role", made.noting("role", Settings.for_role, 1))
        assert made.materialize() == ""
        made.stage = None
        patched.undo()
        yield made


def read_by(names, made):
    def read(self, name):
        for setting in names.get(name, ()):
            made.note(("setting", setting))
        return object.__getattribute__(self, name)

    return read


@pytest.mark.parametrize("stage", sorted(STAGES))
def test_every_prompt_role_and_setting_that_a_stage_uses_is_in_its_version(made, stage):
    recipe, worked = STAGES[stage], made.worked[stage]
    assert bool(worked) == bool(recipe.asks)
    rendered = {name.removesuffix(".j2") for what, name in worked if what == "prompt"}
    assert set(recipe.prompts) - ASKED_WHERE_NEEDED.get(stage, set()) <= rendered <= set(recipe.prompts)
    assert {name for what, name in worked if what == "role"} <= set(recipe.asks)
    read = {name for what, name in worked if what == "setting"} - OF_NO_MATTER
    assert read <= set(recipe.told)


def test_what_was_just_made_is_in_sync(made):
    assert made.stale() == {}


def test_an_upstream_made_again_with_the_same_rows_leaves_what_follows_in_sync(made):
    assert made.materialize("domain", "schema", "environment") == ""
    assert made.stale() == {}


def test_an_upstream_made_again_with_other_rows_makes_what_reads_it_unsynced_until_it_is_as_before(made):
    assert made.materialize("environment", seed=1) == ""
    why = {"environment has a new data version"}
    reads_it = ("intents", "programs", "tasks", "evolved_tasks", *LAST)
    assert made.stale() == dict.fromkeys(reads_it, why)
    assert made.materialize("environment") == ""
    assert made.stale() == {}


def test_two_runs_that_make_one_domain_in_turns_are_refused(made):
    assert made.materialize("environment", "intents", seed=1) == ""
    refused = made.materialize("verified_tasks", "rejected_tasks", "trajectories", "later_rejects")
    assert "`evolved_tasks` made of another `environment` than the one that is there" in refused
    assert made.materialize("environment", "intents") == ""
    assert made.materialize(*LAST) == ""


def test_a_release_leaves_a_domain_out_whose_assets_are_of_two_runs_and_fails_where_it_is_named(made):
    assert made.release() == (True, [])
    assert made.materialize("environment", seed=1) == ""
    success, [warning] = made.release()
    assert not success, "there is no other domain"
    assert "made of another `environment`" in warning
    assert not made.release(domains=[DOMAIN])[0]
    assert made.materialize("environment") == ""
    assert made.release() == (True, [])
