"""A parcel shop's functions. Parcels wait in numbered lockers until a day, unless they go elsewhere."""

from datetime import date, timedelta
from typing import Any

MOST_DAYS = 9

Record = dict[str, Any]
Database = dict[str, dict[str, Record]]


def last_day(db: Database, parcel: str) -> Record:
    return {"until": _waiting(db, parcel)["until"]}


def keep_longer(db: Database, parcel: str, days: int) -> Record:
    record = _waiting(db, parcel)
    if not 1 <= days <= MOST_DAYS:
        raise ValueError(f"days must be 1 to {MOST_DAYS}")
    record["until"] = (date.fromisoformat(record["until"]) + timedelta(days=days)).isoformat()
    return {"until": record["until"]}


def move(db: Database, parcel: str, locker: str) -> Record:
    record = _waiting(db, parcel)
    if locker not in db["lockers"]:
        raise ValueError(f"there is no locker {locker}")
    record["locker"] = locker
    record["code"] = f"{record['seal'] * 37 % 9000 + 1000}"
    return {"code": record["code"]}


def send_back(db: Database, parcel: str) -> Record:
    record = _waiting(db, parcel)
    record["status"] = "returned"
    return {"receipt": f"R{record['seal']}"}


def _waiting(db: Database, parcel: str) -> Record:
    record = db["parcels"].get(parcel)
    if record is None:
        raise ValueError(f"there is no parcel {parcel}")
    if record["status"] != "waiting":
        raise ValueError(f"parcel {parcel} is no longer here")
    return record
