"""Values that follow from what a user says, from the present, from the policy and from results."""

from toolscale.checkers.derived.figures import said_figures
from toolscale.checkers.derived.limits import limits_asked
from toolscale.checkers.derived.sources import Sources, derivable

__all__ = ["Sources", "derivable", "limits_asked", "said_figures"]
