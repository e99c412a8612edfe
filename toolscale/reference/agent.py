"""The offline model as an agent, and as the user it talks to.

The agent sees what any agent sees: the conversation and its tools. It recognises the programs from the user's words,
those of the domain and its task programs, and follows their policies, with the slips of `slips.py`.
"""

import json
import re
import textwrap
from collections.abc import Sequence
from functools import lru_cache
from random import Random

from toolscale.artifacts import Call
from toolscale.messages import Message, text_of
from toolscale.reference.domain import ReferenceDomain, reference_domain, reference_domains
from toolscale.reference.enact import CallResult, Script, advance
from toolscale.reference.program import CallRefused, DeadEnd, Reply, pursue
from toolscale.reference.requests import Request, read_back
from toolscale.reference.slips import BROKEN_OFF, GivenUp, carelessly, impossible, overlook
from toolscale.reference.solutions import carelessly_solved

LOST = "I am sorry, I do not understand what you need."
TAU2_DONE = "###STOP###"
"""What ends a conversation of tau2-bench."""


def next_move(messages: Sequence[Message], tools: Sequence[Message], seed: int) -> Call | str:
    """The agent's next call, or what it says to the user."""
    domain = _domain_of(frozenset(tool["function"]["name"] for tool in tools))
    if domain is None:
        return LOST
    said = "\n".join(text_of(message) for message in messages if message["role"] == "user")
    request = read_back(domain.name, said)
    if not request.goals:
        return LOST
    if not (request.known if isinstance(request, Request) else domain.identity in request.user):
        asked = any(message["role"] == "assistant" for message in messages)
        return LOST if asked else f"Certainly. Could you tell me your {domain.identity.replace('_', ' ')}, please?"
    rng = Random(f"{seed}:{said}")
    if isinstance(request, Request):
        return carelessly_solved(domain, request.goals, outcomes_in(messages), rng)
    goals = overlook(request.goals, rng)

    def script() -> Script[Reply]:
        return carelessly(pursue(goals), rng)

    try:
        call, reply = advance(script(), outcomes_in(messages))
    except GivenUp as end:
        return str(end)
    except (DeadEnd, CallRefused) as obstacle:
        return impossible(obstacle)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError):
        # A slip earlier on left the solution with results that it cannot work with.
        return BROKEN_OFF
    return call if call is not None else reply.text if reply else LOST


def outcomes_in(messages: Sequence[Message]) -> list[CallResult]:
    """What the calls so far came back with."""
    outcomes = []
    for message in messages:
        if message["role"] != "tool":
            continue
        content = text_of(message)
        try:
            value = json.loads(content)
        except ValueError:
            value = content
        refused = isinstance(value, dict) and set(value) == {"error"}
        outcomes.append(CallResult(error=str(value["error"])) if refused else CallResult(value))
    return outcomes


def reply_as_user(system: str, messages: Sequence[Message], done: str) -> str:
    """What the simulated user says next: the reason first, what they know when asked, and then that they are done."""
    scenario = json.loads(system.partition("```json")[2].partition("```")[0])
    return _reply(scenario["reason_for_call"], scenario["known_info"], messages, done)


def reply_as_tau2_user(system: str, messages: Sequence[Message]) -> str:
    """The same to tau2-bench's own prompt for its user, whose scenario stands in indented parts under their names."""
    reason = _part(system, "Reason for call") or _part(system, "Instructions")
    return _reply(reason, _part(system, "Known info"), messages, TAU2_DONE)


def _reply(reason: str, known: str, messages: Sequence[Message], done: str) -> str:
    said = [text_of(message) for message in messages if message["role"] == "assistant"]
    if not said:
        return reason
    agent = next(text_of(message) for message in reversed(messages) if message["role"] == "user")
    if agent.rstrip().endswith("?") and known not in said and known:
        return known
    return done


def _part(scenario: str, name: str) -> str:
    found = re.search(rf"^(\t*){name}:\n((?:\1\t.*\n?|\s*\n)+)", scenario, re.MULTILINE)
    return textwrap.dedent(found[2]).strip() if found else ""


@lru_cache(maxsize=64)
def _domain_of(offered: frozenset[str]) -> ReferenceDomain | None:
    """The reference domain that offers these functions."""
    for name in reference_domains() if offered else ():
        domain = reference_domain(name)
        if offered <= {function.name for function in domain.functions}:
            return domain
    return None
