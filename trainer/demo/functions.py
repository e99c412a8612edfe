"""A parcel shop's functions. A member's parcels wait in numbered lockers until a day, unless they go elsewhere."""

from datetime import date, timedelta
from typing import Any

MOST_DAYS = 9

Record = dict[str, Any]
Database = dict[str, dict[str, Record]]


def show_card(db: Database, card: str) -> list[Record]:
    member = db["members"].get(card)
    if member is None:
        raise ValueError(f"there is no card {card}")
    parcels = [db["parcels"][key] for key in member["parcels"]]
    return [{"parcel": p["parcel"], "sender": p["sender"], "locker": p["locker"], "until": p["until"]} for p in parcels]


def keep_longer(db: Database, parcel: str, days: int) -> Record:
    record = _waiting(db, parcel)
    if not 1 <= days <= MOST_DAYS:
        raise ValueError(f"days must be 1 to {MOST_DAYS}")
    record["until"] = (date.fromisoformat(record["until"]) + timedelta(days=days)).isoformat()
    return {"until": record["until"]}


def move(db: Database, parcel: str, locker: str) -> Record:
    record = _waiting(db, parcel)
    target = db["lockers"].get(locker)
    if target is None:
        raise ValueError(f"there is no locker {locker}")
    record["locker"] = locker
    record["code"] = f"{record['seal'] * 37 % 9000 + 1000}"
    return {"code": record["code"], "street": target["street"]}


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
