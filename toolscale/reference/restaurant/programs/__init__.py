"""What guests ask the booking desk for, by theme."""

from toolscale.reference.restaurant.programs import (
    booking,
    cancelling,
    changes,
    enquiries,
    kitchen,
    menus,
    orders,
    refused,
    rewards,
    takeaway,
)

PROGRAMS = (
    *booking.PROGRAMS,
    *changes.PROGRAMS,
    *cancelling.PROGRAMS,
    *menus.PROGRAMS,
    *takeaway.PROGRAMS,
    *orders.PROGRAMS,
    *rewards.PROGRAMS,
    *enquiries.PROGRAMS,
    *kitchen.PROGRAMS,
    *refused.PROGRAMS,
)
