"""Kinds that several artifacts name: of facts to tell, and of what makes a task hard."""

from typing import Literal, get_args

FactKind = Literal["amount", "count", "quantity", "number", "date", "time", "name", "id", "address", "words"]
"""What a fact to tell is. `amount` is money, `count` how many, `quantity` has a unit, `number` is a figure of which no
more is known, `time` a time of day or a day and a time."""

Operator = Literal[
    "constraint",
    "condition",
    "entities",
    "change_of_mind",
    "second_goal",
    "lookup",
    "missing",
    "refusal",
    "distractor",
    "computed",
    "dependent",
    "recovery",
]
OPERATORS: tuple[Operator, ...] = get_args(Operator)
"""What its author can put into a task to make it hard, see `synthesis/operators.py`."""
