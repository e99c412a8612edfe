"""What may be chosen for a run of the factory: each option is declared here, and nowhere else.

The command line (`toolscale/cli/options.py`), the launchpad and the table `run` of a domain's file
(`pipelines/launchpad.py`), and the settings of a run (`pipelines/factory.py`) are readings of it.
"""

from types import UnionType
from typing import Annotated, Any, Literal, Self, get_args, get_origin

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator


def _two(given: Any) -> Any:
    """Two figures, from `LOW:HIGH` as a user types it."""
    if isinstance(given, str) and given.count(":") != 1:
        raise ValueError("it is two figures, LOW:HIGH")
    return tuple(given.split(":")) if isinstance(given, str) else given


class RunSettings(BaseModel):
    """Options that are settings too (`toolscale/settings.py`): those hold where a run chooses nothing."""

    seed: int = Field(default=0, ge=0, description="The same seed gives the same rows.")
    attempts: int = Field(default=8, gt=0, description="The agent's attempts at each task.")
    user_mode: Literal["direct", "simulated"] = Field(
        default="direct",
        description="`direct`: the instruction is the first message; `simulated`: a model plays the user.",
    )
    task_source: Literal["programs", "drafts", "both"] = Field(
        default="both",
        description="Where first tasks come from: `programs` that the teacher writes, `drafts` that it writes one "
        "by one, or `both`.",
    )
    max_cost: float | None = Field(default=None, ge=0, description="Dollars the run may newly pay.")
    max_calls: int | None = Field(default=None, ge=0, description="Calls the run may newly make.")


class RunOptions(RunSettings):
    """All options of a run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    dataset: str = Field(description="Where the dataset goes; by default `dataset` in the data root.")
    domains: list[str] = Field(default=[], description="Domains in the dataset; empty = all that have tasks.")
    hold_out: list[str] | None = Field(
        default=None, description="Domains whose tasks all go to `eval`: [] = none; by default two of five or more."
    )
    tasks_per_domain: int = Field(default=85, gt=0, description="First tasks proposed; each is then made harder.")
    keep: int | None = Field(
        default=None, gt=0, description="Tasks wanted: more are proposed until this many are kept or the budget ends."
    )
    pass_rate: Annotated[tuple[float, float] | None, BeforeValidator(_two)] = Field(
        default=None, description="Wanted pass rate with `keep`, such as 0.1:0.8."
    )
    golden_calls: Annotated[tuple[int, int] | None, BeforeValidator(_two)] = Field(
        default=None, description="Wanted number of golden calls with `keep`, such as 4:12."
    )
    evolution_rounds: int = Field(default=1, ge=0, description="How often each task is made harder.")
    model: str = Field(
        default="", description="Model for every role, as a litellm model string; by default as in the settings."
    )
    api_base: str = Field(default="", description="Base URL of the model's endpoint, if not the provider's.")
    roles: dict[str, str] = Field(default={}, description="Role -> model string, for roles that differ from `model`.")
    catalogue: str = Field(
        default="",
        description="Set that each task's instance is drawn from, such as training, or FILE.toml[:SET]; empty = none.",
    )
    schedules: list[str] = Field(default=[], description="Price schedules to draw from; empty = those of training.")
    preferences: str = Field(default="", description="preferences.json, from which each task's user is dealt one.")
    descriptions: str = Field(default="", description="JSON file of measured descriptions of the catalogue's models.")
    cost_per_task: float | None = Field(
        default=None, ge=0, description="Dollars a kept task may cost before a check warns, or a fleet stops."
    )
    least_yield: float = Field(
        default=0.1,
        ge=0,
        le=1,
        description="In a fleet, the share of tested tasks that must be kept; with less, a domain is stopped early.",
    )

    release_proposed: bool = Field(
        default=False,
        description="In a fleet, switch proposed domains on, the cheapest first, while the budget pays for one more.",
    )

    @model_validator(mode="after")
    def _says_how_many(self) -> Self:
        if not self.keep and (self.pass_rate or self.golden_calls):
            raise ValueError("`pass_rate` and `golden_calls` say which tasks to keep: say with `keep` how many")
        if self.pass_rate and not 0 <= self.pass_rate[0] <= self.pass_rate[1] <= 1:
            raise ValueError("`pass_rate` is two shares, the lower one first, such as 0.1:0.8")
        if self.golden_calls and not 0 <= self.golden_calls[0] <= self.golden_calls[1]:
            raise ValueError("`golden_calls` is two numbers, the lower one first, such as 4:12")
        return self

    @model_validator(mode="after")
    def _has_a_budget_to_release_by(self) -> Self:
        if self.release_proposed and self.max_cost is None and self.max_calls is None:
            raise ValueError("`release_proposed` goes by a budget: give one with `max_cost` or `max_calls`")
        return self


def kind_of(option: str) -> Any:
    """The type of an option, whether or not it may be unset."""
    declared = RunOptions.model_fields[option].annotation
    return get_args(declared)[0] if get_origin(declared) is UnionType else declared


def usual(option: str) -> Any:
    """What holds of an option where nothing is chosen; None where that is for the settings or the command to say."""
    field = RunOptions.model_fields[option]
    return None if option in RunSettings.model_fields or field.is_required() else field.default
