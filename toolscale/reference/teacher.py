"""The offline model as a teacher: draws a task from an excerpt, solves it by calling functions, writes it down.

It errs now and then, in the ways real teachers do (a forgotten fact, the answer given away, a wrong or missing golden
call), so that the gates have something to find. The rate is `ERROR_RATE`. Of the drafts that come back it puts most
right; with a few it sees nothing wrong and gives them again as they were (`STUBBORN_RATE`).
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from random import Random
from typing import Any

from toolscale.artifacts import Call
from toolscale.errors import UserError
from toolscale.reference.complications import complicate
from toolscale.reference.domain import ReferenceDomain
from toolscale.reference.enact import Script, strictly
from toolscale.reference.personas import fits
from toolscale.reference.program import (
    CallRefused,
    DeadEnd,
    Goal,
    Outcomes,
    Program,
    Reply,
    Twist,
    World,
    asked_last,
    calls,
    pick,
    pursue,
)
from toolscale.reference.recogniser import understand
from toolscale.reference.voices import GREETS, VOICES, preamble, wording
from toolscale.templates.template import Pen, render

ERROR_RATE = 0.12
"""The share of drafts in which the offline teacher makes a mistake."""

STUBBORN_RATE = 0.04
"""The share of drafts in which it makes a mistake that it does not see when told."""

DRAWS = 8
"""How often the teacher draws before it calls an intent infeasible."""

MOST_CALLS = 30
"""Calls after which the teacher gives a draw up for good; a prompt allows only so many turns."""

Draft = dict[str, Any]


def propose(
    domain: ReferenceDomain,
    program: Program,
    world: World,
    rng: Random,
    *,
    error_rate: float = ERROR_RATE,
    dead_ends: list[str] | None = None,
) -> Script[Draft]:
    """A script that makes a task of a program: draw, solve, write down; again from the start at a dead end.

    The reasons of the dead ends are added to the list, if one is given.
    """

    def drawn() -> tuple[list[Goal], str]:
        return [Goal(program, program.draw(world, rng))], ""

    otherwise = f"no entries in the excerpt suit the intent: {program.intent}"
    return (yield from _first_solved(domain, drawn, world, "", rng, otherwise, error_rate, dead_ends))


def evolve(
    domain: ReferenceDomain,
    instruction: str,
    world: World,
    rng: Random,
    *,
    persona: str = "",
    error_rate: float = ERROR_RATE,
    dead_ends: list[str] | None = None,
) -> Script[Draft]:
    """A script that makes a harder task of an old one: one complication more. The user stays who they are.

    The reasons of the dead ends are added to the list, if one is given.
    """
    request = understand(domain.name, instruction)
    if not request.goals or domain.identity not in request.user:
        return {"infeasible": "the old task does not say what is wanted, or by whom"}

    def drawn() -> tuple[list[Goal], str]:
        goals, added = complicate(domain, request.goals, request.user, world, rng)
        return (before_questions(goals, domain) if len(goals) > len(request.goals) else goals), added

    otherwise = "nothing could be added to the old task"
    return (yield from _first_solved(domain, drawn, world, persona, rng, otherwise, error_rate, dead_ends))


def before_questions(goals: list[Goal], domain: ReferenceDomain) -> list[Goal]:
    """The goals with the last before those that only ask: what they are told would not be so when it is done.

    A goal that is wanted only if another cannot be had stays behind that.
    """
    *others, new = goals
    if new.instead:
        return goals
    place = len(others)
    while calls(new.program.solve, domain.writes) and place:
        if calls(others[place - 1].program.solve, domain.writes):
            break
        place -= 1
    return [*others[:place], new, *others[place:]]


def word(domain: ReferenceDomain, goals: Sequence[Goal], voice: str, pen: Pen) -> str:
    """The request as the user words it, one template a line, with what the voice puts around it."""
    lines: list[str] = []
    connector = ""
    for index, goal in enumerate(goals):
        first, *rest = goal.lines(voice, pen)
        if goal.instead:
            first = render(VOICES[voice].otherwise, {}, pen) + first
        elif index:
            connector = _another_connector(voice, connector, pen)
            first = connector + first
        elif not GREETS.match(first):
            first = preamble(VOICES[voice], domain.about.asides, pen) + first
        lines += [first, *rest]
    return "\n".join(lines)


def _another_connector(voice: str, last: str, pen: Pen) -> str:
    """What leads over to a further request, other than the last time."""
    connector = last
    while connector == last:
        connector = render(VOICES[voice].connectors, {}, pen)
    return connector


def _first_solved(
    domain: ReferenceDomain,
    drawn: Callable[[], tuple[list[Goal], str]],
    world: World,
    persona: str,
    rng: Random,
    otherwise: str,
    error_rate: float,
    dead_ends: list[str] | None,
) -> Script[Draft]:
    """The first of several draws that can be solved, written down; or why there is none."""
    calls = 0
    for _ in range(DRAWS):
        made: list[Call] = []
        try:
            goals, added = drawn()
            goals = asked_last(goals)
            user = _user_of(domain, goals[0])
            speaker = persona or _somebody_like(domain, user, world, rng)
            draft = yield from _written_down(domain, goals, added, made, speaker, world, rng)
        except (DeadEnd, CallRefused) as reason:
            calls += len(made)
            if dead_ends is not None:
                dead_ends.append(str(reason))
            if calls > MOST_CALLS or any(call.name in domain.writes for call in made):
                break  # the session is no longer as a golden replay would find it
        else:
            if rng.random() < error_rate:
                _err(draft, rng)
            return draft
    return {"infeasible": otherwise}


def _written_down(
    domain: ReferenceDomain, goals: list[Goal], added: str, made: list[Call], persona: str, world: World, rng: Random
) -> Script[Draft]:
    """The goals written down as a task and solved; what was called goes into `made`, which are its golden calls.

    What is solved is what the words say, read back, so that no golden call knows more than the user tells.
    """
    voice, pen = _voice_of(domain, persona), Pen(rng)
    reason = word(domain, goals, voice, pen)
    known = render(wording(domain.about.identity, voice), goals[0].drawn, pen)
    read = understand(domain.name, f"{reason}\n{known}").goals
    if [(goal.program.name, len(goal.twists), goal.instead) for goal in read] != [
        (goal.program.name, len(goal.twists), goal.instead) for goal in goals
    ]:
        raise DeadEnd("the words could be taken for another request")
    replies: list[Reply] = []
    seen: Outcomes = []
    written = {
        str(value) for goal in read for twist, facts in goal.twists if _spares(twist) for value in facts.values()
    }
    if any(written & _named(domain, goal) for goal in read):
        raise DeadEnd("what must stay as it is has been asked for")
    stands: set[str] = set()
    before: set[str] = set()
    for place, goal in enumerate(read):
        answers: list[tuple[Call, Any]] = []
        replies.append((yield from _recorded(strictly(pursue([goal], seen)), made, answers)))
        writes = [(call, answer) for call, answer in answers if call.name in domain.writes]
        refused = read[place - 1 : place] if goal.instead else []
        others = [each for each in read if each is not goal and each not in refused]
        named_elsewhere = {entry for each in others for entry in _named(domain, each)}
        if (written | named_elsewhere) & {_subject(domain, call) for call, _ in writes}:
            raise DeadEnd("one request undoes another")
        user = _user_of(domain, goal)
        if writes and stands & {user, *_ids_named(writes)}:
            raise DeadEnd("what was told of it is no longer so")
        users_own = {entry for entry in _ids_named(writes) if (world.record(entry) or {}).get(domain.identity) == user}
        if goal.instead and not users_own <= before:
            raise DeadEnd("what is wanted instead has nothing to do with what was wanted first")
        before = set(_ids_named([each for each in answers if isinstance(each[1], dict)]))
        stands |= _standing(domain, answers, replies[-1], user)
        written |= {entry for call, answer in writes for entry in (_subject(domain, call), *_ids_in(answer)) if entry}
    told_of = [fact for reply in replies for fact in reply.tell]
    unknown = " ".join(dict.fromkeys(render(text, {}, pen) for text in _unknown(domain, goals)))
    told = [fact for fact in dict.fromkeys(told_of) if not _stands_in(fact, f"{reason}\n{known}\n{unknown}")]
    lines = iter(reason.splitlines())
    for goal, reply in zip(read, replies, strict=True):
        own = "\n".join((*islice(lines, 1 + len(goal.twists) + len(goal.repeats)), known, unknown))
        if any(fact not in told and not _stands_in(fact, own) for fact in reply.tell):
            raise DeadEnd("another request gives the answer away")
    if not told and not any(call.name in domain.writes for call in made):
        raise DeadEnd("there is nothing to do and nothing to find out")
    asks_only = not any(call.name in domain.writes for call in made) and not any(goal.program.refusal for goal in read)
    return {
        "persona": persona,
        "reason_for_call": reason,
        "known_info": known,
        "unknown_info": unknown,
        "task_instructions": "" if asks_only else render(VOICES[voice].closings, {}, pen),
        "golden_calls": [{"name": call.name, "arguments": call.arguments} for call in made],
        "communicate_info": told,
        "nl_assertions": [_asserted(goal.program) for goal in goals],
        "operator": added.partition(":")[0] or ("refusal" if goals[0].program.refusal else ""),
        "added": added,
    }


def _user_of(domain: ReferenceDomain, goal: Goal) -> str:
    if domain.identity not in goal.drawn:
        raise UserError(
            f"`{domain.name}`: program `{goal.program.name}` draws no `{domain.identity}`, by which `identity` says "
            f"that users are known; its facts are {', '.join(goal.drawn)}"
        )
    return str(goal.drawn[domain.identity])


def _spares(twist: Twist) -> bool:
    """Whether a twist names what is to stay as it is."""
    return twist.operator == "distractor"


def _unknown(domain: ReferenceDomain, goals: Sequence[Goal]) -> list[str]:
    """What the user does not know, in templates; nothing of it where they name an id in another breath."""

    def names(goal: Goal) -> set[str]:
        return {slot for slot in goal.drawn if slot.endswith("_id")} - {domain.identity} - domain.common

    return [
        text for goal in goals for text in goal.unknown if not any(names(other) for other in goals if other is not goal)
    ]


def _named(domain: ReferenceDomain, goal: Goal) -> set[str]:
    """What a request is about, among it the ids of entries; not the user, nor what several requests may share."""
    said = replace(goal, twists=tuple(each for each in goal.twists if not _spares(each.twist))).facts
    passed_over = {domain.identity, *domain.common}
    return {str(value) for slot, value in said.items() if slot not in passed_over} | set(goal.repeats)


def _subject(domain: ReferenceDomain, call: Call) -> str:
    """The id of the entry that a write is about, which its first argument names; empty where that is the user."""
    name, value = next(iter(call.arguments.items()), ("", ""))
    return str(value) if name.endswith("_id") and name not in {domain.identity, *domain.common} else ""


def _ids_in(answer: Any) -> list[str]:
    """The ids that a call handed out."""
    return [value for name, value in answer.items() if name.endswith("_id")] if isinstance(answer, dict) else []


def _standing(domain: ReferenceDomain, answers: list[tuple[Call, Any]], reply: Reply, user: str) -> set[str]:
    """The accounts of which the reply tells what is on them; the user where it is the user's own account with us."""
    found = set()
    for call, answer in answers:
        for record in _records_in(answer):
            told = [
                owner for field, owner in domain.standing.items() if field in record and _tells(reply, record[field])
            ]
            named = _ids_named([(call, record)])
            found |= {key for key, name in named.items() for owner in told if name.endswith(owner)}
            found |= {user} if domain.identity in told else set()
    return found


def _tells(reply: Reply, figure: Any) -> bool:
    if not isinstance(figure, int | float):
        return False
    return any(fact.split(" ")[0] in (str(figure), f"{figure:.2f}") for fact in reply.tell)


def _ids_named(answers: Iterable[tuple[Call, Any]]) -> dict[str, str]:
    """The ids that calls were given or that came back, with the names under which they stood."""
    return {
        str(value): name
        for call, answer in answers
        for record in (call.arguments, *_records_in(answer))
        for name, value in record.items()
        if name.endswith("_id")
    }


def _records_in(answer: Any) -> list[dict[str, Any]]:
    return [each for each in (answer if isinstance(answer, list) else [answer]) if isinstance(each, dict)]


def _stands_in(fact: str, said: str) -> bool:
    """Whether the user says it already, perhaps in another request: then it is no news."""
    return re.search(rf"(?<!\w){re.escape(fact)}(?!\w)", said, re.IGNORECASE) is not None


def _asserted(program: Program) -> str:
    if program.refusal:
        return f"Refused, with the reason told: {program.intent} (rule `{program.refusal.rule}`)"
    return program.intent


def _somebody_like(domain: ReferenceDomain, user: str, world: World, rng: Random) -> str:
    """A persona that the user could have, its voice drawn first so that every voice is heard equally often."""
    record = world.record(user)
    fitting = {
        voice: [
            each for each in domain.personas_of(voice) if fits(each, voice, record) and domain.suits(each, world, user)
        ]
        for voice in sorted(VOICES)
    }
    return pick(rng, fitting[pick(rng, [voice for voice, personas in fitting.items() if personas])])


def _voice_of(domain: ReferenceDomain, persona: str) -> str:
    return next((voice for voice in VOICES if persona in domain.personas_of(voice)), "plain")


def _recorded(script: Script[Reply], made: list[Call], answers: list[tuple[Call, Any]]) -> Script[Reply]:
    """The script itself, noting every call that succeeds, and what came back."""
    call = next(script)
    while True:
        try:
            answer = yield call
        except CallRefused as refusal:
            step = partial(script.throw, refusal)
        else:
            made.append(call)
            answers.append((call, answer))
            step = partial(script.send, answer)
        try:
            call = step()
        except StopIteration as end:
            reply: Reply = end.value
            return reply


def _err(draft: Draft, rng: Random) -> None:
    """One of the mistakes teachers make."""
    calls, told = draft["golden_calls"], draft["communicate_info"]
    kinds = ["forgotten fact"]
    if told:
        kinds += ["given away", "fact nobody can know"]
    if calls:
        kinds += ["wrong argument", "missing call"]
    kind = rng.choice(kinds)
    if kind == "forgotten fact":
        draft["known_info"] = ""
    elif kind == "given away":
        draft["unknown_info"] = f"I seem to remember something about {rng.choice(told)}."
    elif kind == "fact nobody can know":
        draft["communicate_info"] = [*told, f"reference {rng.randrange(10_000, 99_999)}"]
    elif kind == "wrong argument":
        call = rng.choice(calls)
        texts = [name for name, value in call["arguments"].items() if isinstance(value, str)]
        if texts:
            name = rng.choice(texts)
            call["arguments"][name] = call["arguments"][name][::-1]
    else:
        calls.pop()
