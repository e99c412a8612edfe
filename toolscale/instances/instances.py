"""Instances, drawn: the same task and seed, the same tools, prices and preference, wherever the task is played."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from random import Random

from toolscale.artifacts import EnvironmentSpec, Task
from toolscale.artifacts.base import Split, canonical_json
from toolscale.catalogue.catalogue import CatalogueTool, described, read_tools
from toolscale.catalogue.configuration import draw_configuration
from toolscale.catalogue.prices import TRAINING, schedule
from toolscale.catalogue.servers import told_by_servers
from toolscale.descriptions.description import read_descriptions
from toolscale.errors import UserError
from toolscale.instances.instance import Instance
from toolscale.preferences.preference import Preference, read_preferences
from toolscale.rewards.preference import BEYOND_TOOLS


@dataclass(frozen=True)
class InstanceOptions:
    """What instances are drawn from."""

    catalogue: str
    """Set of tools."""
    schedules: tuple[str, ...] = TRAINING
    """Price schedules."""
    preferences: Path | None = None
    """File of preferences over the catalogue; those of a split are dealt to the tasks of that split."""
    descriptions: Path | None = None
    """File of measured descriptions and latencies of models."""
    seed: int = 0
    needed: tuple[str, ...] = ()
    """Tools that every configuration has."""


def instance_options(
    catalogue: str, schedules: Sequence[str], preferences: Path | None, descriptions: Path | None, seed: int
) -> InstanceOptions | None:
    """The options that a command was given; None without a catalogue. Without schedules those of training.

    Raises:
        UserError: preferences are named, and no catalogue that they are over.
    """
    if not catalogue:
        if preferences:
            raise UserError("--preferences are over the tools of a catalogue: name one with --catalogue")
        return None
    return InstanceOptions(catalogue, tuple(schedules) or TRAINING, preferences, descriptions, seed)


class Instances:
    """Draws one instance after the other. What a task gets depends on its id and the options alone."""

    def __init__(self, options: InstanceOptions) -> None:
        """Read catalogue, preferences and descriptions.

        Raises:
            UserError: one of them cannot be read, or a preference wants a tool that the catalogue does not have.
        """
        self._options = options
        told = read_descriptions(options.descriptions) if options.descriptions else {}
        tools = told_by_servers(read_tools(options.catalogue))
        self._tools = described(tools, {name: each.description for name, each in told.items()})
        self._latencies = {name: each.latency for name, each in told.items() if each.latency is not None}
        self._schedules = [schedule(name) for name in options.schedules]
        kept = read_preferences(options.preferences).kept if options.preferences else []
        for preference in kept:
            self._see_that_it_is_about_these_tools(preference)
        self._preferences = {name: [one for one in kept if one.split == name] for name in ("train", "eval")}

    @classmethod
    def beside_functions(cls, options: InstanceOptions) -> "Instances":
        """Instances of a domain's tasks: beside its functions each has a generalist to ask, at least.

        Raises:
            UserError: see above; or the catalogue has no generalist, or none that one of the schedules prices.
        """
        drawn = cls(options)
        if not any(tool.role == "generalist" for tool in drawn._tools):
            raise UserError(
                f"the catalogue {options.catalogue} has no generalist, and every domain task is to offer one: name a "
                "model in `generalist` of the set, or take another set"
            )
        drawn.of("any", "train")
        return drawn

    @property
    def told(self) -> dict[str, str]:
        """What they are drawn from, for a dataset's card."""
        options = self._options
        return {
            "catalogue": options.catalogue,
            "schedules": ", ".join(options.schedules),
            "seed": str(options.seed),
            "preferences": "yes" if options.preferences else "no",
        }

    @property
    def fingerprint(self) -> str:
        """Follows from all that they depend on."""
        parts: list[object] = [self._options.seed, *self._options.needed]
        parts += [tool.model_dump(mode="json") for tool in self._tools]
        parts += [
            [prices.name, {name: each.model_dump() for name, each in prices.prices.items()}]
            for prices in self._schedules
        ]
        parts += [[name, each.model_dump()] for name, each in sorted(self._latencies.items())]
        parts += [one.model_dump(mode="json") for split in self._preferences.values() for one in split]
        return sha256(canonical_json(parts).encode()).hexdigest()

    def of(self, task: str, split: Split, taken: Collection[str] = ()) -> Instance:
        """The instance of a task.

        Args:
            task: its id.
            split: its preference is one of this split that says something about the drawn tools, if there is one.
            taken: names that the task's own functions have; a tool of such a name is not offered.

        Raises:
            UserError: no schedule prices what every instance must have.
        """
        tools: Sequence[CatalogueTool] = [tool for tool in self._tools if tool.name not in taken]
        configuration = draw_configuration(
            tools,
            task,
            seed=self._options.seed,
            schedules=self._schedules,
            needed=self._options.needed,
            latencies=self._latencies,
            catalogue=self._options.catalogue,
        )
        return Instance(configuration=configuration, preference=self._preference(task, split, configuration.names))

    def of_task(self, task: Task, environment: EnvironmentSpec, split: Split) -> Instance:
        """The instance of a domain's task."""
        return self.of(task.id, split, {function.name for function in environment.functions})

    def _preference(self, task: str, split: Split, offered: Sequence[str]) -> Preference | None:
        suiting = [one for one in self._preferences[split] if one.suits(offered)]
        if not suiting:
            return None
        return Random(canonical_json(["preference", self._options.seed, task])).choice(suiting).among(offered)

    def _see_that_it_is_about_these_tools(self, preference: Preference) -> None:
        names = {tool.name for tool in self._tools}
        if unknown := sorted(preference.wants.keys() - {*names, *BEYOND_TOOLS}):
            raise UserError(
                f"{self._options.preferences}: preference {preference.id} wants {unknown[0]}, which the catalogue "
                f"{self._options.catalogue} does not offer: name the catalogue that the preferences were made for"
            )
