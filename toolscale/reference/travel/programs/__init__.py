"""The agency's task programs, by theme."""

from toolscale.reference.program import Program
from toolscale.reference.travel.programs.account import ACCOUNT
from toolscale.reference.travel.programs.arrivals import ARRIVALS
from toolscale.reference.travel.programs.flight_changes import FLIGHT_CHANGES
from toolscale.reference.travel.programs.flight_matters import FLIGHT_MATTERS
from toolscale.reference.travel.programs.flying import FLYING
from toolscale.reference.travel.programs.hotels import HOTELS
from toolscale.reference.travel.programs.journeys import JOURNEYS
from toolscale.reference.travel.programs.papers import PAPERS
from toolscale.reference.travel.programs.refused_flights import REFUSED_FLIGHTS
from toolscale.reference.travel.programs.refused_plans import REFUSED_PLANS
from toolscale.reference.travel.programs.stays import STAYS
from toolscale.reference.travel.programs.tour_bookings import TOUR_BOOKINGS
from toolscale.reference.travel.programs.tours import TOURS

PROGRAMS: tuple[Program, ...] = (
    *FLYING,
    *JOURNEYS,
    *FLIGHT_CHANGES,
    *FLIGHT_MATTERS,
    *ARRIVALS,
    *HOTELS,
    *STAYS,
    *TOURS,
    *TOUR_BOOKINGS,
    *PAPERS,
    *ACCOUNT,
    *REFUSED_FLIGHTS,
    *REFUSED_PLANS,
)
