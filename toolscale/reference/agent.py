"""The offline model as an agent, and as the user it talks to.

The agent sees what any agent sees: the conversation and its tools. It recognises the programs from the user's words
and follows their policies, with the slips of `slips.py`.
"""

import json
from collections.abc import Sequence
from functools import lru_cache
from random import Random

from toolscale.artifacts import Call
from toolscale.messages import Message, text_of
from toolscale.reference.domain import ReferenceDomain, reference_domain, reference_domains
from toolscale.reference.enact import CallResult, Script, advance
from toolscale.reference.program import CallRefused, DeadEnd, Reply, pursue
from toolscale.reference.recogniser import understand
from toolscale.reference.slips import GivenUp, carelessly, overlook

LOST = "I am sorry, I do not understand what you need."


def next_move(messages: Sequence[Message], tools: Sequence[Message], seed: int) -> Call | str:
    """The agent's next call, or what it says to the user."""
    domain = _domain_of(frozenset(tool["function"]["name"] for tool in tools))
    if domain is None:
        return LOST
    said = "\n".join(text_of(message) for message in messages if message["role"] == "user")
    request = understand(domain.name, said)
    if not request.goals:
        return LOST
    if domain.identity not in request.user:
        asked = any(message["role"] == "assistant" for message in messages)
        return LOST if asked else f"Certainly. Could you tell me your {domain.identity.replace('_', ' ')}, please?"
    rng = Random(f"{seed}:{said}")
    goals = overlook(request.goals, rng)

    def script() -> Script[Reply]:
        return carelessly(pursue(goals), rng)

    try:
        call, reply = advance(script(), outcomes_in(messages))
    except GivenUp as end:
        return str(end)
    except (DeadEnd, CallRefused) as obstacle:
        return f"I am sorry, that is not possible: {obstacle}"
    except (KeyError, TypeError, ValueError, IndexError, AttributeError):
        # A slip earlier on left the solution with results that it cannot work with.
        return "I am sorry, something went wrong on my side and I could not complete your request."
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
    said = [text_of(message) for message in messages if message["role"] == "assistant"]
    if not said:
        return str(scenario["reason_for_call"])
    agent = next(text_of(message) for message in reversed(messages) if message["role"] == "user")
    if agent.rstrip().endswith("?") and scenario["known_info"] not in said and scenario["known_info"]:
        return str(scenario["known_info"])
    return done


@lru_cache(maxsize=64)
def _domain_of(offered: frozenset[str]) -> ReferenceDomain | None:
    """The reference domain that offers these functions."""
    for name in reference_domains() if offered else ():
        domain = reference_domain(name)
        if offered <= {function.name for function in domain.functions}:
            return domain
    return None
