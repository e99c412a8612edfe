"""With a user that a model plays, tasks are kept too: the offline model on both sides of the conversation."""

import pytest

from toolscale.artifacts import DatabaseSchema, Entry
from toolscale.llm import Gateway
from toolscale.reference.domain import reference_domain, reference_domains
from toolscale.settings import Settings
from toolscale.store import Store
from toolscale.synthesis.assembly import assemble
from toolscale.synthesis.filtering import verify_tasks
from toolscale.synthesis.intents import propose_intents
from toolscale.synthesis.plan import PlanAnswer
from toolscale.synthesis.run import DomainRun
from toolscale.synthesis.tasks import propose_tasks

pytestmark = pytest.mark.slow


def environment_of(name):
    """A reference domain's environment as its authors wrote it, without asking the model for each part."""
    reference = reference_domain(name)
    records = (
        Entry(domain=name, table=table, key=key, record=record, subject=subject)
        for subject, tables in reference.world(0).items()
        for table, entries in tables.items()
        for key, record in entries.items()
    )
    schema = DatabaseSchema(domain=name, json_schema=reference.schema)
    plan = PlanAnswer(policy=reference.policy, functions=[])
    made = assemble(reference.domain, schema, list(records), reference.functions, plan, [])
    return made.model_copy(update={"rules": reference.rules})


@pytest.mark.parametrize("name", reference_domains())
async def test_a_conversation_with_a_simulated_user_solves_tasks(tmp_path, name):
    domain, environment = reference_domain(name).domain, environment_of(name)
    settings = Settings(user_mode="simulated", data_root=str(tmp_path))
    with Store(settings.database_url()) as store:
        async with Gateway(settings, store) as gateway:
            run = DomainRun(domain, gateway, store, settings, first_tasks=8)
            proposed = await propose_tasks(run, environment, await propose_intents(run, environment), [])
            verified = await verify_tasks(run, environment, proposed.kept)
    assert len(verified.kept) >= 2
    for trajectory in verified.trajectories:
        said = [message["content"] for message in trajectory.messages if message["role"] == "user"]
        task = next(task for task in verified.kept if task.id == trajectory.task_id)
        assert said[0] == task.user_scenario.instructions.reason_for_call
        assert trajectory.termination == "done"
    assert not any(attempt.user_fault for task in verified.kept for attempt in task.attempts)
    assert any(
        sum(message["role"] == "user" for message in trajectory.messages) > 1 for trajectory in verified.trajectories
    ), "no agent ever asked back"
