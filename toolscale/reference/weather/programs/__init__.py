"""The weather service's task programs, by theme."""

from toolscale.reference.program import Program
from toolscale.reference.weather.programs.account import ACCOUNT
from toolscale.reference.weather.programs.alert_sites import ALERT_SITES
from toolscale.reference.weather.programs.alerts import ALERTS
from toolscale.reference.weather.programs.data import DATA
from toolscale.reference.weather.programs.ordering import ORDERING
from toolscale.reference.weather.programs.outlook import OUTLOOK
from toolscale.reference.weather.programs.refused import REFUSED
from toolscale.reference.weather.programs.reports import REPORTS
from toolscale.reference.weather.programs.sensors import SENSORS
from toolscale.reference.weather.programs.visits import VISITS

PROGRAMS: tuple[Program, ...] = (
    *ALERTS,
    *ALERT_SITES,
    *OUTLOOK,
    *SENSORS,
    *VISITS,
    *ORDERING,
    *REPORTS,
    *DATA,
    *ACCOUNT,
    *REFUSED,
)
