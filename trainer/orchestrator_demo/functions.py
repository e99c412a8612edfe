"""Functions of a claims desk. Every order has one claim, and is settled once."""

from typing import Any

Record = dict[str, Any]
Database = dict[str, dict[str, Record]]


def look_up(db: Database, order: str) -> Record:
    return {"claim": _open(db, order)["claim"]}


def refund(db: Database, order: str) -> Record:
    return _settle(db, order, "refund")


def repair(db: Database, order: str) -> Record:
    return _settle(db, order, "repair")


def swap(db: Database, order: str) -> Record:
    return _settle(db, order, "swap")


def voucher(db: Database, order: str) -> Record:
    return _settle(db, order, "voucher")


def _settle(db: Database, order: str, remedy: str) -> Record:
    _open(db, order)["settled"] = remedy
    return {"settled": remedy}


def _open(db: Database, order: str) -> Record:
    record = db["orders"].get(order)
    if record is None:
        raise ValueError(f"there is no order {order}")
    if record["settled"]:
        raise ValueError(f"order {order} is settled already")
    return record
