"""What guests ask the booking desk for, by theme."""

from toolscale.reference.restaurant.programs import (
    bills,
    booking,
    cancelling,
    changes,
    enquiries,
    evenings,
    kitchen,
    menus,
    orders,
    points,
    refused_counter,
    refused_tables,
    repeats,
    returns,
    takeaway,
    waiting,
)

PROGRAMS = (
    *booking.PROGRAMS,
    *waiting.PROGRAMS,
    *changes.PROGRAMS,
    *cancelling.PROGRAMS,
    *menus.PROGRAMS,
    *takeaway.PROGRAMS,
    *orders.PROGRAMS,
    *repeats.PROGRAMS,
    *bills.PROGRAMS,
    *points.PROGRAMS,
    *evenings.PROGRAMS,
    *returns.PROGRAMS,
    *enquiries.PROGRAMS,
    *kitchen.PROGRAMS,
    *refused_tables.PROGRAMS,
    *refused_counter.PROGRAMS,
)
