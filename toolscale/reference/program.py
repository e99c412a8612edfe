"""Task programs: what a reference domain knows how to ask for, and how to solve.

A program words a request from facts and carries a *solution*: a generator that calls functions, reads what comes back,
decides, and ends with a reply. The teacher runs it to make a task; the agent, which sees only the conversation,
recognises the program from the wording and runs the same solution, with mistakes.
"""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from random import Random
from typing import Any, NamedTuple, TypeVar

from toolscale.artifacts import Call, Operator
from toolscale.errors import UserError
from toolscale.reference.voices import VOICES, wording
from toolscale.templates.template import Pen, render

Facts = Mapping[str, Any]
"""What a request is about: slot name -> value. Values are what the functions take (ISO dates, keys, numbers)."""

Record = dict[str, Any]
"""What an entry says: field -> value."""

T = TypeVar("T")


class DeadEnd(Exception):  # noqa: N818 - it is not an error, it is where a draw leads nowhere
    """The drawn facts make no sensible task (nothing found, two equally good choices): draw again."""


class CallRefused(Exception):  # noqa: N818 - named after what happened to the call
    """A function refused the call; its message is the argument. Thrown into the solution, which may catch it."""


@dataclass(frozen=True)
class Choice:
    """A decision between candidates: the one with the smallest key."""

    candidates: Sequence[Any]
    key: Callable[[Any], Any]


@dataclass(frozen=True)
class Reply:
    """How a solution ends: what the agent says, and which strings of it the user needs to hear."""

    text: str
    tell: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        missing = [fact for fact in self.tell if fact not in self.text]
        if missing:
            raise ValueError(f"the reply does not say what it must tell: {missing}")


Solution = Generator[Call | Choice, Any, Reply]


def do(name: str, /, **arguments: Any) -> Call:
    """A call that a solution yields: ``result = yield do("get_booking", booking_id=...)``. None means: leave it out."""
    return Call(name=name, arguments={key: value for key, value in arguments.items() if value is not None})


def choose(candidates: Iterable[Any], key: Callable[[Any], Any]) -> Choice:
    """A decision that a solution yields: ``train = yield choose(trains, key=lambda t: t["price"])``.

    No candidate, or a tie for the best, is a dead end: the request would have no single right answer.
    """
    return Choice(list(candidates), key)


class World:
    """The entries a teacher can see: an excerpt of the database, perhaps narrowed down to one user."""

    def __init__(self, database: Mapping[str, Mapping[str, Record]], identity: str, user: str | None = None) -> None:
        self._database = database
        self.identity = identity
        self._user = user

    def rows(self, table: str) -> list[Record]:
        """The table's records, in stable order; only the user's own where they name a user."""
        records = self._database.get(table, {})
        return [
            record
            for _, record in sorted(records.items())
            if self._user is None or record.get(self.identity, self._user) == self._user
        ]

    def get(self, table: str, key: str) -> Record | None:
        """One record by key, if the excerpt holds it."""
        return self._database.get(table, {}).get(key)

    def record(self, key: str) -> Record | None:
        """The record with that key in whatever table, if the excerpt holds it; ids are nobody else's."""
        return next((records[key] for records in self._database.values() if key in records), None)

    def narrowed_to(self, user: str) -> "World":
        """The same world as far as one user is concerned."""
        return World(self._database, self.identity, user)


def pick(rng: Random, candidates: Iterable[T]) -> T:
    """One of the candidates; a dead end if there is none."""
    pool = list(candidates)
    if not pool:
        raise DeadEnd("nothing to pick from")
    return rng.choice(pool)


Steps = Generator[Call | Choice, Any, Any]
"""A part of a solution, which returns what it found out."""


OUTCOME = "outcome"
"""Among the facts of a twist that `takes`: what the functions returned."""

Outcomes = list[tuple[Call, Any]]
"""Calls that returned, with their results."""


def no_facts(world: World, rng: Random, facts: Facts) -> Facts:
    """What a twist adds that says it all itself."""
    return {}


@dataclass(frozen=True)
class Twist:
    """A sentence that makes a request harder, and the facts it adds for the solution to reckon with.

    ``voices`` word it (slots are the facts that ``draw`` adds); ``sets`` are facts that the sentence itself implies. A
    twist that suits any request of its domain brings its own steps instead: ``before`` returns a reply if the request
    is not to be fulfilled at all and None otherwise, ``after`` returns a reply that is added to the request's own.

    ``takes`` names functions from whose result ``after`` goes on, as the fact `OUTCOME`: the one result that the
    request itself led to, or with ``of_all`` all results, two at least, that the user's requests led to so far.
    """

    name: str
    operator: Operator
    voices: Mapping[str, str]
    draw: Callable[[World, Random, Facts], Facts] = no_facts
    sets: Facts = field(default_factory=dict)
    suits: str = ""
    """A pattern that the names of the programs begin with for which it makes sense; empty: all of them."""
    before: Callable[[Facts], Steps] | None = None
    after: Callable[[Facts], Solution] | None = None
    takes: tuple[str, ...] = ()
    of_all: bool = False


@dataclass(frozen=True)
class Description:
    """Another way to name what a slot holds, for a user who does not know its id, so that the agent must find it.

    ``voices`` word a phrase that can stand where the id would; ``draw`` sees the id among the facts; ``find`` are the
    steps that lead from the phrase's facts (and the user's identity) to the id, and return it. ``unknown`` is what the
    user says of it, such as "I do not have the booking number".
    """

    slot: str
    voices: Mapping[str, str]
    draw: Callable[[World, Random, Facts], Facts]
    find: Callable[[Facts], Steps]
    unknown: str


@dataclass(frozen=True)
class Refusal:
    """Why a request is refused: the rule in the domain's `rules.py`, and the steps of an agent that gives in.

    A rehearsal makes those steps: the environment must refuse one of them, or the rule must be broken by them.
    """

    rule: str
    giving_in: Callable[[Facts], Steps]


@dataclass(frozen=True)
class Program:
    """A request in several voices, the entries it is drawn from, and the solution that fulfils it.

    ``again`` names the slot that can be repeated ("the same for ..."): the solution is then followed once for each.
    Where the domain's policy forbids the request, ``refusal`` says so, and ``solve`` is what the agent does instead:
    it looks up, does what is allowed, and tells the fact that proves the refusal.
    """

    name: str
    intent: str
    voices: Mapping[str, str]
    draw: Callable[[World, Random], Facts]
    solve: Callable[[Facts], Solution]
    twists: tuple[Twist, ...] = ()
    unknown: str = ""
    again: str = ""
    refusal: Refusal | None = None


class Twisted(NamedTuple):
    """A twist with the facts that were drawn for it."""

    twist: Twist
    drawn: Facts


class Described(NamedTuple):
    """A description with the facts that were drawn for it."""

    description: Description
    drawn: Facts


@dataclass(frozen=True)
class Goal:
    """One thing the user wants: a program with what was drawn for it, and all that was added since."""

    program: Program
    drawn: Facts
    twists: tuple[Twisted, ...] = ()
    described: tuple[Described, ...] = ()
    repeats: tuple[str, ...] = ()
    """Further values of the program's ``again`` slot."""
    instead: bool = False
    """Whether it is wanted only because the goal before it cannot be had."""

    @property
    def facts(self) -> dict[str, Any]:
        """What the solution reckons with: a later twist overrides what came before it."""
        facts = dict(self.drawn)
        for twist, drawn in self.twists:
            facts |= {**twist.sets, **drawn}
        return facts

    def with_twist(self, twist: Twist, drawn: Facts) -> "Goal":
        """The goal with one more twist."""
        return replace(self, twists=(*self.twists, Twisted(twist, drawn)))

    def lines(self, voice: str, pen: Pen | None = None) -> list[str]:
        """The goal as a user words it: the request, a line for each twist, a line for each repetition.

        What is about the request itself stands next to it, whenever it was added: "the same for ..." after a question
        about something else would mean the question.
        """
        phrases = {
            description.slot: worded(f"description `{description.slot}`", description.voices, voice, drawn, pen)
            for description, drawn in self.described
        }
        said = [
            (_place(twist), worded(f"twist `{twist.name}`", twist.voices, voice, drawn, pen))
            for twist, drawn in self.twists
        ]
        said += [(_REPEATS, render(VOICES[voice].again, {"again": value}, pen)) for value in self.repeats]
        facts = {**self.drawn, **phrases}
        request = worded(f"program `{self.program.name}`", self.program.voices, voice, facts, pen)
        return [request, *(line for _, line in sorted(said, key=lambda each: each[0]))]

    @property
    def unknown(self) -> list[str]:
        """What the user does not know, in templates."""
        found = [self.program.unknown, *(description.unknown for description, _ in self.described)]
        return [text for text in found if text]


def worded(what: str, voices: Mapping[str, str], voice: str, facts: Facts, pen: Pen | None = None) -> str:
    """The template that the voice uses, with the facts in its slots.

    Raises:
        UserError: a slot has no fact; names what is worded, and the voice whose template it is.
    """
    template = wording(voices, voice)
    try:
        return render(template, facts, pen)
    except KeyError as slot:
        own = next(name for name, text in voices.items() if text == template)
        raise UserError(
            f"{what}, voice `{own}`: no fact fills the slot `{slot.args[0]}`; there are {', '.join(facts) or 'none'}"
        ) from None


_REPEATS = 2


def _place(twist: Twist) -> int:
    """Where a twist's line stands: conditions of the whole request, its changes, repetitions, and what goes beyond."""
    if twist.before:
        return 0
    return 3 if twist.after or twist.operator == "distractor" else 1


def asked_last(goals: Sequence[Goal]) -> list[Goal]:
    """The goals with the questions beside them after all of them, so that what is told is how things are in the end.

    What goes on from the outcome of one request stays with it.
    """
    *others, last = goals
    questions = tuple(each for goal in goals for each in goal.twists if _asks_beside(each.twist))
    return [_without_questions(each) for each in others] + [
        replace(last, twists=(*_without_questions(last).twists, *questions))
    ]


def _asks_beside(twist: Twist) -> bool:
    return bool(twist.after) and (twist.of_all or not twist.takes)


def _without_questions(goal: Goal) -> Goal:
    return replace(goal, twists=tuple(each for each in goal.twists if not _asks_beside(each.twist)))


def pursue(goals: Sequence[Goal], seen: Outcomes | None = None) -> Solution:
    """One solution for several goals: one after the other, and one reply that covers them all.

    ``seen`` holds what the user's earlier goals led to, and gets what these lead to.
    """
    seen = [] if seen is None else seen
    replies: list[Reply] = []
    for goal in goals:
        replies += yield from _fulfil(goal, seen)
    return Reply(" ".join(reply.text for reply in replies), tuple(fact for reply in replies for fact in reply.tell))


def _fulfil(goal: Goal, seen: Outcomes) -> Generator[Call | Choice, Any, list[Reply]]:
    facts = goal.facts
    for description, drawn in goal.described:
        facts[description.slot] = yield from description.find({**facts, **drawn})
    replies: list[Reply] = []
    for twist, drawn in goal.twists:
        if twist.before and (stopped := (yield from twist.before({**facts, **drawn}))):
            replies.append(stopped)
            break
    before = len(seen)
    for value in () if replies else (None, *goal.repeats):
        solution = goal.program.solve(facts if value is None else {**facts, goal.program.again: value})
        replies.append((yield from _noted(solution, seen)))
    own = seen[before:]
    for twist, drawn in goal.twists:
        if twist.after:
            taken = _taken(twist, seen if twist.of_all else own)
            replies.append((yield from _noted(twist.after({**facts, **drawn, **taken}), seen)))
    return replies


def _taken(twist: Twist, seen: Outcomes) -> Facts:
    """What a twist goes on from."""
    if not twist.takes:
        return {}
    found = [result for call, result in seen if call.name in twist.takes]
    if twist.of_all and len(found) > 1:
        return {OUTCOME: found}
    if twist.of_all or len(found) != 1:
        raise DeadEnd("nothing came of it that one could go on from")
    return {OUTCOME: found[0]}


def _noted(solution: Solution, seen: Outcomes) -> Solution:
    """The solution itself, noting what its calls returned."""
    go_on: Callable[[], Call | Choice] = partial(next, solution)
    while True:
        try:
            step = go_on()
        except StopIteration as end:
            reply: Reply = end.value
            return reply
        try:
            answer = yield step
        except CallRefused as refusal:
            go_on = partial(solution.throw, refusal)
        else:
            if isinstance(step, Call):
                seen.append((step, answer))
            go_on = partial(solution.send, answer)


@lru_cache(maxsize=4096)
def calls(steps: Callable[..., Any], functions: frozenset[str]) -> frozenset[str]:
    """Which of the functions a solution, or a part of it that it hands over to, may call: those that its code names."""
    seen: set[Any] = set()
    found: set[str] = set()
    waiting: list[Any] = [steps]
    while waiting:
        function = waiting.pop()
        if isinstance(function, str) and function in functions:  # what a part of the kit was made for
            found.add(function)
        code = getattr(function, "__code__", None)
        if code is None or function in seen:
            continue
        seen.add(function)
        found |= {constant for constant in code.co_consts if isinstance(constant, str) and constant in functions}
        waiting += [function.__globals__.get(name) for name in code.co_names]
        waiting += [cell.cell_contents for cell in function.__closure__ or ()]
        waiting += function.__defaults__ or ()
    return frozenset(found)
