"""The stages, from a domain to verified tasks, in the order in which they are run.

Whatever knows the stages reads this list: the assets and their versions, the estimate, what runs them without Dagster.
Which role answers for what is asked stands in `toolscale/stages.py`.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args, get_origin, get_type_hints

from toolscale.artifacts import Domain
from toolscale.stages import ROLES, Role, Stage
from toolscale.synthesis.assembly import assemble
from toolscale.synthesis.entries import write_entries
from toolscale.synthesis.evolution import evolve_tasks
from toolscale.synthesis.functions import plan_functions, write_functions
from toolscale.synthesis.intents import propose_intents
from toolscale.synthesis.programs import write_programs
from toolscale.synthesis.quota import verified_tasks
from toolscale.synthesis.rules import write_rules
from toolscale.synthesis.run import DomainRun
from toolscale.synthesis.schema import design_schema
from toolscale.synthesis.sifted import Sifted
from toolscale.synthesis.subjects import propose_subjects
from toolscale.synthesis.tasks import propose_tasks


@dataclass(frozen=True)
class SynthesisStage:
    """One stage: what it is called, and what its rows follow from."""

    name: str
    group: Literal["environment", "tasks"]
    function: Callable[..., Any]
    """Takes the run, and what it reads under the names of the stages that made it. One that asks nobody takes the
    domain and the seed in place of the run."""
    asks: tuple[Stage, ...] = ()
    """What it asks models for, as the ledger names it; what it asks most often first."""
    prompts: tuple[str, ...] = ()
    """Names of the prompts that it renders."""
    told: tuple[str, ...] = ("seed",)
    """Names of settings that it goes by: of `Settings`, or of what is chosen for a run."""

    @property
    def description(self) -> str:
        """What it makes, and how: the words of its function."""
        return inspect.cleandoc(self.function.__doc__ or "").partition("\n\nArgs:")[0].partition("\n\nRaises:")[0]

    @property
    def roles(self) -> tuple[Role, ...]:
        """The roles that it asks, each once."""
        return tuple(dict.fromkeys(ROLES[each] for each in self.asks))

    @cached_property
    def reads(self) -> Mapping[str, Any]:
        """Name of what it reads -> its form: the domain, and artifacts of earlier stages."""
        hints = get_type_hints(self.function)
        parameters = inspect.signature(self.function).parameters.values()
        named = [each.name for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD]
        return {"domain": Domain} | {name: hints[name] for name in named if name != "run"}

    @cached_property
    def makes(self) -> Any:
        """What it gives: an artifact, a list of artifacts, or these with what was refused."""
        return get_type_hints(self.function)["return"]

    @property
    def kind(self) -> Any:
        """The artifact that it makes, one or many of."""
        return get_args(self.makes)[0] if get_origin(self.makes) else self.makes

    async def make(self, run: DomainRun, made: Mapping[str, Any]) -> Any:
        """What it makes of what the stages before it made."""
        read = {name: made[name] for name in self.reads if name != "domain"}
        if not self.asks:
            return self.function(run.domain, **read, seed=run.seed)
        return await self.function(run, **read)


def kept_of(made: Any) -> Any:
    """What later stages read of what a stage gave."""
    return made.kept if isinstance(made, Sifted) else made


CHAIN = (
    SynthesisStage("subjects", "environment", propose_subjects, asks=("subjects",), prompts=("subjects",)),
    SynthesisStage("schema", "environment", design_schema, asks=("schema",), prompts=("schema",)),
    SynthesisStage(
        "entries",
        "environment",
        write_entries,
        asks=("entries", "validation"),
        prompts=("entries", "validation"),
        told=("seed", "entries_scale"),
    ),
    SynthesisStage(
        "functions_plan", "environment", plan_functions, asks=("functions_plan",), prompts=("functions_plan",)
    ),
    SynthesisStage("functions", "environment", write_functions, asks=("functions",), prompts=("function",)),
    SynthesisStage("rules", "environment", write_rules, asks=("rules",), prompts=("rules",)),
    SynthesisStage("environment", "environment", assemble),
    SynthesisStage("intents", "tasks", propose_intents, asks=("intents",), prompts=("intents",)),
    SynthesisStage(
        "programs",
        "tasks",
        write_programs,
        asks=("programs", "reading"),
        prompts=("programs", "programs_example", "agent"),
        told=("seed", "task_source", "max_turns"),
    ),
    SynthesisStage(
        "tasks",
        "tasks",
        propose_tasks,
        asks=("tasks", "rewording"),
        prompts=("tasks", "task_rules", "rewording"),
        told=("seed", "tasks_per_domain", "keep", "refusals", "task_source", "program_share"),
    ),
    SynthesisStage(
        "evolved_tasks",
        "tasks",
        evolve_tasks,
        asks=("evolution", "rewording"),
        prompts=("evolution", "task_rules", "rewording"),
        told=("seed", "evolution_rounds", "operators"),
    ),
    SynthesisStage(
        "verified_tasks",
        "tasks",
        verified_tasks,
        asks=("episode", "user", "policy", "openness", "tasks", "evolution", "rewording"),
        prompts=("judge_policy", "openness", "agent", "user", "tasks", "evolution", "task_rules", "rewording"),
        told=(
            *("seed", "attempts", "attempts_stop", "wanted_pass_rate", "user_mode", "max_turns"),
            *("keep", "pass_rate", "golden_calls", "refusals", "operators", "evolution_rounds"),
            *("task_source", "program_share"),
        ),
    ),
)
