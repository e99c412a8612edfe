"""Task programs: what draws requests of one kind from a database, words them, and does what an ideal agent would."""

from typing import Literal

from pydantic import Field

from toolscale.artifacts.base import Artifact, Json, Name
from toolscale.artifacts.kinds import FactKind, Operator

Fact = str | int | float | bool
"""What a slot of a wording can be filled with."""

Facts = dict[str, Fact]
"""What a request is about: slot name -> value, as the functions take it (ISO dates, keys, numbers)."""


class ProgramAnswer(Artifact):
    """What a user may be told."""

    kind: FactKind
    called: str = Field(min_length=1, description="What a user calls it, as a noun: `the late fee`.")


class ProgramWording(Artifact):
    """A request as one kind of person puts it. All texts are templates over the facts, see `toolscale/templates`."""

    persona: str = Field(min_length=1, description="Who speaks so, in a sentence.")
    text: str = Field(min_length=1, description="What the user wants, in the first person.")
    known: str = Field(min_length=1, description="Who the user is, as they would say it when asked.")
    asks: dict[str, str] = Field(default_factory=dict, description="Answer -> the words of the text that ask for it.")


class ProgramTwist(Artifact):
    """A sentence that makes a request of its program harder; `solve` finds its name among the facts, as true.

    The module may define ``draw_NAME(db, rng, facts)``, which returns the facts that the sentence adds, and
    ``then_NAME(call, facts, told)``, steps that follow, which return further answers. A twist that `replaces` a slot
    words what stands in its place, and ``find_NAME(call, facts)`` leads from there to the value.
    """

    name: Name
    operator: Operator
    wordings: list[str] = Field(min_length=1, description="Templates of the sentence, or of what replaces a slot.")
    asks: dict[str, str] = Field(default_factory=dict, description="Answer -> the words that ask for it.")
    replaces: str = Field(default="", description="The slot whose value the user does not know and describes.")


class TaskProgram(Artifact):
    """A program that makes tasks of one kind: ``draw(db, rng)`` and ``solve(call, facts)``, with how users word it.

    Its source runs in the sandbox and nowhere else. Programs of one domain can be composed for one user.
    """

    id: str
    domain: Name
    intent: str = Field(min_length=1, description="The purpose that its tasks have.")
    name: Name
    user: Name = Field(description="The fact that says who the user is: a key.")
    wordings: list[ProgramWording] = Field(min_length=1)
    answers: dict[str, ProgramAnswer] = Field(
        default_factory=dict, description="What `solve`, and what follows in twists, may return, by name."
    )
    operator: Operator | None = Field(default=None, description="What makes it hard from the start, if anything.")
    again: str = Field(default="", description='The slot that "the same for another" is about, if that makes sense.')
    changes: str = Field(default="", description="The slot that the user may name wrongly at first, if any.")
    corrections: list[str] = Field(
        default_factory=list,
        description="Templates in which the user takes it back, over `at_first` and `instead`; else some that fit all.",
    )
    twists: list[ProgramTwist] = Field(default_factory=list)
    others: list[str] = Field(default_factory=list, description="Facts that rightly name what belongs to another user.")
    colour: list[str] = Field(
        default_factory=list,
        description="Facts on which nothing hangs: words of the story that fit what was drawn, without figures.",
    )
    source: str = Field(description="Python source of its functions; never run outside the sandbox.")

    def twist(self, name: str) -> ProgramTwist:
        """The twist of that name."""
        return next(twist for twist in self.twists if twist.name == name)


class DrawnTwist(Artifact):
    """A twist with the facts that were drawn for it."""

    name: Name
    facts: Facts = Field(default_factory=dict)


class Bound(Artifact):
    """What an answer to an earlier goal is held against: the goal is wanted only if it is more, or if it is less."""

    goal: int = Field(ge=0)
    answer: str
    above: float | None = None
    below: float | None = Field(default=None, description="Given in place of `above` where less is wanted.")

    @property
    def figure(self) -> float:
        """The figure that the user names."""
        return self.above if self.above is not None else self.below or 0.0


class Goal(Artifact):
    """One thing that a user wants: a program, what was drawn for it, and what was added since."""

    program: Name
    draw: str = Field(description="The seed that it was drawn with.")
    facts: Facts
    twists: list[DrawnTwist] = Field(default_factory=list)
    repeats: list[Fact] = Field(default_factory=list, description="Further values of the slot `again`.")
    at_first: Fact | None = Field(default=None, description="What the user says first in the slot `changes`.")
    totals: list[str] = Field(default_factory=list, description="Answers whose sum over all repeats is asked for.")
    joined: Literal["also", "instead", "if"] = Field(
        default="also", description="Wanted too, or because the goal before cannot be had, or if its bound holds."
    )
    bound: Bound | None = None


class Told(Artifact):
    """An answer that a solution came to."""

    goal: int
    turn: int = Field(default=0, description="Which repeat it answers; 0 is the first.")
    twist: str = Field(default="", description="The twist that asks for it, if one does.")
    name: str
    value: Json
