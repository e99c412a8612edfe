"""The railway's task programs, by theme."""

from toolscale.reference.program import Program
from toolscale.reference.railway.programs.account import ACCOUNT
from toolscale.reference.railway.programs.booking import BOOKING
from toolscale.reference.railway.programs.cancelling import CANCELLING
from toolscale.reference.railway.programs.changes import CHANGES
from toolscale.reference.railway.programs.compensation import COMPENSATION
from toolscale.reference.railway.programs.disruption import DISRUPTION
from toolscale.reference.railway.programs.fares import FARES
from toolscale.reference.railway.programs.onboard import ONBOARD
from toolscale.reference.railway.programs.refused import REFUSED

PROGRAMS: tuple[Program, ...] = (
    *BOOKING,
    *FARES,
    *CANCELLING,
    *CHANGES,
    *ONBOARD,
    *DISRUPTION,
    *COMPENSATION,
    *ACCOUNT,
    *REFUSED,
)
