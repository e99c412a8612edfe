"""Settings: variables win over the file, and what is wrong is said in one line."""

from pathlib import Path

import pytest

from toolscale.errors import UserError
from toolscale.settings import ModelSettings, Settings


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_without_any_setting_everything_runs_offline() -> None:
    settings = Settings.load()
    assert settings.for_role("agent") == ModelSettings(model="offline/reference")
    assert settings.database_url() == "sqlite:///data/toolscale.db"


def test_arguments_win_over_variables_and_variables_over_the_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "toolscale.toml").write_text("retries = 1\nmax_turns = 2\nattempts = 3\n")
    monkeypatch.setenv("TOOLSCALE_MAX_TURNS", "20")
    monkeypatch.setenv("TOOLSCALE_ATTEMPTS", "30")
    settings = Settings.load(attempts=300)
    assert (settings.retries, settings.max_turns, settings.attempts) == (1, 20, 300)


def test_one_role_may_be_set_from_the_file_and_another_from_variables(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "toolscale.toml").write_text(
        'default_model = "openai/gpt-5-mini"\n[models.judge]\nmodel = "anthropic/claude"\ntemperature = 0\n'
        '[prices."openai/gpt-5-mini"]\ninput = 1\noutput = 2\n'
    )
    monkeypatch.setenv("TOOLSCALE_MODELS__AGENT__MODEL", "hosted_vllm/Qwen/Qwen3-8B")
    monkeypatch.setenv("TOOLSCALE_MODELS__AGENT__API_BASE", "http://127.0.0.1:8000/v1")
    settings = Settings.load()
    assert settings.for_role("judge") == ModelSettings(model="anthropic/claude", temperature=0)
    agent = ModelSettings(model="hosted_vllm/Qwen/Qwen3-8B", api_base="http://127.0.0.1:8000/v1")
    assert settings.for_role("agent") == agent
    assert settings.for_role("teacher").model == "openai/gpt-5-mini"
    assert settings.prices["openai/gpt-5-mini"].output == 2


def test_the_default_endpoint_goes_only_with_the_default_model() -> None:
    settings = Settings.load(
        default_model="openai/a",
        default_api_base="http://here/v1",
        models={"judge": {"temperature": 0.5}, "agent": {"model": "openai/b"}},
    )
    assert settings.for_role("judge") == ModelSettings(model="openai/a", api_base="http://here/v1", temperature=0.5)
    assert settings.for_role("agent").api_base is None


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("attempts = 0", "`attempts`"),
        ("atempts = 8", "`atempts`"),
        ("attempts = ", "not TOML"),
        ('[models.director]\nmodel = "x"', "director"),
        ('[models.agent]\nmodle = "x"', "modle"),
        ('default_api_base = "http://me:secret@here/v1"', "must carry no user, password"),
        ('default_api_base = "here:8000"', "must be a URL"),
        ("[operators]\nharder = 1", "harder"),
        ("[operators]\nrefusal = -1", "refusal"),
        ("[operators]\nrefusal = 0", "weight above 0"),
        ("refusals = 2", "`refusals`"),
    ],
)
def test_a_wrong_setting_is_named_in_one_line(folder: Path, written: str, said: str) -> None:
    (folder / "toolscale.toml").write_text(written + "\n")
    with pytest.raises(UserError, match=said) as caught:
        Settings.load()
    assert "\n" not in str(caught.value)
    assert "secret" not in str(caught.value)


def test_the_mix_of_operators_that_the_docs_show_is_the_usual_one(folder: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "concepts.md").read_text(encoding="utf-8")
    shown = page.partition("```toml\n")[2].partition("```")[0]
    usual = Settings.load()
    (folder / "toolscale.toml").write_text(shown)
    assert "[operators]" in shown
    assert Settings.load() == usual


def test_a_variable_that_is_no_json_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLSCALE_PRICES", "cheap")
    with pytest.raises(UserError, match="prices"):
        Settings.load()


def test_the_stores_password_is_not_shown() -> None:
    settings = Settings.load(store_url="postgresql://me:hunter22@db/toolscale")
    assert "hunter22" not in repr(settings) + str(settings.model_dump()) + settings.model_dump_json()
    assert settings.database_url() == "postgresql://me:hunter22@db/toolscale"


def test_a_remote_data_root_needs_a_store_of_its_own() -> None:
    with pytest.raises(UserError, match="TOOLSCALE_STORE_URL"):
        Settings.load(data_root="s3://bucket/toolscale").database_url()
