"""What models are asked for, as the settings, the prompts' gateway and the ledger name it, and the role that answers.

The lowest room that knows the stages. How each is run stands in `toolscale/synthesis/chain.py`.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

Role = Literal["teacher", "validator", "evolver", "agent", "user", "judge"]
"""Who a model call speaks for. Each role may have a model of its own."""

Stage = Literal[
    "domains",
    "subjects",
    "schema",
    "entries",
    "validation",
    "functions_plan",
    "functions",
    "rules",
    "intents",
    "programs",
    "reading",
    "tasks",
    "rewording",
    "evolution",
    "policy",
    "openness",
    "episode",
    "user",
]
"""What a call is made for, in the order in which a run comes to it."""

ROLES: Mapping[Stage, Role] = {
    "domains": "teacher",
    "subjects": "teacher",
    "schema": "teacher",
    "entries": "teacher",
    "validation": "validator",
    "functions_plan": "teacher",
    "functions": "teacher",
    "rules": "teacher",
    "intents": "teacher",
    "programs": "teacher",
    "reading": "validator",
    "tasks": "teacher",
    "rewording": "user",
    "evolution": "evolver",
    "policy": "judge",
    "openness": "validator",
    "episode": "agent",
    "user": "user",
}
"""Stage -> the role that answers."""

OF_A_DOMAIN: Sequence[Stage] = [stage for stage in ROLES if stage != "domains"]
"""The stages that a domain goes through; `domains` proposes which there are to be."""
