"""P at an exercise: what its user prefers, or what the settings say."""

from collections.abc import Sequence

from toolscale.errors import UserError
from toolscale.rewards import FloatArray, preference_vector
from toolscale.rewards.preference import BEYOND_TOOLS
from trainer.config import Rewarding
from trainer.tasks.exercise import Playable


def wanted_at(exercise: Playable, rewarding: Rewarding) -> FloatArray:
    """P at an exercise: the preference that it brings, else the configured one over the tools that it offers.

    Raises:
        UserError: the configured one does not fit these tools.
    """
    if (own := exercise.wanted) is not None:
        return own
    wanted = rewarding.preference
    if isinstance(wanted, dict):
        wanted = [wanted.get(name, 0.0) for name in (*exercise.offered, *BEYOND_TOOLS)]
    return preference_vector(wanted, exercise.offered)


def check_preferences(exercises: Sequence[Playable], rewarding: Rewarding) -> None:
    """Raises UserError where the configured preference does not fit an exercise, or wants what none offers."""
    if isinstance(rewarding.preference, dict):
        known = {*BEYOND_TOOLS, *(name for exercise in exercises for name in exercise.offered)}
        if unknown := sorted(rewarding.preference.keys() - known):
            raise UserError(f"rewarding.preference: no task offers {unknown[0]}; there are {', '.join(sorted(known))}")
    for exercise in exercises:
        wanted_at(exercise, rewarding)
