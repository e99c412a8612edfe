"""What is special about the restaurant domain: its words, its books, and rules that the functions enforce."""

from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.reference.rehearsal import Stage, whole_database
from toolscale.artifacts import PRESENT, Call, Database
from toolscale.environment import ABSENT, Replay
from toolscale.reference import teacher
from toolscale.reference.domain import reference_domain
from toolscale.reference.program import Program
from toolscale.reference.recogniser import programs_in
from toolscale.reference.restaurant.plausibility import blemish, implausible
from toolscale.reference.restaurant.programs.draws import open_day
from toolscale.reference.wording import recognise, render, slots

RESTAURANT = reference_domain("restaurant")
SPOKEN = {
    "guest_id": "GST-10482",
    "restaurant": "Le Petit Comptoir",
    "other_restaurant": "Zaatar & Salz",
    "country": "United Kingdom",
    "date": "2026-12-02",
    "since": "2026-12-03",
    "until": "2026-12-04",
    "time": "19:30",
    "party": 4,
    "seats": 3,
    "portions": 5,
    "keep": 450,
    "limit": 12.9,
    "reservation": "RSV-4C9A1F",
    "other": "RSV-5D9A1F",
    "like": "RSV-6E9A1F",
    "order": "ORD-7B2210",
    "other_order": "ORD-8C2210",
    "dish": "Roast cauliflower with tahini",
    "course": "main",
    "second_course": "side",
    "diet": "vegan",
    "allergen": "milk",
    "area": "private room",
    "feature": "step-free access",
    "weekday": "Thursday",
    "currency": "GBP",
}
"""One value for every slot of the domain."""


def _lines() -> Iterator[tuple[str, str, str]]:
    """Program, template and worded line, of every voice of every request."""
    for program in RESTAURANT.programs:
        for template in program.voices.values():
            yield program.name, template, render(template, SPOKEN)


def test_every_request_is_read_as_its_own_program_with_the_facts_it_was_worded_from() -> None:
    for name, template, line in _lines():
        found = programs_in(line, RESTAURANT)
        assert [program.name for program, _ in found] == [name], line
        assert found[0][1] == {slot: SPOKEN[slot] for slot in slots(template)}, line


def test_no_twist_can_be_taken_for_a_request_nor_for_another_twist_of_its_program() -> None:
    requests = [line for _, _, line in _lines()]
    for program in RESTAURANT.programs:
        for twist in program.twists:
            others = [voice for other in program.twists if other is not twist for voice in other.voices.values()]
            for template in twist.voices.values():
                line = render(template, SPOKEN)
                assert not programs_in(line, RESTAURANT), line
                assert not [other for other in others if recognise(other, line)], line
                assert not [request for request in requests if recognise(template, request)], template


@pytest.mark.parametrize("seed", range(6))
def test_the_whole_world_is_plausible_and_valid(seed: int) -> None:
    database = whole_database(RESTAURANT, seed)
    assert implausible(database) == []
    assert not list(Draft202012Validator(RESTAURANT.schema).iter_errors(database))
    assert 350 <= sum(map(len, database.values())) <= 450


@pytest.mark.parametrize("seed", range(40))
def test_a_blemish_is_valid_by_the_schema_and_always_noticed(seed: int) -> None:
    rng = Random(seed)
    entries: Database = rng.choice(list(RESTAURANT.world(seed % 3).values()))
    blemish(entries, rng)
    assert implausible(entries)
    assert not list(Draft202012Validator(RESTAURANT.schema).iter_errors(entries))


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    stage = Stage("restaurant")
    yield stage
    stage.sandbox.close()


def _tables(stage: Stage) -> Any:
    """The stage's database, to be read by people who know the schema."""
    return stage.database


def _row(stage: Stage, table: str, **fields: Any) -> dict[str, Any]:
    rows = _tables(stage)[table].values()
    found: dict[str, Any] = next(row for row in rows if all(row[field] == value for field, value in fields.items()))
    return found


def _run(stage: Stage, *calls: tuple[str, dict[str, Any]]) -> Replay:
    return stage.sandbox.run([Call(name=name, arguments=arguments) for name, arguments in calls])


def test_a_table_that_is_held_cannot_be_booked_again_until_it_is_given_up(stage: Stage) -> None:
    held = _row(stage, "reservations", status="confirmed")
    guest = next(key for key in _tables(stage)["guests"] if key != held["guest_id"])
    wanted = {field: held[field] for field in ("table_id", "date", "time", "party_size")} | {"guest_id": guest}
    book, cancel = ("book_table", wanted), ("cancel_reservation", {"reservation_id": held["reservation_id"]})
    refused, _, booked = _run(stage, book, cancel, book).outcomes
    assert "is taken" in (refused.error or "")
    assert booked.ok


def test_an_order_adds_up_after_every_change_and_its_voucher_comes_back_when_it_is_cancelled(stage: Stage) -> None:
    for order in _tables(stage)["orders"].values():
        vouchers = [row for row in _tables(stage)["vouchers"].values() if row["guest_id"] == order["guest_id"]]
        lines = [row for row in _tables(stage)["order_lines"].values() if row["order_id"] == order["order_id"]]
        if order["status"] == "placed" and vouchers:
            break
    own, dish = {"order_id": order["order_id"]}, {"dish_id": lines[0]["dish_id"]}
    outcomes = _run(
        stage,
        ("add_to_order", {**own, **dish, "quantity": 4}),
        ("redeem_voucher", {**own, "voucher_id": vouchers[0]["voucher_id"]}),
        ("get_order", own),
        ("remove_from_order", {**own, **dish}),
        ("cancel_order", own),
        ("list_vouchers", {"guest_id": order["guest_id"]}),
    ).outcomes
    added, redeemed, read, removed, cancelled, listed = outcomes
    assert (added.ok, redeemed.ok, removed.ok, cancelled.ok) == (True, True, False, True)
    result: Any = read.result
    assert result["subtotal"] == pytest.approx(sum(line["amount"] for line in result["lines"]))
    assert result["subtotal"] == pytest.approx(order["subtotal"] + 4 * lines[0]["unit_price"])
    assert result["total"] == pytest.approx(result["subtotal"] - result["discount"] - vouchers[0]["amount"])
    still_valid: Any = listed.result
    assert vouchers[0]["voucher_id"] in [row["voucher_id"] for row in still_valid]


def test_no_dish_with_an_allergen_on_the_profile_can_be_ordered(stage: Stage) -> None:
    guest = _row(stage, "guests", allergies=[])
    dish = next(row for row in _tables(stage)["dishes"].values() if "milk" in row["allergens"] and row["takeaway"])
    house = _tables(stage)["restaurants"][dish["restaurant_id"]]
    order = (
        "place_order",
        {
            "guest_id": guest["guest_id"],
            "dish_ids": [dish["dish_id"]],
            "pickup_date": open_day(Random(0), house, 2, 9),
            "pickup_time": house["last_seating"],
        },
    )
    before, _, after = _run(
        stage, order, ("note_allergy", {"guest_id": guest["guest_id"], "allergen": "milk"}), order
    ).outcomes
    assert before.ok
    assert "allergic" in (after.error or "")


def test_late_cancellations_cost_the_fee_a_head_and_early_ones_nothing(stage: Stage) -> None:
    met = set()
    for row in _tables(stage)["reservations"].values():
        if row["status"] != "confirmed":
            continue
        house = _tables(stage)["restaurants"][row["restaurant_id"]]
        quote: Any = _run(stage, ("quote_cancellation", {"reservation_id": row["reservation_id"]})).outcomes[0].result
        late = quote["free_until"] < PRESENT.isoformat(sep=" ")
        met.add(late)
        assert quote["fee"] == pytest.approx(row["party_size"] * house["late_fee_per_head"] if late else 0)
        assert quote["refund"] == pytest.approx(max(0, row["deposit"] - quote["fee"]))
    assert met == {True, False}


def test_the_waiting_list_is_closed_while_a_table_is_free(stage: Stage) -> None:
    guest = next(iter(_tables(stage)["guests"]))
    house = _tables(stage)["restaurants"]["RES-CVG"]
    when = {"date": open_day(Random(1), house, 27, 40), "time": "19:00", "party_size": 2}
    wait, tables = _run(
        stage,
        ("join_waitlist", {"guest_id": guest, "restaurant_id": "RES-CVG", **when}),
        ("list_free_tables", {"restaurant_id": "RES-CVG", **when}),
    ).outcomes
    assert tables.result
    assert "book it instead" in (wait.error or "")


def test_the_functions_reckon_with_the_same_rules_as_the_world_that_they_work_on() -> None:
    from toolscale.reference.restaurant import houses, schema
    from toolscale.reference.restaurant.functions import _shared, guests, menus, orders, reservations

    assert _shared.ALLERGENS == schema.ALLERGENS
    assert _shared.WEEKDAYS == schema.WEEKDAYS
    assert menus.DIETS == schema.DIETS
    assert reservations.DEPOSIT_SHARE == houses.DEPOSIT_SHARE
    assert orders.DISCOUNT == houses.DISCOUNT
    assert guests.SCALE == houses.SCALE


@pytest.mark.parametrize("program", RESTAURANT.programs, ids=lambda program: program.name)
def test_what_a_task_leaves_behind_is_valid_and_plausible(program: Program, stage: Stage) -> None:
    world = stage.world(program.name, 430)
    drafts = (
        stage.enact(lambda seed=seed: teacher.propose(stage.domain, program, world, Random(seed), error_rate=0))
        for seed in range(8)
    )
    draft = next(draft for draft in drafts if "infeasible" not in draft)
    calls = [Call(**call) for call in draft["golden_calls"]]
    after = deepcopy(_tables(stage))
    for ref, record in stage.sandbox.run(calls).changes.items():
        if record is ABSENT:
            del after[ref.table][ref.key]
        else:
            after[ref.table][ref.key] = record
    assert not list(Draft202012Validator(RESTAURANT.schema).iter_errors(after))
    if program.name != "new_allergy":  # what was ordered before the allergy was known is for the guest to sort out
        assert implausible(after) == []
