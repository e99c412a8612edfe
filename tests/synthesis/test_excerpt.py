"""An excerpt is a part of the database that makes sense by itself."""

import pytest

from tests.synthesis import harbour
from tests.synthesis.shop import CUSTOMERS, ORDERS, SCHEMA
from toolscale.artifacts import DatabaseSchema, EntryRef, Reject, Task
from toolscale.synthesis.excerpt import Excerpts
from toolscale.synthesis.writing import first_feasible

DATABASE = {"customers": CUSTOMERS, "orders": ORDERS}


def excerpt(schema, database, *, seed, size, focus=()):
    return Excerpts(schema, database).draw(seed, size, focus)


@pytest.mark.parametrize("size", range(1, 12))
def test_every_reference_in_an_excerpt_resolves_within_it(size):
    part = excerpt(SCHEMA, DATABASE, seed="s", size=size)
    assert sum(map(len, part.values())) >= size
    assert all(order["customer_id"] in part["customers"] for order in part["orders"].values())
    assert all(DATABASE[table][key] == record for table, records in part.items() for key, record in records.items())


def test_the_seed_decides_what_is_in_it():
    assert excerpt(SCHEMA, DATABASE, seed="a", size=3) == excerpt(SCHEMA, DATABASE, seed="a", size=3)
    assert len({str(excerpt(SCHEMA, DATABASE, seed=str(n), size=3)) for n in range(10)}) > 1


def test_the_focus_is_in_it_with_what_refers_to_it():
    part = excerpt(SCHEMA, DATABASE, seed="s", size=1, focus=[EntryRef("customers", "C-2")])
    assert "C-2" in part["customers"]
    assert part["orders"].keys() == {key for key, order in ORDERS.items() if order["customer_id"] == "C-2"}


def test_a_size_beyond_the_database_gives_all_of_it():
    assert excerpt(SCHEMA, DATABASE, seed="s", size=1000) == {
        "customers": dict(sorted(CUSTOMERS.items())),
        "orders": dict(sorted(ORDERS.items())),
    }


@pytest.mark.parametrize("seed", ["a", "b", "c"])
def test_a_survey_holds_entries_of_every_table_in_different_states_closed_under_references(seed):
    part = Excerpts(SCHEMA, DATABASE).survey(seed, each=2)
    assert {order["status"] for order in part["orders"].values()} == {"open", "cancelled"}
    assert len(part["customers"]) >= 2
    assert all(order["customer_id"] in part["customers"] for order in part["orders"].values())
    assert part == Excerpts(SCHEMA, DATABASE).survey(seed, each=2)


def test_a_survey_shows_an_entry_in_each_of_a_few_states():
    sizes = {"landings": 60, "boats": 30, "skippers": 20, "berths": 6}
    database = {
        table: {f"{harbour.LETTERS[table]}-{n}": harbour.MAKERS[table](n) for n in range(size)}
        for table, size in sizes.items()
    }
    part = Excerpts(harbour.SCHEMA, database).survey("s", each=1)
    assert {landing["status"] for landing in part["landings"].values()} == set(harbour.STATES)
    assert len(part["landings"]) == len(harbour.STATES)


def test_what_nobody_owns_does_not_lead_to_the_users_who_refer_to_it():
    def table(key, *targets):
        refers = {f"{each[:-1]}_id": {"type": "string", "x-references": f"{each}.{each[:-1]}_id"} for each in targets}
        properties = {key: {"type": "string", "x-primary-key": True}, **refers}
        return {"type": "object", "additionalProperties": {"type": "object", "properties": properties}}

    tables = {"users": table("user_id"), "stations": table("station_id")}
    tables |= {"trips": table("trip_id", "users", "stations"), "cards": table("card_id", "users")}
    schema = DatabaseSchema(domain="rail", json_schema={"type": "object", "properties": tables})
    users = {f"U{n}": {"user_id": f"U{n}"} for n in range(20)}
    trips = {
        f"T{n}-{m}": {"trip_id": f"T{n}-{m}", "user_id": f"U{n}", "station_id": "S"}
        for n in range(20)
        for m in range(6)
    }
    database = {"users": users, "stations": {"S": {"station_id": "S"}}, "trips": trips, "cards": {}}
    part = excerpt(schema, database, seed="s", size=1, focus=[EntryRef("stations", "S")])
    assert part["trips"] == {}
    part = excerpt(schema, database, seed="s", size=6, focus=[EntryRef("trips", "T3-0")])
    assert set(part["users"]) == {"U3"}
    assert len(part["trips"]) == 6


async def test_a_second_excerpt_is_tried_only_where_the_first_has_no_task():
    seen = []

    async def drafted(shown):
        seen.append(shown)
        return Task(id="shop-1") if shown else Reject(domain="shop", stage="tasks", check="infeasible", reasons=["no"])

    good, empty = {"users": {}}, {}
    assert isinstance(await first_feasible(drafted, [empty, good]), Task)
    assert isinstance(await first_feasible(drafted, [empty, empty]), Reject)
    assert isinstance(await first_feasible(drafted, [good, empty]), Task)
    assert seen == [empty, good, empty, empty, good]
