"""Entries: the records that fill the database."""

from pydantic import Field

from toolscale.artifacts.base import Artifact, Json, Name


class Entry(Artifact):
    """One record of one table, and the subject it was written for."""

    domain: Name
    table: str
    key: str
    record: dict[str, Json]
    subject: str = Field(description="The subject whose answer held this entry.")


Database = dict[str, dict[str, dict[str, Json]]]
"""Table -> key -> record."""
