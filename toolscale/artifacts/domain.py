"""Domain, subjects and intents: the words a factory run starts from."""

from datetime import datetime

from pydantic import Field

from toolscale.artifacts.base import Artifact, Name

PRESENT = datetime(2026, 11, 23, 9, 0)
"""The moment at which a domain lives unless its description says otherwise: a Monday morning."""


class Domain(Artifact):
    """A field of life that tasks are made for. Its name is the partition key of every asset."""

    name: Name
    description: str = Field(min_length=1, description="What the domain covers, in a sentence or two.")
    now: datetime = Field(default=PRESENT, description="The frozen clock of its environment (naive, local time).")


class Subject(Artifact):
    """One of the domain's major subjects; entries are written subject by subject."""

    domain: Name
    name: str = Field(min_length=1)


class Intent(Artifact):
    """A purpose that a user of the domain could come with, and that its functions can serve."""

    id: str
    domain: Name
    purpose: str = Field(min_length=1)
