"""The sports clubs' task programs, by theme."""

from toolscale.reference.program import Program
from toolscale.reference.sport.programs.booking import BOOKING
from toolscale.reference.sport.programs.cancelling import CANCELLING
from toolscale.reference.sport.programs.changing import CHANGING
from toolscale.reference.sport.programs.classes import CLASSES
from toolscale.reference.sport.programs.equipment import EQUIPMENT
from toolscale.reference.sport.programs.health import HEALTH
from toolscale.reference.sport.programs.leagues import LEAGUES
from toolscale.reference.sport.programs.membership import MEMBERSHIP
from toolscale.reference.sport.programs.refused_play import REFUSED_PLAY
from toolscale.reference.sport.programs.refused_terms import REFUSED_TERMS
from toolscale.reference.sport.programs.tickets import TICKETS

PROGRAMS: tuple[Program, ...] = (
    *BOOKING,
    *CHANGING,
    *CANCELLING,
    *CLASSES,
    *MEMBERSHIP,
    *LEAGUES,
    *EQUIPMENT,
    *TICKETS,
    *HEALTH,
    *REFUSED_PLAY,
    *REFUSED_TERMS,
)
