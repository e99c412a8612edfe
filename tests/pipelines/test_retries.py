"""A stage is tried again where that can help: its endpoint failed. All else fails at once, in the user's words."""

import dagster as dg
import pytest

import pipelines.factory
from pipelines.domains import DOMAINS
from pipelines.factory import Factory
from pipelines.refusals import RELOAD
from toolscale.artifacts import Domain
from toolscale.errors import UserError
from toolscale.llm.errors import BadKey, GatewayError, RetriesExhausted, TimedOut, Unreachable
from toolscale.settings import Settings


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr(pipelines.factory, "RETRY_AFTER", (0, 0))


def ran(tmp_path, failures, **chosen):
    """A run of a stage that fails with these, one at each try, and then succeeds; and how often it was tried."""
    left, tries = list(failures), []

    async def stage(run):
        if left:
            raise left.pop(0)
        return "done"

    factory = Factory.of(Settings(data_root=str(tmp_path)), **chosen)

    @dg.asset(partitions_def=DOMAINS)
    def intents(context: dg.AssetExecutionContext) -> None:
        tries.append(context.retry_number)
        factory.ask(context, lambda progress: None, Domain(name="zoo", description="A zoo."), stage)

    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions("domain", ["zoo"])
        done = dg.materialize([intents], partition_key="zoo", instance=instance, raise_on_error=False)
    return done, tries


@pytest.mark.parametrize("failure", [TimedOut("no answer"), RetriesExhausted("503 each time"), Unreachable("nobody")])
def test_a_stage_whose_endpoint_failed_is_tried_again(tmp_path, failure):
    done, tries = ran(tmp_path, [failure])
    assert done.success
    assert tries == [0, 1]


def test_a_try_that_failed_says_why_in_a_sentence_and_shows_no_trace(tmp_path):
    done, _ = ran(tmp_path, [Unreachable("nobody at gpu1:8000; set OPENAI_API_KEY")])
    (again,) = done.filter_events(lambda event: event.event_type is dg.DagsterEventType.STEP_UP_FOR_RETRY)
    error = again.event_specific_data.error
    assert error.message == f"nobody at gpu1:8000; set OPENAI_API_KEY. {RELOAD} It is tried again in 0 seconds."
    assert (error.stack, error.cause, error.context) == ([], None, None)


@pytest.mark.parametrize("failure", [BadKey("refused"), UserError("no such table"), GatewayError("400")])
def test_what_a_retry_cannot_mend_fails_at_once(tmp_path, failure):
    done, tries = ran(tmp_path, [failure])
    assert not done.success
    assert tries == [0]


def test_an_endpoint_that_stays_away_fails_the_stage_in_its_own_words(tmp_path):
    done, tries = ran(tmp_path, [Unreachable("nobody at gpu1:8000")] * 9)
    assert tries == [0, 1, 2]
    (failed,) = done.get_step_failure_events()
    assert failed.event_specific_data.user_failure_data.description == "nobody at gpu1:8000"


def test_a_command_says_at_once_that_its_endpoint_failed(tmp_path):
    done, tries = ran(tmp_path, [TimedOut("no answer")], run="of a command")
    assert not done.success
    assert tries == [0]
