"""The university's task programs, by theme."""

from toolscale.reference.education.programs.coursework import COURSEWORK
from toolscale.reference.education.programs.enrolling import ENROLLING
from toolscale.reference.education.programs.invoices import INVOICES
from toolscale.reference.education.programs.library import LIBRARY
from toolscale.reference.education.programs.office import OFFICE
from toolscale.reference.education.programs.places import PLACES
from toolscale.reference.education.programs.refused import REFUSED
from toolscale.reference.education.programs.results import RESULTS
from toolscale.reference.education.programs.rooms import ROOMS
from toolscale.reference.education.programs.scholarships import SCHOLARSHIPS
from toolscale.reference.program import Program

PROGRAMS: tuple[Program, ...] = (
    *ENROLLING,
    *PLACES,
    *COURSEWORK,
    *RESULTS,
    *INVOICES,
    *SCHOLARSHIPS,
    *LIBRARY,
    *ROOMS,
    *OFFICE,
    *REFUSED,
)
