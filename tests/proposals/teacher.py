"""A teacher for tests: proposes what it is asked for, and makes a mistake where it is told to."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

PLACE = re.compile(r'^- (?:topic "(?P<topic>.+)"|division (?P<code>\d\d), .+): (?P<count>\d+)$', re.MULTILINE)
SENT_BACK = "These were proposed and refused"

Worded = dict[str, Any]


def asked(request: Mapping[str, Any]) -> list[tuple[str, int]]:
    """The topics and the divisions of a prompt, and how many are wanted of each."""
    listed = request["messages"][1]["content"].partition("\n\n")[0]
    return [(found["topic"] or found["code"], int(found["count"])) for found in PLACE.finditer(listed)]


def invented(key: str) -> Worded:
    """A domain that nobody has written: like no other, and the same for the same key."""
    draw = Random(key)

    def word() -> str:
        return "".join(draw.choice("bdfgklmnprstvz") + draw.choice("aeiou") for _ in range(4))

    words = [word() for _ in range(24)]
    return {
        "name": f"{words[0]}_{words[1]}",
        "division": "96",
        "topic": "",
        "description": f"The {words[0]} desk. " + " ".join(f"{one} {words[at]}." for at, one in enumerate(words[2:])),
        "tables": [{"name": f"{one}s", "fields": [f"{one}_id", words[-at]]} for at, one in enumerate(words[1:6], 1)],
    }


@dataclass
class Teacher:
    """Answers prompts of the stage `domains`, each in its own way.

    `spoil` may change what it says, given the place and whether something was sent back.
    """

    spoil: Callable[[Worded, str, bool], Worded | None] = lambda worded, place, again: worded
    calls: list[list[tuple[str, int]]] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)

    def __call__(self, request: dict[str, Any]) -> str:
        places, prompt = asked(request), request["messages"][1]["content"]
        assert "Stage: domains" in request["messages"][0]["content"]
        self.calls.append(places)
        self.prompts.append(prompt)
        again = SENT_BACK in prompt
        told = prompt.count("\n- `")
        said = [self._say(place, f"{number} {told}", again) for place, count in places for number in range(count)]
        return json.dumps({"proposals": [each for each in said if each]})

    def _say(self, place: str, key: str, again: bool) -> Worded | None:
        worded = invented(f"{place} {key}")
        of_division = re.fullmatch(r"\d\d", place)
        return self.spoil(worded | ({"division": place} if of_division else {"topic": place}), place, again)
