"""Whether a request in other words is still the same request: nothing of it is lost, turned round or added."""

from toolscale.checkers.restated.differences import Restated, differences
from toolscale.checkers.restated.names import true_names

__all__ = ["Restated", "differences", "true_names"]
