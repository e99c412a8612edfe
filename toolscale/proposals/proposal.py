"""A proposed domain: what it is about, where in the tree it belongs, and a sketch of its tables."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from toolscale.artifacts.base import Artifact, Name, as_name
from toolscale.proposals.tree import Division, divisions

FEWEST_TABLES, MOST_TABLES = 4, 10
FEWEST_FIELDS, MOST_FIELDS = 2, 12
SHORTEST, LONGEST = 150, 1_500
"""Characters of a description."""

Sketch = Mapping[str, Sequence[str]]
"""Kind of record -> its main fields."""


class Origin(Artifact):
    """Where a domain comes from, as its file says: empty for one that nobody proposed."""

    division: str = Field(default="", description="Code of the division of ISIC that it belongs to, such as `49`.")
    topic: str = Field(default="", description="The topic of a user's own that it was proposed for.")
    released: Literal["", "budget"] = Field(
        default="", description="`budget` where a fleet's budget switched it on, and nobody need have read it."
    )
    tables: dict[Name, Annotated[list[Name], Field(max_length=200)]] = Field(
        default={}, max_length=200, description="Kind of record -> its main fields: what its schema is compared by."
    )


class Table(BaseModel):
    """A kind of record, as a model words it."""

    name: str
    fields: list[str]


class Worded(BaseModel):
    """A proposal as a model words it."""

    name: str = Field(description="Such as bicycle_rental.")
    division: str = Field(description="Two digits.")
    topic: str = Field(default="", description="The topic it is for, in the words of the list; empty for a division.")
    description: str
    tables: list[Table]


class Proposal(BaseModel):
    """A sound proposal."""

    model_config = ConfigDict(frozen=True)

    name: str
    description: str
    origin: Origin

    @property
    def division(self) -> Division:
        """Where in the tree it is."""
        return divisions()[self.origin.division]

    @classmethod
    def of(cls, worded: Worded, *, division: str, topic: str) -> Self:
        """A proposal as it will stand in its file, for its place; `faults` has found none in it."""
        tables = {as_name(table.name): [as_name(field) for field in table.fields] for table in worded.tables}
        origin = Origin(division=division, topic=topic, tables=tables)
        return cls(name=as_name(worded.name), description=in_one_line(worded.description), origin=origin)


def faults(worded: Worded) -> list[str]:
    """What a program has against the form of a proposal: none if it is sound."""
    return list(_faults(worded))


def in_one_line(text: str) -> str:
    """A text with single spaces between its words."""
    return " ".join(text.split())


def _faults(worded: Worded) -> Iterator[str]:
    if not as_name(worded.name):
        yield f"`{worded.name[:63]}` is no name: small letters, digits and underscores, at most 63, a letter first"
    said = in_one_line(worded.description)
    if not SHORTEST <= len(said) <= LONGEST:
        yield f"the description has {len(said)} characters; it must have {SHORTEST} to {LONGEST}"
    if not said.isprintable():
        yield "the description holds characters that cannot be seen"
    yield from _table_faults(worded.tables)


def _table_faults(tables: Sequence[Table]) -> Iterator[str]:
    names = [as_name(table.name) for table in tables]
    if not FEWEST_TABLES <= len(tables) <= MOST_TABLES or len(set(names)) < len(names):
        yield f"there are {len(set(names))} different tables; sketch {FEWEST_TABLES} to {MOST_TABLES}"
    if not all(names):
        yield "a table has no name of small letters, digits and underscores"
    for table in tables:
        fields = [as_name(field) for field in table.fields]
        if not FEWEST_FIELDS <= len(fields) <= MOST_FIELDS or not all(fields) or len(set(fields)) < len(fields):
            yield (
                f"table `{table.name[:63]}`: give {FEWEST_FIELDS} to {MOST_FIELDS} different fields, each a name of "
                "small letters, digits and underscores"
            )
