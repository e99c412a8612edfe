"""The shop's task programs, by theme."""

from toolscale.reference.ecommerce.programs.account import ACCOUNT
from toolscale.reference.ecommerce.programs.after_sales import AFTER_SALES
from toolscale.reference.ecommerce.programs.cart import CART
from toolscale.reference.ecommerce.programs.checkout import CHECKOUTS
from toolscale.reference.ecommerce.programs.orders import ORDERS
from toolscale.reference.ecommerce.programs.parcels import PARCELS
from toolscale.reference.ecommerce.programs.refused import REFUSED
from toolscale.reference.ecommerce.programs.returns import RETURNS
from toolscale.reference.ecommerce.programs.reviews import REVIEWS
from toolscale.reference.ecommerce.programs.sending import SENDING
from toolscale.reference.ecommerce.programs.subscriptions import SUBSCRIPTIONS
from toolscale.reference.program import Program

PROGRAMS: tuple[Program, ...] = (
    *ORDERS,
    *SENDING,
    *PARCELS,
    *RETURNS,
    *AFTER_SALES,
    *REVIEWS,
    *CART,
    *CHECKOUTS,
    *SUBSCRIPTIONS,
    *ACCOUNT,
    *REFUSED,
)
