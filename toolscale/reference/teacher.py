"""The offline model as a teacher: draws a task from an excerpt, solves it by calling functions, writes it down.

It errs now and then, in the ways real teachers do (a forgotten fact, the answer given away, a wrong or missing golden
call), so that the gates have something to find. The rate is `ERROR_RATE`.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from random import Random
from typing import Any

from toolscale.artifacts import Call
from toolscale.reference.domain import ReferenceDomain
from toolscale.reference.enact import Script, strictly
from toolscale.reference.program import DeadEnd, Goal, Program, Refused, Reply, Twist, World, pursue
from toolscale.reference.recogniser import CONNECTORS, understand
from toolscale.reference.wording import render

ERROR_RATE = 0.12
"""The share of drafts in which the offline teacher makes a mistake."""

DRAWS = 6
"""How often the teacher draws before it calls an intent infeasible."""

Draft = dict[str, Any]


def propose(
    domain: ReferenceDomain, program: Program, world: World, rng: Random, *, error_rate: float = ERROR_RATE
) -> Script[Draft]:
    """A script that makes a task of a program: draw, solve, write down; again from the start at a dead end."""

    def drawn() -> tuple[list[Goal], str]:
        return [Goal(program, program.draw(world, rng))], ""

    otherwise = f"no entries in the excerpt suit the intent: {program.intent}"
    return (yield from _first_solved(domain, drawn, rng, otherwise, error_rate))


def evolve(
    domain: ReferenceDomain, instruction: str, world: World, rng: Random, *, error_rate: float = ERROR_RATE
) -> Script[Draft]:
    """A script that makes a harder task of an old one: a twist on one of its goals, or another goal."""
    request = understand(domain.name, instruction)
    if not request.goals or domain.identity not in request.user:
        return {"infeasible": "the old task does not say what is wanted, or by whom"}

    def drawn() -> tuple[list[Goal], str]:
        return _harder(domain, list(request.goals), request.user, world, rng)

    return (yield from _first_solved(domain, drawn, rng, "nothing could be added to the old task", error_rate))


def _first_solved(
    domain: ReferenceDomain,
    drawn: Callable[[], tuple[list[Goal], str]],
    rng: Random,
    otherwise: str,
    error_rate: float,
) -> Script[Draft]:
    """The first of several draws that can be solved, written down; or why there is none."""
    for _ in range(DRAWS):
        made: list[Call] = []
        try:
            goals, added = drawn()
            draft = yield from _written_down(domain, goals, added, made, rng)
        except (DeadEnd, Refused):
            if any(call.name in domain.writes for call in made):
                break  # the session is no longer as a golden replay would find it
        else:
            if rng.random() < error_rate:
                _err(draft, rng)
            return draft
    return {"infeasible": otherwise}


def pick_voice(domain: ReferenceDomain, goals: Sequence[Goal], rng: Random) -> str:
    """A voice in which every goal can be worded."""
    voices = set(domain.personas).intersection(*(goal.program.voices for goal in goals))
    return rng.choice(sorted(voices))


def word(domain: ReferenceDomain, goals: Sequence[Goal], voice: str) -> str:
    """The request as the user words it, one template a line."""
    lines = []
    for index, goal in enumerate(goals):
        first, *rest = goal.lines(voice)
        lines += [(CONNECTORS.get(voice, CONNECTORS["plain"]) if index else "") + first, *rest]
    return "\n".join(lines)


def _harder(
    domain: ReferenceDomain, goals: list[Goal], user: Mapping[str, Any], world: World, rng: Random
) -> tuple[list[Goal], str]:
    """The goals with one thing added, and what it was."""
    options: list[tuple[int, Twist] | Program] = [
        (index, twist)
        for index, goal in enumerate(goals)
        for twist in goal.program.twists
        if all(twist is not twisted.twist for twisted in goal.twists)
    ]
    others = [program for program in domain.programs if all(program is not goal.program for goal in goals)]
    if others and len(goals) < 3:
        options += [rng.choice(others) for _ in range(max(1, len(options) // 2))]
    option = rng.choice(options)
    if isinstance(option, Program):
        narrowed = world.narrowed_to(user[domain.identity])
        facts = option.draw(narrowed, rng)
        if facts[domain.identity] != user[domain.identity]:
            raise DeadEnd("the second goal is somebody else's")
        return [*goals, Goal(option, facts)], f"second_goal: {option.name}"
    index, twist = option
    goals[index] = goals[index].with_twist(twist, twist.draw(world, rng, goals[index].facts))
    return goals, f"{twist.operator}: {twist.name}"


def _written_down(
    domain: ReferenceDomain, goals: list[Goal], added: str, made: list[Call], rng: Random
) -> Script[Draft]:
    """The goals solved and written down as a task; what was called goes into `made`, which are its golden calls."""
    voice = pick_voice(domain, goals, rng)
    reply = yield from _recorded(strictly(pursue(goals)), made)
    return {
        "persona": rng.choice(domain.personas[voice]),
        "reason_for_call": word(domain, goals, voice),
        "known_info": render(domain.identity_lines.get(voice, domain.identity_lines["plain"]), goals[0].drawn),
        "unknown_info": " ".join(dict.fromkeys(goal.program.unknown for goal in goals if goal.program.unknown)),
        "task_instructions": "Please go ahead without asking me to confirm, and tell me how it turned out.",
        "golden_calls": [{"name": call.name, "arguments": call.arguments} for call in made],
        "communicate_info": list(dict.fromkeys(reply.tell)),
        "nl_assertions": [goal.program.intent for goal in goals],
        "added": added,
    }


def _recorded(script: Script[Reply], made: list[Call]) -> Script[Reply]:
    """The script itself, noting every call that succeeds."""
    call = next(script)
    while True:
        try:
            answer = yield call
        except Refused as refusal:
            step = partial(script.throw, refusal)
        else:
            made.append(call)
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
