"""The weather service: farms, airfields, venues, harbours and building sites in fifteen countries."""

from pathlib import Path

from toolscale.reference.domain import ReferenceDomain
from toolscale.reference.weather.callings import suits
from toolscale.reference.weather.entries import world
from toolscale.reference.weather.plausibility import blemish, implausible
from toolscale.reference.weather.programs import PROGRAMS
from toolscale.reference.weather.programs.anywhere import DESCRIPTIONS, TWISTS
from toolscale.reference.weather.programs.outcomes import OUTCOMES
from toolscale.reference.weather.schema import SCHEMA

DOMAIN = ReferenceDomain(
    name="weather",
    description=(
        "Customer service of a European weather service for farms, airfields, venues, harbours and building sites: "
        "stations, forecasts, alerts, sensors and technicians' visits, ordered reports, data exports, invoices."
    ),
    folder=Path(__file__).parent,
    schema=SCHEMA,
    world=world,
    implausible=implausible,
    suits=suits,
    blemish=blemish,
    identity="customer_id",
    matters=frozenset({"alert_id", "export_id", "invoice_id", "report_id", "sensor_id", "ticket_id", "visit_id"}),
    identity_lines={
        "plain": "[My customer number is {customer_id}.|I am customer {customer_id}.|You have me as {customer_id}.]",
        "confused": "[On the invoice it says customer number {customer_id}, is that me?|My customer number, here it "
        "is, {customer_id}.]",
        "terse": "[customer no. {customer_id}.|{customer_id} here.]",
        "chatty": "You will find me under customer number {customer_id}, it is on the sticker inside the shed!",
        "formal": "My account is kept under customer number {customer_id}.",
        "hurried": "Customer {customer_id}, quickly please!",
        "non_native": "The number of me as customer is {customer_id}.",
    },
    personas={
        "plain": (
            "A fruit grower who does the office work before breakfast.",
            "The manager of a small airfield, practical and friendly.",
            "A site engineer who plans concrete by the weather.",
        ),
        "terse": (
            "A crane operator typing in gloves.",
            "A flight instructor between two lessons.",
            "A harbour master who writes as in a log book.",
        ),
        "chatty": (
            "A beekeeper who likes to talk about the seasons.",
            "The organiser of an open-air festival, full of stories.",
            "A retired sailor who watches the barometer.",
        ),
        "formal": (
            "The secretary of a gliding club.",
            "An estate manager who files every letter.",
            "A municipal clerk who runs the ice rink's papers.",
        ),
        "hurried": (
            "A wine grower in the middle of the harvest.",
            "A stage manager with a storm on the horizon.",
            "A foreman with the concrete lorry at the gate.",
        ),
        "non_native": (
            "A farm worker who came from abroad this spring.",
            "A sailing teacher who is new in the country.",
            "A scaffolder who learns English in the evenings.",
        ),
        "confused": (
            "An heir who has taken over a farm and its sensors.",
            "A theatre director who has never read a forecast.",
            "A grandmother who looks after the orchard this month.",
        ),
    },
    standing={"credit_balance": "customer_id"},
    programs=PROGRAMS,
    once=(frozenset({"change_plan_for_alerts", "refuse_plan_with_too_few_alerts", "what the plan costs"}),),
    twists=(*TWISTS, *OUTCOMES),
    descriptions=DESCRIPTIONS,
    asides=(
        "[We live by the weather here.|I look at your maps every morning.|The wind has been up all night.|My boots are "
        "still wet from the morning round.|The swallows left early this year.]",
    ),
)
