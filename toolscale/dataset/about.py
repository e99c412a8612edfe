"""What a dataset's rows themselves do not tell."""

from pydantic import BaseModel

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

    @property
    def offline(self) -> bool:
        """True if the offline model had a part in it."""
        return any(model.startswith("offline/") for models in self.models.values() for model in models)
