"""What is special about the restaurant domain: its books, and rules that the functions enforce."""

from collections.abc import Iterator
from copy import deepcopy
from datetime import date, timedelta
from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.reference.rehearsal import Stage, refusal_faults, whole_database
from toolscale.artifacts import PRESENT, Call, Database
from toolscale.environment import ABSENT, Replay
from toolscale.reference import teacher
from toolscale.reference.domain import reference_domain
from toolscale.reference.enact import strictly
from toolscale.reference.program import CallRefused, DeadEnd, Goal, Program, World
from toolscale.reference.restaurant import rules
from toolscale.reference.restaurant.functions._shared import WEEKDAYS
from toolscale.reference.restaurant.plausibility import blemish, implausible
from toolscale.reference.restaurant.programs.common import open_day
from toolscale.reference.voices import VOICES
from toolscale.templates.template import recognise, render, slots

RESTAURANT = reference_domain("restaurant")


@pytest.mark.parametrize("seed", range(6))
def test_the_whole_world_is_plausible_and_valid(seed: int) -> None:
    database = whole_database(RESTAURANT, seed)
    assert implausible(database) == []
    assert not list(Draft202012Validator(RESTAURANT.schema).iter_errors(database))
    assert 860 <= sum(map(len, database.values())) <= 960


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
        vouchers = [
            row
            for row in _tables(stage)["vouchers"].values()
            if row["guest_id"] == order["guest_id"] and row["status"] == "active" and row["valid_until"] > "2026-12"
        ]
        lines = [row for row in _tables(stage)["order_lines"].values() if row["order_id"] == order["order_id"]]
        if order["status"] == "placed" and vouchers and not order["voucher_id"]:
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


def test_the_functions_take_the_countries_and_currencies_of_the_world_that_they_work_on() -> None:
    from toolscale.reference.restaurant import schema
    from toolscale.reference.restaurant.functions.guests import SCALE

    assert set(_parameter("search_restaurants", "country")) - {None} == set(schema.COUNTRIES)
    assert set(_parameter("exchange_points", "currency")) == set(schema.CURRENCIES) == set(SCALE)


def _parameter(function: str, name: str) -> list[Any]:
    """The values that a function's parameter can take."""
    parameters: Any = next(each for each in RESTAURANT.functions if each.name == function).parameters
    return list(parameters["properties"][name]["enum"])


def _changeable(stage: Stage) -> dict[str, Any]:
    """A reservation that was never changed, of a table at which one person less can sit as well."""
    for row in _tables(stage)["reservations"].values():
        table, house = (_tables(stage)[name][row[key]] for name, key in _PLACES)
        smaller = table["smallest_party"] <= row["party_size"] - 1
        if row["status"] == "confirmed" and not row["changed_at"] and row["date"] > "2026-12-01" and smaller:
            menu = _tables(stage)["set_menus"].get(row["set_menu_id"])
            if menu is None and house["free_cancel_hours"] <= 72:
                return dict(row)
    raise AssertionError("no reservation can be changed")


_PLACES = (("dining_tables", "table_id"), ("restaurants", "restaurant_id"))


def test_a_reservation_is_changed_once_and_after_that_only_kept_or_cancelled(stage: Stage) -> None:
    row = _changeable(stage)
    wanted = {field: row[field] for field in ("reservation_id", "table_id", "date", "time")}
    own = {"reservation_id": row["reservation_id"]}
    fewer = ("change_reservation", {**wanted, "party_size": row["party_size"] - 1})
    again = ("change_reservation", {**wanted, "party_size": row["party_size"]})
    first, second, cancelled = _run(stage, fewer, again, ("cancel_reservation", own)).outcomes
    assert first.ok
    assert "only once" in (second.error or "")
    assert cancelled.ok


def test_a_set_menu_once_chosen_stays(stage: Stage) -> None:
    chosen = next(row for row in _tables(stage)["reservations"].values() if row["set_menu_id"] and _coming(row))
    others = [
        menu["set_menu_id"]
        for menu in _tables(stage)["set_menus"].values()
        if menu["restaurant_id"] == chosen["restaurant_id"] and menu["smallest_party"] <= chosen["party_size"]
    ]
    for set_menu_id in others:
        wanted = {"reservation_id": chosen["reservation_id"], "set_menu_id": set_menu_id}
        assert "and stays" in (_run(stage, ("choose_set_menu", wanted)).outcomes[0].error or "")


def _coming(row: dict[str, Any]) -> bool:
    return bool(row["status"] == "confirmed")


def test_seats_given_back_bring_less_the_nearer_the_evening_is(stage: Stage) -> None:
    shares = {}
    for row in _tables(stage)["tickets"].values():
        event = _tables(stage)["events"][row["event_id"]]
        days = (date.fromisoformat(event["date"]) - PRESENT.date()).days
        if row["status"] == "valid":
            returned = _run(stage, ("return_tickets", {"ticket_id": row["ticket_id"], "seats": 1})).outcomes[0]
            result: Any = returned.result
            shares[days] = round(result["refund"] / event["price_per_seat"], 2) if returned.ok else 0.0
    assert all(share == (1.0 if days >= 7 else 0.5 if days >= 2 else 0.0) for days, share in shares.items())
    assert {0.5, 1.0} <= set(shares.values())


def test_seats_that_come_back_can_be_sold_again_and_only_once(stage: Stage) -> None:
    ticket = next(
        row
        for row in _tables(stage)["tickets"].values()
        if row["status"] == "valid" and _tables(stage)["events"][row["event_id"]]["date"] > "2026-12-01"
    )
    before = _tables(stage)["events"][ticket["event_id"]]["seats_left"]
    give_back = ("return_tickets", {"ticket_id": ticket["ticket_id"], "seats": ticket["seats"]})
    look = ("get_event", {"event_id": ticket["event_id"]})
    first, seen, second = _run(stage, give_back, look, give_back).outcomes
    event: Any = seen.result
    assert first.ok
    assert event["seats_left"] == before + ticket["seats"]
    assert "given back before" in (second.error or "")


def test_a_place_on_the_waiting_list_is_given_up_once_and_can_be_taken_again(stage: Stage) -> None:
    place = _row(stage, "waitlist", status="waiting")
    leave = ("leave_waitlist", {"entry_id": place["entry_id"]})
    left, listed, again = _run(stage, leave, ("list_waitlist", {"guest_id": place["guest_id"]}), leave).outcomes
    still: Any = listed.result
    assert left.ok
    assert place["entry_id"] not in [each["entry_id"] for each in still]
    assert "before" in (again.error or "")


def test_an_order_is_moved_only_before_the_kitchen_begins_and_to_when_the_house_is_open(stage: Stage) -> None:
    order, begun = _row(stage, "orders", status="placed"), _row(stage, "orders", status="preparing")
    house = _tables(stage)["restaurants"][order["restaurant_id"]]
    day = open_day(Random(4), house, 3, 9)
    closed = (date(2026, 11, 30) + timedelta(days=WEEKDAYS.index(house["closed_on"][0]))).isoformat()
    at = {"pickup_time": house["last_seating"] if order["pickup_time"] != house["last_seating"] else house["opens"]}
    moved, shut, late = _run(
        stage,
        ("move_pickup", {"order_id": order["order_id"], "pickup_date": day, **at}),
        ("move_pickup", {"order_id": order["order_id"], "pickup_date": closed, **at}),
        ("move_pickup", {"order_id": begun["order_id"], "pickup_date": day, **at}),
    ).outcomes
    assert moved.ok
    assert "does not serve" in (shut.error or "")
    assert "only orders that are `placed`" in (late.error or "")


@pytest.mark.parametrize("table", ["reservations", "orders", "vouchers", "tickets", "waitlist"])
def test_every_state_that_an_entry_can_be_in_occurs(table: str) -> None:
    states = RESTAURANT.schema["properties"][table]["additionalProperties"]["properties"]["status"]["enum"]
    found = {row["status"] for seed in range(3) for row in _rows_of(seed, table)}
    assert found == set(states)


def _rows_of(seed: int, table: str) -> list[dict[str, Any]]:
    tables: Any = whole_database(RESTAURANT, seed)
    return list(tables[table].values())


def test_no_template_begins_with_a_name_that_small_talk_could_be_taken_for() -> None:
    facts = {slot: "\0" for program in RESTAURANT.programs for text in program.voices.values() for slot in slots(text)}
    numbers = {"party": 4, "seats": 4, "portions": 4, "fewer": 2, "date": "2026-12-02", "time": "19:30"}
    for program in RESTAURANT.programs:
        for template in program.voices.values():
            assert not render(template, facts | numbers).startswith("\0"), template


@pytest.mark.parametrize("slot", ["dish", "restaurant", "event_title"])
def test_every_name_is_read_out_of_every_sentence_as_it_was_put_in(slot: str, stage: Stage) -> None:
    tables = _tables(stage)
    names = {
        "dish": {row["name"] for row in tables["dishes"].values()},
        "restaurant": {row["name"] for row in tables["restaurants"].values()},
        "event_title": {f'my ticket for "{row["title"]}"' for row in tables["events"].values()},
    }[slot]
    slot = "ticket" if slot == "event_title" else slot
    for program in RESTAURANT.programs:
        facts = next((f for f in (_drawn(program, stage, seed) for seed in range(60)) if f), None)
        for template in program.voices.values():
            for name in names if slot in slots(template) else ():
                assert facts, program.name
                read = recognise(template, render(template, {**facts, slot: name}))
                assert (read or {}).get(slot) == name, template


def _drawn(program: Program, stage: Stage, seed: int) -> Any:
    try:
        return program.draw(World(stage.database, RESTAURANT.identity), Random(seed))
    except DeadEnd:
        return None


def test_every_program_has_voices_of_its_own_and_twists_in_three() -> None:
    for program in RESTAURANT.programs:
        assert {"plain", "terse", "chatty", "formal", "hurried"} <= program.voices.keys() <= VOICES.keys()
        for twist in program.twists:
            assert len({"plain", *twist.voices}) >= 4


@pytest.mark.parametrize(
    "program", [program for program in RESTAURANT.programs if program.refusal], ids=lambda program: program.name
)
def test_whoever_gives_in_is_refused_or_breaks_the_rule(program: Program, stage: Stage) -> None:
    world = World(stage.database, RESTAURANT.identity)
    met = 0
    for seed in range(30):
        try:
            goal = Goal(program, program.draw(world, Random(seed)))
            stage.enact(lambda goal=goal: strictly(program.solve(goal.facts)))
        except (DeadEnd, CallRefused):
            continue
        met += 1
        assert refusal_faults(stage, goal) == []
        if met == 3:
            return
    assert met


@pytest.mark.parametrize("rule", ["the_smallest_free_table", "changed_once_at_most", "an_order_adds_up"])
def test_a_rule_notices_what_no_function_would_do(rule: str, stage: Stage) -> None:
    before, after = _tables(stage), deepcopy(_tables(stage))
    if rule == "an_order_adds_up":
        next(iter(after["orders"].values()))["total"] += 1
        call = "add_to_order"
    else:
        row = after["reservations"][_changeable(stage)["reservation_id"]]
        tables = [each for each in after["dining_tables"].values() if each["restaurant_id"] == row["restaurant_id"]]
        row["table_id"] = max(tables, key=lambda each: each["seats"])["table_id"]
        row["party_size"] = 1 if rule == "the_smallest_free_table" else row["party_size"] - 1
        call = "change_reservation"
    assert getattr(rules, rule)(before, {"name": call, "arguments": {}}, after)
    assert getattr(rules, rule)(before, {"name": call, "arguments": {}}, deepcopy(before)) is None


@pytest.mark.parametrize("program", RESTAURANT.programs, ids=lambda program: program.name)
def test_what_a_task_leaves_behind_is_valid_and_plausible(program: Program, stage: Stage) -> None:
    world = World(stage.database, RESTAURANT.identity)
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
