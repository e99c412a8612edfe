"""The ticket office's task programs, by theme."""

from toolscale.reference.entertainment.programs.booking import BOOKING
from toolscale.reference.entertainment.programs.cancelling import CANCELLING
from toolscale.reference.entertainment.programs.changes import CHANGES
from toolscale.reference.entertainment.programs.enquiries import ENQUIRIES
from toolscale.reference.entertainment.programs.exchanges import EXCHANGES
from toolscale.reference.entertainment.programs.gift_cards import GIFT_CARDS
from toolscale.reference.entertainment.programs.memberships import MEMBERSHIPS
from toolscale.reference.entertainment.programs.refused import REFUSED
from toolscale.reference.entertainment.programs.refused_at_home import REFUSED_AT_HOME
from toolscale.reference.entertainment.programs.resale import RESALE
from toolscale.reference.entertainment.programs.subscriptions import SUBSCRIPTIONS
from toolscale.reference.entertainment.programs.waiting import WAITING
from toolscale.reference.entertainment.programs.watching import WATCHING
from toolscale.reference.program import Program

PROGRAMS: tuple[Program, ...] = (
    *BOOKING,
    *ENQUIRIES,
    *WAITING,
    *EXCHANGES,
    *CHANGES,
    *CANCELLING,
    *RESALE,
    *WATCHING,
    *SUBSCRIPTIONS,
    *MEMBERSHIPS,
    *GIFT_CARDS,
    *REFUSED,
    *REFUSED_AT_HOME,
)
