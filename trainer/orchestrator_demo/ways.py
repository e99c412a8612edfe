"""Ways to settle a claim, as rules that speak: what lessons are made of, and what policies are measured beside."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from toolscale.mock_endpoint.experts.claims import REMEDIES

SMALL, LARGE = "generalist_small", "generalist_large"
Tool = str | None
"""Whom a rule asks; None is nobody: the agent decides itself."""
WAYS: Mapping[str, Tool] = {"itself": None, "small": SMALL, "large": LARGE}

Wish = str
WISHES: Mapping[Wish, str] = {"low cost": "Keep what this costs low.", "large": f"I prefer to work with {LARGE}."}
"""Preferences by what a rule notes of them, in the user's words."""

GUESS = REMEDIES[0]
"""How a rule settles a fault by itself."""

_ORDER = re.compile(r"order ([A-Z]\d+)", re.IGNORECASE)
_CLAIM = re.compile(r'"claim": "((\w+) (?:fault )?(\w+))"')
_ANSWER = re.compile(r"The answer is (\w+)\.")
_SETTLED = re.compile(r'"settled": "')


@dataclass(frozen=True)
class Rule:
    """A scripted agent: it looks an order up, notes claim and wish, asks whom it chooses, and settles."""

    chooses: Callable[[str, Wish], Tool]
    """Topic and wish -> whom to ask."""

    def says(self, heard: str) -> str:
        """The next message, after all that was said so far."""
        order = _last(_ORDER, heard)[1]
        found = _CLAIM.search(heard)
        if found is None:
            return _call("look_up", order=order)
        if _SETTLED.search(heard):
            return "Done."
        if answer := _ANSWER.search(heard):
            return _call(answer[1], order=order)
        claim, first, last = found.groups()
        topic = "promise" if first == "promised" else first
        wish = next(name for name, words in WISHES.items() if words in heard)
        tool = self.chooses(topic, wish)
        own = last if last in REMEDIES else GUESS
        # What it goes by stands right before the call: so far back as record and preference a small model hardly looks,
        # and a promise that it cannot copy is one that it cannot keep by itself.
        return f"{claim}, {wish}\n{_call(tool, question=claim) if tool else _call(own, order=order)}"


def always(tool: Tool) -> Rule:
    """The rule that asks this tool, or nobody, whatever the claim."""
    return Rule(lambda topic, wish: tool)


def _best(topic: str, wish: Wish) -> Tool:
    if wish == "large":
        return LARGE
    return {"promise": None, "lamp": SMALL, "radio": LARGE}[topic]


BEST = Rule(_best)
"""What there is to learn: do what can be done alone, ask the cheapest that knows, and heed the preference."""


def _call(name: str, **arguments: str) -> str:
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>"


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str]:
    return list(pattern.finditer(text))[-1]
