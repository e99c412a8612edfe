"""What a run is told wins over the settings, and only what it is told."""

import asyncio
from pathlib import Path

import pytest

from pipelines.factory import Factory
from toolscale.cli.flags import roles_from
from toolscale.errors import UserError
from toolscale.settings import ModelSettings, Settings
from toolscale.store import GateResult
from toolscale.synthesis.wanted import Wanted


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A working directory whose settings name real models."""
    (tmp_path / "toolscale.toml").write_text(
        "default_model = 'openai/big'\nattempts = 3\ndata_root = 'here'\n[models.agent]\nmodel = 'openai/small'\n"
    )
    monkeypatch.chdir(tmp_path)
    return Settings.load()


def test_without_a_word_the_settings_hold(elsewhere):
    settings = Factory.of(elsewhere).settings()
    assert (settings.for_role("teacher").model, settings.for_role("agent").model) == ("openai/big", "openai/small")
    assert (settings.attempts, settings.data_root) == (3, "here")


def test_a_model_is_everybodys_so_the_demo_costs_nothing(elsewhere):
    settings = Factory.of(elsewhere, model="offline/reference").settings()
    assert {settings.for_role(role).model for role in ("teacher", "agent", "judge")} == {"offline/reference"}


def test_a_role_goes_to_the_same_endpoint_only_with_the_same_provider(elsewhere):
    roles = roles_from(["agent=hosted/small", "judge=openai/judge"])
    settings = Factory.of(elsewhere, model="openai/m", api_base="http://127.0.0.1:1/v1", roles=roles).settings()
    assert settings.for_role("agent").api_base is None
    assert settings.for_role("judge").api_base == "http://127.0.0.1:1/v1"
    assert settings.for_role("teacher").api_base == "http://127.0.0.1:1/v1"


@pytest.mark.parametrize("assignment", ["agent", "=model", "agent=", ""])
def test_a_role_without_a_model_is_refused(assignment):
    with pytest.raises(UserError, match="ROLE=MODEL"):
        roles_from([assignment])


def test_of_a_wanted_number_half_as_many_are_proposed_first_since_each_is_made_harder(elsewhere):
    assert Factory.of(elsewhere).first_tasks("zoo") == 85
    assert Factory.of(elsewhere, keep=40).first_tasks("zoo") == 20
    assert Factory.of(elsewhere, keep=40, evolution_rounds=3).first_tasks("zoo") == 10
    assert Factory.of(elsewhere, keep=40, tasks_per_domain=5).first_tasks("zoo") == 5


def test_first_tasks_of_a_wanted_number_are_estimated_by_what_was_kept_of_those_tested(tmp_path):
    factory = Factory.of(Settings(data_root=str(tmp_path)), keep=40)
    with factory.store() as store:
        assert factory.likely_first_tasks("zoo", store) == 34  # three of five are usually kept, and each makes another
        rows = [
            GateResult(task_id=f"{number}", gate="distinct", domain="zoo", passed=number % 4 > 0, reasons="[]")
            for number in range(20)
        ]
        asyncio.run(store.save(*rows))
        assert factory.likely_first_tasks("zoo", store) == 27
        assert factory.likely_first_tasks("park", store) == 27
    assert Factory.of(Settings(data_root=str(tmp_path)), tasks_per_domain=7).likely_first_tasks("zoo", store) == 7


def test_what_is_wanted_is_as_the_run_says_else_as_the_settings_say(elsewhere, monkeypatch):
    monkeypatch.setenv("TOOLSCALE_WANTED_PASS_RATE", "[0.1, 0.9]")
    settings = Settings.load()
    own = Factory.of(settings, keep=4, pass_rate="0.2:0.8", golden_calls="4:12")
    assert own.wanted(own.settings()) == Wanted(4, (0.2, 0.8), (4, 12))
    usual = Factory.of(settings, keep=4)
    assert usual.wanted(usual.settings()) == Wanted(4, (0.1, 0.9))
    assert Factory.of(settings).wanted(settings) is None


@pytest.mark.parametrize(
    "chosen",
    [
        {"pass_rate": "0.2:0.8"},
        {"golden_calls": "2:3"},
        {"keep": 0},
        {"keep": 4, "pass_rate": "0.8:0.2"},
        {"keep": 4, "pass_rate": "0.2"},
        {"keep": 4, "pass_rate": "20:80"},
        {"keep": 4, "pass_rate": "nan:0.5"},
        {"keep": 4, "golden_calls": "12:4"},
        {"keep": 4, "golden_calls": "few:many"},
        {"keep": 4, "golden_calls": "1:2:3"},
    ],
    ids=str,
)
def test_what_can_never_be_wanted_is_refused(elsewhere, chosen):
    with pytest.raises(UserError):
        Factory.of(elsewhere, **chosen)


def test_an_unknown_role_is_refused(elsewhere):
    with pytest.raises(UserError, match="no role `poet`"):
        Factory.of(elsewhere, model="openai/m", roles={"poet": "openai/m"}).settings()


@pytest.mark.parametrize("api_base", ["localhost:8000/v1", "http://me:secret@host/v1", "http://host/v1?key=secret"])
@pytest.mark.parametrize("roles", [{}, {"agent": "openai/small"}])
def test_an_endpoint_that_is_no_url_or_carries_a_key_is_refused(elsewhere, api_base, roles):
    with pytest.raises(UserError, match="--api-base must") as error:
        Factory.of(elsewhere, model="openai/m", roles=roles, api_base=api_base).settings()
    assert "secret" not in str(error.value)


def test_a_users_mode_that_is_none_is_refused(elsewhere):
    with pytest.raises(UserError, match="`user_mode` of the run: Input should be 'direct' or 'simulated'"):
        Factory.of(elsewhere, user_mode="loud")


def test_a_setting_that_is_out_of_range_is_refused(elsewhere):
    with pytest.raises(UserError, match="`attempts` of the run: Input should be greater than 0"):
        Factory.of(elsewhere, attempts=0).settings()


def test_a_chosen_model_inherits_nothing_from_the_role_of_the_settings(elsewhere):
    Path("toolscale.toml").write_text("[models.agent]\nmodel = 'openai/small'\ntemperature = 1.5\nanswers = 'text'\n")
    agent = Factory.of(elsewhere, model="openai/m").settings().for_role("agent")
    assert agent == ModelSettings(model="openai/m")


def test_roles_without_a_model_are_refused(elsewhere):
    with pytest.raises(UserError, match="--model"):
        Factory.of(elsewhere, roles={"agent": "openai/m"}).settings()
