"""The bank's task programs, by theme."""

from toolscale.reference.finance.programs.accounts import ACCOUNTS
from toolscale.reference.finance.programs.card_settings import CARD_SETTINGS
from toolscale.reference.finance.programs.cards import CARDS
from toolscale.reference.finance.programs.debits import DEBITS
from toolscale.reference.finance.programs.deposits import DEPOSITS
from toolscale.reference.finance.programs.loans import LOANS
from toolscale.reference.finance.programs.opening import OPENING
from toolscale.reference.finance.programs.purchases import PURCHASES
from toolscale.reference.finance.programs.refused import REFUSED
from toolscale.reference.finance.programs.scheduled import SCHEDULED
from toolscale.reference.finance.programs.standing_choices import STANDING_CHOICES
from toolscale.reference.finance.programs.standing_orders import STANDING_ORDERS
from toolscale.reference.finance.programs.transfers import TRANSFERS
from toolscale.reference.program import Program

PROGRAMS: tuple[Program, ...] = (
    *ACCOUNTS,
    *OPENING,
    *CARDS,
    *CARD_SETTINGS,
    *TRANSFERS,
    *SCHEDULED,
    *STANDING_ORDERS,
    *STANDING_CHOICES,
    *DEBITS,
    *PURCHASES,
    *LOANS,
    *DEPOSITS,
    *REFUSED,
)
