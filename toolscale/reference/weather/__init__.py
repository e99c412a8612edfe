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
    folder=Path(__file__).parent,
    schema=SCHEMA,
    world=world,
    implausible=implausible,
    suits=suits,
    blemish=blemish,
    identity="customer_id",
    matters=frozenset({"alert_id", "export_id", "invoice_id", "report_id", "sensor_id", "ticket_id", "visit_id"}),
    standing={"credit_balance": "customer_id"},
    programs=PROGRAMS,
    once=(frozenset({"change_plan_for_alerts", "refuse_plan_with_too_few_alerts", "what the plan costs"}),),
    twists=(*TWISTS, *OUTCOMES),
    descriptions=DESCRIPTIONS,
)
