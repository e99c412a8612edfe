"""What a run is going to cost, before it is made: from the store, the stages' own prompts, and earlier runs."""

from toolscale.estimate.forecast import Estimate, StageEstimate, estimate

__all__ = ["Estimate", "StageEstimate", "estimate"]
