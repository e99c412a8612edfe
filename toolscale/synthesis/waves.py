"""When an agent's attempts at a task may end before all are made: once no outcome of the rest could change a thing."""

from collections.abc import Sequence

from toolscale.artifacts import Attempt
from toolscale.settings import Settings
from toolscale.synthesis.attempts import counted, succeeded


def next_wave(made: Sequence[Attempt], settings: Settings, enough: int = 1) -> int:
    """How many further attempts to make side by side; 0 = no more are needed.

    A wave is as small as may yet end them, so that none is made in vain. Until `enough` have solved the task they go
    on whatever the settings say: that nobody solves it is said after all attempts, not before.
    """
    left = settings.attempts - len(made)
    if settings.attempts_stop == "never" or left <= 0:
        return max(0, left)
    solved, tried = sum(map(succeeded, made)), len(counted(made))
    band = settings.wanted_pass_rate if settings.attempts_stop == "certain" else None
    if is_certain(solved, tried, left, band, enough):
        return 0

    def may_end(wave: int) -> bool:
        return any(is_certain(solved + more, tried + wave, left - wave, band, enough) for more in range(wave + 1))

    return next((wave for wave in range(1, left) if may_end(wave)), left)


def is_certain(solved: int, tried: int, left: int, band: tuple[float, float] | None, enough: int = 1) -> bool:
    """True once enough solved the task and the share of all attempts is known to lie in the band, or to lie outside it.

    Attempts that a user spoils count neither way; the share then lies between the same two ends.
    """
    if solved < enough:
        return False
    if band is None:
        return True
    (least, most), (low, high) = band, (solved / (tried + left), (solved + left) / (tried + left))
    return (least <= low and high <= most) or high < least or low > most
