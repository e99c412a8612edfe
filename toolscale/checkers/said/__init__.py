"""When a fact counts as said: facts are values, found in any usual spelling of what an agent says."""

from toolscale.checkers.said.denial import speaks_of_before
from toolscale.checkers.said.fact import FACT_KINDS, Fact, fact_of
from toolscale.checkers.said.finding import can_be_said, is_said, moment_worded
from toolscale.checkers.said.units import currencies_of, units_of

__all__ = [
    "FACT_KINDS",
    "Fact",
    "can_be_said",
    "currencies_of",
    "fact_of",
    "is_said",
    "moment_worded",
    "speaks_of_before",
    "units_of",
]
