"""How a conversation with an agent grows, as far as the golden calls tell: each turn reads all results before it."""

import json
from collections.abc import Sequence

from toolscale.artifacts import CallOutcome
from toolscale.episodes.tools import tool_content

_AROUND = 150
"""Characters of JSON around a call and its result: roles, ids, names of fields."""


def read_again(outcomes: Sequence[CallOutcome]) -> float:
    """Characters by which a turn's prompt is longer than the first one's, a mean over the turns of one attempt."""
    grown = [0]
    for outcome in outcomes:
        call = len(outcome.name) + len(json.dumps(outcome.arguments)) + _AROUND
        grown.append(grown[-1] + call + len(tool_content(outcome)))
    return sum(grown) / len(grown)
