"""What models are asked for, as the settings, the prompts' gateway and the ledger name it, and the role that answers.

The lowest room that knows the stages. How each is run stands in `toolscale/synthesis/chain.py`.
"""

from collections.abc import Mapping
from typing import Literal

Role = Literal["teacher", "validator", "evolver", "agent", "user", "judge"]
"""Who a model call speaks for. Each role may have a model of its own."""

Stage = Literal[
    "subjects",
    "schema",
    "entries",
    "validation",
    "functions_plan",
    "functions",
    "rules",
    "intents",
    "tasks",
    "evolution",
    "policy",
    "openness",
    "episode",
    "user",
]
"""What a call is made for, in the order in which a run comes to it."""

ROLES: Mapping[Stage, Role] = {
    "subjects": "teacher",
    "schema": "teacher",
    "entries": "teacher",
    "validation": "validator",
    "functions_plan": "teacher",
    "functions": "teacher",
    "rules": "teacher",
    "intents": "teacher",
    "tasks": "teacher",
    "evolution": "evolver",
    "policy": "judge",
    "openness": "validator",
    "episode": "agent",
    "user": "user",
}
"""Stage -> the role that answers."""
