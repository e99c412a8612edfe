"""Claims of a shop's customers: what settles one was promised, or depends on a fault that only an expert can judge.

Which remedy a fault calls for is made up, and follows from no rule that a reader could guess.
"""

from collections.abc import Callable
from random import Random
from typing import Literal

from toolscale.mock_endpoint.experts.quiz import Kind

Remedy = Literal["refund", "repair", "swap", "voucher"]
REMEDIES: tuple[Remedy, ...] = ("refund", "repair", "swap", "voucher")


def _called_for(thing: str) -> Callable[[str], Remedy]:
    """Fault -> remedy, for one thing."""
    return lambda a: Random(f"{thing}/{a}").choice(REMEDIES)


def _fault(draw: Random) -> tuple[int]:
    return (draw.randint(1000, 9999),)


CLAIMS: tuple[Kind, ...] = (
    Kind(
        "promise",
        "easy",
        "promised {a}",
        lambda draw: (draw.choice(REMEDIES),),
        lambda a: a.lower(),
        choices=REMEDIES,
        gap="|".join(REMEDIES),
    ),
    Kind("lamp", "hard", "lamp fault {a}", _fault, _called_for("lamp"), choices=REMEDIES),
    Kind("radio", "hard", "radio fault {a}", _fault, _called_for("radio"), choices=REMEDIES),
)
"""Of the quiz's form, and no part of it: a quiz is drawn from its own kinds."""
