"""What a dataset's rows themselves do not tell."""

from pathlib import Path

from pydantic import BaseModel, ValidationError

from toolscale.artifacts import GATES
from toolscale.artifacts.task import GateName
from toolscale.dataset.pass_rates import Conditions

ABOUT = "about.json"


class About(BaseModel):
    """Who made the dataset and what it cost; stands as ``about.json`` in its folder."""

    models: dict[str, list[str]] = {}
    """Role -> the models that answered for it."""
    prompts: dict[str, str] = {}
    """Prompt -> hash."""
    dollars: float | None = 0.0
    """What the model calls recorded for these domains cost, over all runs; None where a price is not known."""
    calls: int = 0
    """Model calls recorded for these domains, over all runs."""
    preferences: dict[str, str] = {}
    """Of the config `preferences`: the catalogue, and the models that proposed and validated."""
    instances: dict[str, str] = {}
    """Of the tasks' instances: the catalogue, the schedules, the seed, and whether preferences were dealt."""
    gates: list[str] = []
    """The gates that every task passed."""
    attempts: Conditions = Conditions()
    """The settings under which the tasks' own attempts were made."""
    held_out_domains: list[str] = []
    """The domains that are in `eval` wholly."""

    def as_json(self) -> str:
        """As it stands in the folder. A dataset without instances does not speak of them."""
        left_out = None if self.instances else {"instances"}
        return self.model_dump_json(indent=1, exclude=left_out) + "\n"

    @property
    def known_gates(self) -> list[GateName]:
        """Of these gates those that this version knows."""
        return [gate for gate in GATES if gate in self.gates]

    @property
    def offline(self) -> bool:
        """True if the offline model had a part in it."""
        return any(model.startswith("offline/") for models in self.models.values() for model in models)


def read_about(folder: Path) -> About:
    """What stands in a dataset folder; where there is nothing that can be read, the cost is not known."""
    try:
        return About.model_validate_json((folder / ABOUT).read_bytes())
    except (FileNotFoundError, ValidationError):
        return About(dollars=None)
