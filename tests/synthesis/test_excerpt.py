"""An excerpt is a part of the database that makes sense by itself."""

import pytest

from tests.synthesis.shop import CUSTOMERS, ORDERS, SCHEMA
from toolscale.artifacts import EntryRef
from toolscale.synthesis.excerpt import excerpt

DATABASE = {"customers": CUSTOMERS, "orders": ORDERS}


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
