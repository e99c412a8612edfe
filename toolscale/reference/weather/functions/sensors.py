"""Sensors at customers' sites, and technicians' visits to them."""

from datetime import timedelta
from typing import Any, Literal

from ._shared import Database, Record, _day, _days_ahead, _joined, _new_key, _one, _own, _site_name, _today

WRITES = {"replace_sensor", "move_sensor", "book_visit", "move_visit", "cancel_visit"}

_FEES = {"calibration": 85.00, "repair": 120.00, "battery change": 45.00}


def _shown_sensor(db: Database, sensor: Record) -> dict[str, Any]:
    covered = sensor["warranty_until"] >= _today().isoformat()
    return {**sensor, "site": _site_name(db, sensor), "in_warranty": covered}


def _shown_visit(db: Database, visit: Record) -> dict[str, Any]:
    sensor = _joined(db, "sensors", visit["sensor_id"])
    return {**visit, "sensor": sensor["kind"], "site": _site_name(db, sensor)}


def _country(db: Database, customer_id: str) -> str:
    country: str = _joined(db, "customers", customer_id)["country"]
    return country


def _taken(db: Database, country: str) -> set[tuple[str, str]]:
    """The half days on which the country's technician is on the road."""
    return {
        (each["day"], each["half"])
        for each in db["visits"].values()
        if each["status"] == "booked" and _country(db, each["customer_id"]) == country
    }


def _slots(db: Database, customer_id: str) -> list[dict[str, str]]:
    taken = _taken(db, _country(db, customer_id))
    days = [_today() + timedelta(days=ahead) for ahead in range(2, 29)]
    return [
        {"day": day.isoformat(), "half": half}
        for day in days
        if day.weekday() < 5
        for half in ("morning", "afternoon")
        if (day.isoformat(), half) not in taken
    ]


def _check_slot(db: Database, customer_id: str, day: str, half: str) -> None:
    _day(day)
    if {"day": day, "half": half} not in _slots(db, customer_id):
        raise ValueError("no technician is free then; take a slot of list_visit_slots")


def _booked(db: Database, visit_id: str) -> Record:
    visit = _one(db, "visits", visit_id)
    if visit["status"] != "booked":
        raise ValueError(f"visit {visit_id} is {visit['status']}")
    if _days_ahead(visit["day"]) < 2:
        raise ValueError(f"visit {visit_id} is on {visit['day']}; changes close two days before a visit")
    return visit


def list_sensors(db: Database, customer_id: str) -> list[dict[str, Any]]:
    """A customer's sensors with site, state, battery, last calibration and warranty.

    customer_id: whose.
    """
    return [_shown_sensor(db, each) for each in _own(db, "sensors", customer_id)]


def get_sensor(db: Database, sensor_id: str) -> dict[str, Any]:
    """One sensor with site, model, state, battery, last calibration and warranty.

    sensor_id: such as SN-48213.
    """
    return _shown_sensor(db, _one(db, "sensors", sensor_id))


def replace_sensor(db: Database, sensor_id: str, send_to: Literal["site", "billing address"]) -> dict[str, Any]:
    """Send a new sensor for a faulty one in warranty, free of charge.

    sensor_id: a sensor that is faulty.
    send_to: where the parcel goes.
    """
    sensor = _one(db, "sensors", sensor_id)
    if sensor["status"] != "faulty":
        raise ValueError(f"{sensor_id} is not faulty but {sensor['status']}")
    if sensor["warranty_until"] < _today().isoformat():
        raise ValueError(f"the warranty of {sensor_id} ended on {sensor['warranty_until']}; a repair can be booked")
    if send_to not in ("site", "billing address"):
        raise ValueError("send_to must be site or billing address")
    sensor.update(status="replacement sent", replacement_to=send_to)
    return _shown_sensor(db, sensor)


def move_sensor(db: Database, sensor_id: str, site_id: str) -> dict[str, Any]:
    """Register a working sensor at another site of the customer's.

    sensor_id: a sensor that works and awaits no visit.
    site_id: where it stands from now on.
    """
    sensor, site = _one(db, "sensors", sensor_id), _one(db, "sites", site_id)
    if sensor["customer_id"] != site["customer_id"] or sensor["site_id"] == site_id:
        raise ValueError("the site must be another one of the same customer")
    if sensor["status"] != "working":
        raise ValueError(f"{sensor_id} is {sensor['status']}; only a working sensor is moved")
    if any(each["sensor_id"] == sensor_id and each["status"] == "booked" for each in db["visits"].values()):
        raise ValueError(f"a visit to {sensor_id} is booked; cancel it first")
    sensor["site_id"] = site_id
    return _shown_sensor(db, sensor)


def list_visits(db: Database, customer_id: str) -> list[dict[str, Any]]:
    """A customer's visits that are still to come, with sensor, site, purpose and fee.

    customer_id: whose.
    """
    return [_shown_visit(db, each) for each in _own(db, "visits", customer_id) if each["status"] == "booked"]


def get_visit(db: Database, visit_id: str) -> dict[str, Any]:
    """One visit with its sensor, day, purpose, fee and state.

    visit_id: such as VI-48213.
    """
    return _shown_visit(db, _one(db, "visits", visit_id))


def list_visit_slots(db: Database, sensor_id: str) -> list[dict[str, str]]:
    """Half days of the next four weeks on which a technician is free to visit a sensor, the earliest first.

    sensor_id: the sensor.
    """
    return _slots(db, _one(db, "sensors", sensor_id)["customer_id"])


def book_visit(
    db: Database,
    sensor_id: str,
    purpose: Literal["calibration", "repair", "battery change"],
    day: str,
    half: Literal["morning", "afternoon"],
) -> dict[str, Any]:
    """Book a technician's visit to a sensor that awaits none yet. Calibration costs 85.00 EUR, repair 120.00, a battery
    change 45.00; the repair of a sensor in warranty is free.

    sensor_id: the sensor.
    purpose: what is to be done; only a faulty sensor is repaired.
    day: from list_visit_slots, YYYY-MM-DD.
    half: from list_visit_slots.
    """
    sensor = _one(db, "sensors", sensor_id)
    if purpose not in _FEES:
        raise ValueError("the purpose must be calibration, repair or battery change")
    if any(each["sensor_id"] == sensor_id and each["status"] == "booked" for each in db["visits"].values()):
        raise ValueError(f"a visit to {sensor_id} is booked already; move or cancel that one")
    if (purpose == "repair") != (sensor["status"] == "faulty"):
        raise ValueError(f"{sensor_id} is {sensor['status']}: a faulty sensor is repaired, and no other")
    _check_slot(db, sensor["customer_id"], day, half)
    free = purpose == "repair" and sensor["warranty_until"] >= _today().isoformat()
    key = _new_key(db, "visits", "VI")
    db["visits"][key] = {
        "visit_id": key,
        "customer_id": sensor["customer_id"],
        "sensor_id": sensor_id,
        "purpose": purpose,
        "day": day,
        "half": half,
        "fee": 0.0 if free else _FEES[purpose],
        "status": "booked",
    }
    return _shown_visit(db, db["visits"][key])


def move_visit(db: Database, visit_id: str, day: str, half: Literal["morning", "afternoon"]) -> dict[str, Any]:
    """Move a visit to another slot, free of charge, until two days before it.

    visit_id: a booked visit.
    day: from list_visit_slots, YYYY-MM-DD.
    half: from list_visit_slots.
    """
    visit = _booked(db, visit_id)
    _check_slot(db, visit["customer_id"], day, half)
    visit.update(day=day, half=half)
    return _shown_visit(db, visit)


def cancel_visit(db: Database, visit_id: str) -> dict[str, Any]:
    """Cancel a visit free of charge, until two days before it.

    visit_id: a booked visit.
    """
    visit = _booked(db, visit_id)
    visit["status"] = "cancelled"
    return _shown_visit(db, visit)
