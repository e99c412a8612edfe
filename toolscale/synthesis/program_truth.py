"""What a task program says must be true: its facts of the records, its answers of what was returned, and its calls must
be about what is the user's.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from toolscale.artifacts import CallOutcome, Fact, Facts, Goal, Json, TaskProgram, canonical_json
from toolscale.checkers.values import leaves
from toolscale.programs import Solution, Workshop
from toolscale.programs.workshop import User
from toolscale.templates.template import slots

RETURNED = ("id", "name", "address")
"""Kinds of answers that are told as the functions write them: nobody works them out."""

CONSTANT = 8
"""Tasks in which an answer must have been told before it is said never to change."""

TOGETHER = 1 / 2
"""The share of draws with somebody else's record in which a call must bring it together with what is the user's."""

_PIECES = re.compile(r"[^\W\d_]+|\d+")
_JOINING = frozenset({"and", "or", "of", "the", "to", "from", "in", "at", "on", "by", "for", "no"})


@dataclass(frozen=True)
class Made:
    """A draw that makes a task."""

    goal: Goal
    solution: Solution

    @property
    def does(self) -> str:
        """What is called and told, as text."""
        calls = [[call.name, call.arguments] for call in self.solution.made]
        return canonical_json([calls, [[each.name, each.value] for each in self.solution.told]])

    @property
    def said(self) -> Facts:
        """All that the user says, with what twists add."""
        return self.goal.facts | {name: value for each in self.goal.twists for name, value in each.facts.items()}


def facts_of_text(program: TaskProgram) -> list[str]:
    """The facts that the request itself says, but for who the user is."""
    said = set[str]().union(*(slots(wording.text) for wording in program.wordings))
    return sorted(said - {program.user})


def untrue(workshop: Workshop, program: TaskProgram, made: Sequence[Made], name: str) -> Facts | None:
    """What was said in the first draw in which a fact is not what the records say; None if it always is.

    A fact of the text may say something of a record that another fact names, or of what that refers to ("hire HI-7273,
    the wet saw"); one that is only said to say who the user is, something of the user's own.
    """
    in_text = name in facts_of_text(program) or any(name not in each.goal.facts for each in made)
    for each in made:
        user, value = workshop.user(program, each.goal.facts), each.said[name]
        if user is None:
            return each.said
        records = _named(workshop, each, name, user)
        if not in_text:
            if isinstance(value, str) and workshop.owner(value, user) == user.key:
                continue
            records += workshop.behind(user.key)
        if not any(_says(record, value) for record in records):
            return each.said
    return None


def misnamed(workshop: Workshop, program: TaskProgram, made: Sequence[Made], name: str) -> Json:
    """What the user's own record has in the field called like a fact, where a draw says something else; else None."""
    for each in made:
        user = workshop.user(program, each.goal.facts)
        record = {} if user is None else workshop.record_of(user)
        if record.get(name) is not None and not _says({name: record[name]}, each.goal.facts[name]):
            return record[name]  # type: ignore[no-any-return]
    return None


def mistakable(workshop: Workshop, program: TaskProgram, made: Sequence[Made]) -> tuple[int, Facts] | None:
    """The number of a wording whose `known` fits others' records too, and what it says then; None if none does.

    Who does not say the key of their own record says what only that record has, such as an address.
    """
    for number, wording in enumerate(program.wordings, start=1):
        names = slots(wording.known)
        for each in () if program.user in names else made:
            user = workshop.user(program, each.goal.facts)
            said = {name: each.goal.facts[name] for name in names}
            if user and not _is_alone(workshop.records(user.table), user.key, said):
                return number, said
    return None


def _is_alone(records: Mapping[str, Json], own: str, said: Facts) -> bool:
    """Whether what is said stands in the user's own record, and all of it in no other of its table."""
    fits = (
        key
        for key, record in records.items()
        if isinstance(record, Mapping) and all(_says(record, value) for value in said.values())
    )
    return [*fits] == [own]


def _named(workshop: Workshop, made: Made, name: str, user: User) -> list[Mapping[str, Json]]:
    """The records that other facts name, and what these refer to."""
    others = [value for other, value in made.said.items() if other != name and isinstance(value, str)]
    return [record for value in others if value != user.key for record in workshop.behind(value, but=user)]


def _says(record: Mapping[str, Json], value: Fact) -> bool:
    """Whether a value stands in a record, or is put together from what stands there."""
    there = [leaf for _, leaf in leaves(dict(record))]
    if isinstance(value, str) and (pieces := _pieces([value])):
        return pieces <= _pieces(there)
    return any(leaf == value and isinstance(leaf, bool) == isinstance(value, bool) for leaf in there)


def _pieces(values: Iterable[object]) -> set[str]:
    """The words and figures of values, however they are joined: of `HI-7273`, `hi` and `7273`."""
    return {piece for value in values for piece in _PIECES.findall(str(value).casefold())}


def invented_answers(program: TaskProgram, made: Sequence[Made], policy: str) -> Iterator[str]:
    """Answers that come from nowhere, the first of each name: neither returned nor said, or always the same."""
    told: dict[str, list[tuple[Json, Made]]] = {}
    for each in made:
        for answer in each.solution.told:
            told.setdefault(answer.name, []).append((answer.value, each))
    for name, answers in told.items():
        kind = program.answers[name].kind
        strange = [found for found in answers if kind in RETURNED and not _is_found(*found, policy)]
        if strange:
            yield (
                f"the answer `{name}` is {strange[0][0]!r} for {shown(strange[0][1].said)}, which no call returned: "
                f"an answer of kind `{kind}` is told as the functions write it; take it from a result"
            )
        elif _is_constant(answers) and not all(_is_returned(*found, policy) for found in answers):
            yield (
                f"the answer `{name}` is {answers[0][0]!r} in all {len(answers)} tasks, and no call returns it: work "
                "it out from what the calls return, or let `draw` pick requests on which it differs"
            )


def _is_found(value: Json, made: Made, policy: str) -> bool:
    known = _pieces([*_returned(made.solution.calls), *made.said.values(), *made.goal.repeats, policy])
    return _pieces([value]) <= known | _JOINING


def _is_returned(value: Json, made: Made, policy: str) -> bool:
    record: dict[str, Json] = {"returned": _returned(made.solution.calls)}
    return _says(record, value) or _pieces([f"{value:g}" if isinstance(value, float) else value]) <= _pieces([policy])  # type: ignore[arg-type]


def _is_constant(answers: Sequence[tuple[Json, Made]]) -> bool:
    return len(answers) >= CONSTANT and len({canonical_json(value) for value, _ in answers}) == 1


def _returned(calls: Sequence[CallOutcome]) -> list[Json]:
    """All that came back, refusals too."""
    return [leaf for done in calls for _, leaf in leaves(done.result if done.ok else done.error)]


@dataclass(frozen=True)
class _Use:
    """A call that returned and is about what belongs to another user."""

    made: Made
    done: CallOutcome
    value: str
    owner: str
    user: User
    beside: bool
    """Whether it names what is the user's as well."""


def strangers(workshop: Workshop, program: TaskProgram, made: Sequence[Made]) -> str:
    """Which call is wrongly about what belongs to another user; empty if none is."""
    together: dict[str, bool] = {}
    alone: list[_Use] = []
    for each in made:
        user = workshop.user(program, each.goal.facts)
        if user is None:
            return f"`{program.user}` = {each.goal.facts[program.user]!r} is the key of no record"
        rightly = {str(each.goal.facts[name]) for name in program.others if name in each.goal.facts}
        for use in _uses(workshop, each, user):
            if use.value not in rightly or not (use.beside or not use.done.wrote) or not _is_for_user(workshop, use):
                return _stranger(use, is_named=use.value in rightly)
            together[each.goal.draw] = together.get(each.goal.draw, False) or use.beside
            alone += [] if use.beside else [use]
    if sum(together.values()) < TOGETHER * len(together):
        return _stranger(alone[0], is_named=True)
    return ""


def _uses(workshop: Workshop, made: Made, user: User) -> Iterator[_Use]:
    for done in made.solution.calls:
        arguments = [value for _, value in leaves(done.arguments) if isinstance(value, str)] if done.ok else []
        owners = {value: workshop.owner(value, user) for value in arguments}
        for value, owner in owners.items():
            if owner is not None and owner != user.key:
                yield _Use(made, done, value, owner, user, user.key in owners.values())


def _is_for_user(workshop: Workshop, use: _Use) -> bool:
    """Whether a call changes nothing, or something of the user's too, or adds a record."""
    owners = [workshop.owner(key, use.user) for _, key in use.done.wrote]
    return not owners or any(owner in (None, use.user.key) for owner in owners)


def _stranger(use: _Use, *, is_named: bool) -> str:
    about = f"`{use.done.name}` is called for {use.value!r}, which belongs to {use.owner} and not to the user, "
    about += f"{use.user.key}: "
    if is_named:
        return (
            f"{about}`others` is for what the user's own request points to, such as the account that their money goes "
            "to, so a call must name it beside what is the user's, and must not change it alone; else draw what is the "
            "user's own"
        )
    hint = ", or name the fact in `others` if it is somebody whom the request is rightly about" if use.beside else ""
    return f"{about}draw what is the user's own{hint}"


def shown(facts: Facts) -> str:
    """The facts of a draw, as an example."""
    return ", ".join(f"{name} = {value!r}" for name, value in facts.items())
