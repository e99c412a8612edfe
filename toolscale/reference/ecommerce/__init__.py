"""The reference domain `ecommerce`: a web shop that delivers to fourteen countries."""

from pathlib import Path

from toolscale.reference.domain import ReferenceDomain
from toolscale.reference.ecommerce.entries import world
from toolscale.reference.ecommerce.plausibility import blemish, implausible
from toolscale.reference.ecommerce.programs import PROGRAMS
from toolscale.reference.ecommerce.programs.anywhere import DESCRIPTIONS, TWISTS
from toolscale.reference.ecommerce.programs.outcomes import OUTCOMES
from toolscale.reference.ecommerce.schema import SCHEMA

DOMAIN = ReferenceDomain(
    name="ecommerce",
    description=(
        "Customer service of a European web shop for kitchen, home, outdoor, clothing, electronics, pantry and care: "
        "carts and vouchers, orders and parcels, returns, exchanges and warranty, subscriptions, reviews, alerts."
    ),
    folder=Path(__file__).parent,
    schema=SCHEMA,
    world=world,
    implausible=implausible,
    blemish=blemish,
    identity="customer_id",
    matters=frozenset({"order_id", "subscription_id", "product"}),
    identity_lines={
        "plain": "[My customer number is {customer_id}.|I am customer {customer_id}.|You have me as {customer_id}.]",
        "confused": "[I think that this is my customer number: {customer_id}.|It says customer {customer_id} on the "
        "letter.]",
        "terse": "[customer no. {customer_id}|cust. {customer_id}.|{customer_id} is my number.]",
        "chatty": "[Oh, and my customer number, you will want that: {customer_id}!|I am your loyal customer "
        "{customer_id}, by the way!]",
        "formal": "[My customer number is {customer_id}, for your reference.|I am registered under the customer number "
        "{customer_id}.]",
        "hurried": "customer {customer_id}, quick please!",
        "non_native": "My number of customer is {customer_id}.",
    },
    personas={
        "plain": (
            "A carpenter who orders on Sunday evenings and keeps every receipt.",
            "A mother of three who does the family's shopping online.",
        ),
        "terse": ("A night-shift worker who shops on the phone between two rounds.",),
        "chatty": ("A retired baker who has found the joys of parcels late in life.",),
        "formal": ("A school secretary who orders for the staff room.",),
        "hurried": ("A caterer with a van full of food and one free hand.",),
        "non_native": ("A nurse from abroad who furnishes a first flat of her own.",),
        "confused": ("A grandfather who ordered on a granddaughter's tablet.",),
    },
    standing={"points_left": "customer_id", "store_credit": "customer_id"},
    programs=PROGRAMS,
    twists=(*TWISTS, *OUTCOMES),
    descriptions=DESCRIPTIONS,
    asides=(
        "[I have been ordering from you for years.|Your parcels are always nicely packed.|I saw your newsletter this "
        "morning.|My neighbour takes in all the parcels of the house.|I am sitting here with the laptop on my knees.]",
    ),
)
