"""What a stage gives back: what it keeps, and what it refused with the reasons."""

from dataclasses import dataclass, field
from typing import Generic, TypeVar

from toolscale.artifacts import Reject

T = TypeVar("T")


@dataclass(frozen=True)
class Sifted(Generic[T]):
    """The kept and the refused. Rejects are kept too: they were paid for, and they tell how a run went."""

    kept: list[T]
    rejects: list[Reject] = field(default_factory=list)
