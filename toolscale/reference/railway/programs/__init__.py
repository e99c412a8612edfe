"""The railway's task programs, by theme."""

from dataclasses import replace

from toolscale.reference.program import Program
from toolscale.reference.railway.programs.account import ACCOUNT
from toolscale.reference.railway.programs.booking import BOOKING
from toolscale.reference.railway.programs.cancelling import CANCELLING
from toolscale.reference.railway.programs.changes import CHANGES
from toolscale.reference.railway.programs.compensation import COMPENSATION, SUM_DUE
from toolscale.reference.railway.programs.disruption import DISRUPTION, STATUS
from toolscale.reference.railway.programs.fares import COMPARE, FARES, QUOTE
from toolscale.reference.railway.programs.held import HELD
from toolscale.reference.railway.programs.journeys import JOURNEYS
from toolscale.reference.railway.programs.onboard import ONBOARD
from toolscale.reference.railway.programs.overview import OVERVIEW
from toolscale.reference.railway.programs.refused_extras import REFUSED_EXTRAS
from toolscale.reference.railway.programs.refused_tickets import REFUSED_TICKETS
from toolscale.reference.railway.programs.stations import STATIONS
from toolscale.reference.railway.programs.tiers import IF_TIER
from toolscale.reference.railway.programs.upgrades import UPGRADES

_ALL: tuple[Program, ...] = (
    *BOOKING,
    *JOURNEYS,
    *FARES,
    *HELD,
    *CANCELLING,
    *CHANGES,
    *UPGRADES,
    *ONBOARD,
    *STATIONS,
    *DISRUPTION,
    *COMPENSATION,
    *OVERVIEW,
    *ACCOUNT,
    *REFUSED_TICKETS,
    *REFUSED_EXTRAS,
)

_ONLY_ASKED = (QUOTE, COMPARE, SUM_DUE, STATUS, *OVERVIEW)


def _conditional(program: Program) -> Program:
    """What acts may be wanted from a tier up only; a question may not, and a refusal has its own condition."""
    if program.refusal or program in _ONLY_ASKED:
        return program
    return replace(program, twists=(*program.twists, IF_TIER))


PROGRAMS: tuple[Program, ...] = tuple(_conditional(program) for program in _ALL)
