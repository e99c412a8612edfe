"""What a user may set, from ``TOOLSCALE_*`` variables and ``toolscale.toml`` in the working directory.

Variables win over the file. Keys of model providers are not settings: they stay in the provider's own variables, such
as ``OPENAI_API_KEY``.
"""

import tomllib
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource
from pydantic_settings.exceptions import SettingsError

from toolscale.artifacts import OPERATORS, Operator
from toolscale.errors import UserError
from toolscale.run_options import RunSettings
from toolscale.stages import Role, Stage
from toolscale.toml_file import toml_in

AnswerMode = Literal["schema", "json", "text"]
"""How a typed answer is asked for: the provider's JSON-schema mode, its JSON mode, or a fenced block in plain text."""


class ModelSettings(BaseModel):
    """The model that answers for one role."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str = Field(default="", description="litellm's model string; empty = `default_model` at `default_api_base`.")
    api_base: str | None = Field(default=None, description="Base URL of the endpoint, if not the provider's.")
    temperature: float | None = Field(default=None, ge=0)
    max_tokens: int | None = Field(default=None, gt=0, description="Longest answer, in tokens.")
    answers: AnswerMode | None = Field(default=None, description="How typed answers are asked for; detected if unset.")

    @field_validator("api_base")
    @classmethod
    def _carries_no_key(cls, api_base: str | None) -> str | None:
        return _without_key(api_base)


def model_at(model: str, api_base: str | None) -> ModelSettings:
    """A model as a command names it.

    Raises:
        UserError: the address is no URL, or carries a key.
    """
    try:
        return ModelSettings(model=model, api_base=api_base or None)
    except ValidationError as error:
        raise UserError(f"--api-base {error.errors()[0]['msg'].removeprefix('Value error, ')}") from None


class Price(BaseModel):
    """What a model costs, in dollars per million tokens. What is not known of a cache costs as much as other input."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached_input: float | None = Field(default=None, ge=0, description="Input that the provider had cached.")
    cache_write: float | None = Field(default=None, ge=0, description="Input that it wrote to its cache.")


REFUSALS = 0.2
"""The usual share of first drafts that are asked for a wish that the policy forbids."""

OPERATOR_MIX: dict[Operator, float] = dict.fromkeys(OPERATORS, 1.0) | dict.fromkeys(
    ("condition", "refusal", "computed", "dependent", "recovery"), 2.0
)
"""The usual mix: what changes the decision is asked for twice as often as what only adds to the work."""


class Settings(RunSettings, BaseSettings):
    """Everything that a run depends on and that is not an argument of a command."""

    model_config = SettingsConfigDict(
        env_prefix="TOOLSCALE_",
        env_nested_delimiter="__",
        toml_file="toolscale.toml",
        extra="forbid",
        frozen=True,
        nested_model_default_partial_update=True,
    )

    data_root: str = Field(default="data", description="Where everything is written: a folder or an fsspec URL.")
    store_url: SecretStr | None = Field(default=None, description="SQLAlchemy URL; unset = SQLite under `data_root`.")

    default_model: str = Field(
        default="offline/reference", description="The model for every role, as a litellm model string."
    )
    default_api_base: str | None = Field(default=None, description="Base URL that goes with `default_model`.")
    models: dict[Role, ModelSettings] = Field(default_factory=dict, description="Roles that differ from the default.")
    prices: dict[str, Price] = Field(
        default_factory=dict, description="Model string -> price; overrides litellm's list."
    )

    max_in_flight: int = Field(
        default=64, gt=0, description="Maximum calls in flight at one endpoint; fewer if it limits the rate."
    )
    timeout_seconds: float = Field(default=180, gt=0, description="Longest wait for the answer to one request.")
    deadline_seconds: float = Field(
        default=3600, gt=0, description="Longest time for a call from its first turn, retries and waits included."
    )
    max_answer_bytes: int = Field(
        default=32 * 2**20,
        gt=0,
        description="Longest answer that is read, unpacked; a batch's file may have 32 times that.",
    )
    retries: int = Field(default=5, ge=0, description="Retries of a call that may still succeed.")
    retry_seconds: float = Field(default=1, ge=0, description="Wait before the first retry; it doubles, with jitter.")

    batch_stages: list[Stage] = Field(
        default_factory=list, description="Stages that can wait for hours: OpenAI's Batch API, at half the price."
    )
    batch_gather_seconds: float = Field(
        default=5, gt=0, description="A batch is sent once no call has joined it for this many seconds."
    )
    batch_max_calls: int = Field(default=50_000, gt=0, le=50_000, description="Maximum calls in one batch.")
    batch_poll_seconds: float = Field(
        default=60, gt=0, description="Longest pause between two checks of a batch, in seconds."
    )

    entries_scale: float = Field(
        default=1, gt=0, le=10, description="Multiplies the number of records that a schema wants for each table."
    )
    program_share: float = Field(
        default=0.8, gt=0, lt=1, description="Share of first tasks that programs draw where `task_source` is `both`."
    )
    refusals: float = Field(
        default=REFUSALS,
        ge=0,
        le=1,
        description="Share of first drafts that are asked for something the policy forbids.",
    )
    operators: dict[Operator, Annotated[float, Field(ge=0, allow_inf_nan=False)]] = Field(
        default=OPERATOR_MIX,
        description="Operator of evolution -> its weight; one that is not named is never asked for.",
    )
    trajectories_per_task: int = Field(
        default=3, gt=0, description="Maximum solved, and maximum failed, attempts per task that a dataset keeps."
    )
    wanted_pass_rate: tuple[float, float] | None = Field(
        default=None, description="Lowest and highest wanted pass rate of a task, such as [0.1, 0.8]."
    )
    attempts_stop: Literal["never", "first_success", "certain"] = Field(
        default="never",
        description="What ends the attempts at a task early: its first success; or being `certain`, after one, that "
        "the pass rate will lie within `wanted_pass_rate` or will not.",
    )
    max_turns: int = Field(default=50, gt=0, description="Longest episode, in agent turns.")

    executor: str = Field(
        default="", description="Dagster executor for a domain's steps, as module:name; unset = the run's own process."
    )

    hub_endpoint: str | None = Field(default=None, description="The Hub that `push` publishes to; unset = HF_ENDPOINT.")

    trainer_python: str = Field(
        default="", description="Python interpreter with torch; unset = .venv-trainer, if it exists."
    )

    web_search_urls: dict[Literal["tavily", "brave"], str] = Field(
        default_factory=dict, description="Web search endpoints, if not the provider's own."
    )

    @field_validator("wanted_pass_rate")
    @classmethod
    def _is_a_band(cls, band: tuple[float, float] | None) -> tuple[float, float] | None:
        if band is not None and not 0 <= band[0] <= band[1] <= 1:
            raise ValueError("must be two shares, the lower one first, such as [0.1, 0.8]")
        return band

    @field_validator("attempts_stop")
    @classmethod
    def _knows_of_what(cls, stop: str, known: ValidationInfo) -> str:
        if stop == "certain" and known.data.get("wanted_pass_rate") is None:
            raise ValueError("`certain` of a pass rate needs the setting `wanted_pass_rate`, such as [0.1, 0.8]")
        return stop

    @field_validator("default_api_base", "hub_endpoint")
    @classmethod
    def _carries_no_key(cls, api_base: str | None) -> str | None:
        return _without_key(api_base)

    @field_validator("operators")
    @classmethod
    def _some_can_be_drawn(cls, operators: dict[Operator, float]) -> dict[Operator, float]:
        if not any(operators.values()):
            raise ValueError("at least one operator needs a weight above 0")
        return operators

    @field_validator("web_search_urls")
    @classmethod
    def _carry_no_key(cls, urls: dict[str, str]) -> dict[str, str]:
        return {service: _without_key(url) or url for service, url in urls.items()}

    @classmethod
    def load(cls, **overrides: Any) -> Self:
        """Settings from the variables and the file, with arguments that win over both.

        Raises:
            UserError: a setting is unknown or has a wrong value, or ``toolscale.toml`` is not TOML.
        """
        try:
            return cls(**overrides)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            name = ".".join(str(part) for part in first["loc"])
            raise UserError(
                f"setting `{name}`: {first['msg']}; correct it in toolscale.toml or in TOOLSCALE_*"
            ) from None
        except SettingsError as error:
            raise UserError(f"{error}: a variable with a table must be JSON") from None
        except RecursionError:
            raise UserError("a TOOLSCALE_* variable that holds a table nests too deeply to be read") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise UserError(f"toolscale.toml is not TOML: {error}") from None

    def for_role(self, role: Role) -> ModelSettings:
        """The model that answers for a role, with the defaults filled in."""
        own = self.models.get(role, ModelSettings())
        if own.model:
            return own
        api_base = own.api_base or self.default_api_base
        return own.model_copy(update={"model": self.default_model, "api_base": api_base})

    def database_url(self) -> str:
        """SQLAlchemy URL of the store.

        Raises:
            UserError: the data root is not local and no `store_url` is set, so there is no place for SQLite.
        """
        if self.store_url is not None:
            return self.store_url.get_secret_value()
        if "://" in self.data_root:
            raise UserError(
                f"data_root is {self.data_root}, where SQLite cannot be: set TOOLSCALE_STORE_URL, "
                "such as sqlite:///toolscale.db or postgresql://..."
            )
        return f"sqlite:///{self.data_root}/toolscale.db"

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments, then variables, then the file."""
        return init_settings, env_settings, _File(settings_cls)


class _File(TomlConfigSettingsSource):
    """``toolscale.toml``, read as every TOML file here is."""

    def _read_file(self, file_path: Path | Traversable) -> dict[str, Any]:
        return toml_in(file_path.read_text(encoding="utf-8"))


def _without_key(api_base: str | None) -> str | None:
    """The URL as it came; refused if it carries a password, which the ledger would then keep."""
    if api_base is not None:
        url = urlsplit(api_base)
        if url.scheme not in {"http", "https"} or not url.hostname:
            raise ValueError("must be a URL that starts with http:// or https://")
        if url.password or url.username or url.query:
            raise ValueError("must carry no user, password or query: keys belong in the provider's own variable")
    return api_base
