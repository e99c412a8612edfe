"""What a meteorologist or a bookkeeper would find odd in a set of entries, and how to make one odd."""

from collections.abc import Iterator
from pathlib import Path

from toolscale.reference.plausibility import Entries, Plausibility
from toolscale.reference.program import Record
from toolscale.reference.weather.catalogue import MEASURES, SENSORS
from toolscale.reference.weather.functions.sensors import _FEES as VISIT_FEES
from toolscale.reference.weather.schema import SCHEMA
from toolscale.reference.weather.services import later


def _alert(record: Record, entries: Entries) -> Iterator[str]:
    usual = MEASURES[record["measure"]][1]
    if not usual[0] * 0.5 <= record["threshold"] <= usual[-1] * 1.5:
        yield f"nobody sets {record['measure']} at {record['threshold']}"


def _sensor(record: Record, entries: Entries) -> Iterator[str]:
    _, model, months = SENSORS[record["kind"]]
    if record["model"] != model or record["warranty_until"] != later(record["installed_on"], months):
        yield f"that is not a {record['kind']} with its warranty"


def _visit(record: Record, entries: Entries) -> Iterator[str]:
    if record["fee"] != VISIT_FEES[record["purpose"]]:
        yield "the fee is not that of its purpose"


_PLAUSIBILITY = Plausibility(
    SCHEMA,
    Path(__file__).with_name("plausible.yaml"),
    {"alerts": _alert, "sensors": _sensor, "visits": _visit},
    in_file_order=True,
)
implausible, blemish = _PLAUSIBILITY.implausible, _PLAUSIBILITY.blemish
