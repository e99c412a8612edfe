"""The railway's task programs, by theme."""

from toolscale.reference.program import Program
from toolscale.reference.railway.programs.account import ACCOUNT
from toolscale.reference.railway.programs.booking import BOOKING
from toolscale.reference.railway.programs.cancelling import CANCELLING
from toolscale.reference.railway.programs.changes import CHANGES
from toolscale.reference.railway.programs.compensation import COMPENSATION
from toolscale.reference.railway.programs.disruption import DISRUPTION
from toolscale.reference.railway.programs.fares import FARES
from toolscale.reference.railway.programs.held import HELD
from toolscale.reference.railway.programs.journeys import JOURNEYS
from toolscale.reference.railway.programs.onboard import ONBOARD
from toolscale.reference.railway.programs.overview import OVERVIEW
from toolscale.reference.railway.programs.refused_extras import REFUSED_EXTRAS
from toolscale.reference.railway.programs.refused_tickets import REFUSED_TICKETS
from toolscale.reference.railway.programs.stations import STATIONS
from toolscale.reference.railway.programs.upgrades import UPGRADES

PROGRAMS: tuple[Program, ...] = (
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
