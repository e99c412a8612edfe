"""What is special about the travel agency: its world is plausible, its prices agree, its rules and states bite."""

import copy
from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.reference.rehearsal import Stage, whole_database
from toolscale.artifacts import Call, CallOutcome, Database
from toolscale.reference.domain import reference_domain
from toolscale.reference.travel.prices import compensation
from toolscale.reference.voices import VOICES

TRAVEL = reference_domain("travel")


@pytest.fixture(scope="module")
def stage() -> Stage:
    return Stage("travel", seed=3)


def outcome(stage: Stage, name: str, **arguments: Any) -> CallOutcome:
    return stage.sandbox.run([Call(name=name, arguments=arguments)]).outcomes[-1]


def rows(stage: Stage, table: str, **wanted: Any) -> list[dict[str, Any]]:
    """The table's records that have these values."""
    database: Any = stage.database
    return [each for each in database[table].values() if all(each[name] == value for name, value in wanted.items())]


def flight_of(stage: Stage, booking: dict[str, Any]) -> dict[str, Any]:
    database: Any = stage.database
    return dict(database["flights"][booking["flight_id"]])


def undisturbed(flight: dict[str, Any]) -> bool:
    return flight["status"] != "cancelled" and flight["delay_minutes"] < 180


@pytest.mark.parametrize("seed", [0, 5, 11])
def test_every_world_is_plausible_and_gives_no_room_twice(seed: int) -> None:
    database: Any = whole_database(TRAVEL, seed)
    assert TRAVEL.implausible(database) == []
    assert sum(map(len, database.values())) >= 1500
    for stay in database["stays"].values():
        together = [
            each
            for each in database["stays"].values()
            if each["room_id"] == stay["room_id"]
            and each["status"] == stay["status"] == "confirmed"
            and each["check_in"] < stay["check_out"]
            and stay["check_in"] < each["check_out"]
        ]
        assert len(together) <= database["rooms"][stay["room_id"]]["count"]


@pytest.mark.parametrize("subject", list(TRAVEL.world(0)))
def test_a_blemish_is_valid_by_the_schema_and_found_implausible(subject: str) -> None:
    sound: Database = TRAVEL.world(0)[subject]
    for seed in range(12):
        entries = copy.deepcopy(sound)
        TRAVEL.blemish(entries, Random(seed))
        whole = {table: entries.get(table, {}) for table in TRAVEL.schema["properties"]}
        assert list(Draft202012Validator(TRAVEL.schema).iter_errors(whole)) == []
        assert len(TRAVEL.implausible(entries)) >= 1


def test_prices_of_the_world_are_those_that_the_functions_ask(stage: Stage) -> None:
    compared = 0
    for booking in rows(stage, "flight_bookings", status="confirmed", cabin="economy"):
        fare: Any = stage.database["fares"][booking["fare_id"]]
        found: Any = outcome(stage, "get_flight", flight_id=booking["flight_id"]).result
        bags = booking["extra_bags"] * found["extra_bag_fee"]
        asked = found["economy_prices"][fare["fare"]] * booking["travellers"] + bags
        assert asked == pytest.approx(booking["price_total"])
        compared += 1
        if compared == 40:
            break
    assert compared == 40
    for insurance in rows(stage, "insurances")[:15]:
        fields = ("traveller_id", "destination_code", "start_date", "end_date", "trip_price")
        offers: Any = outcome(stage, "quote_insurance", **{name: insurance[name] for name in fields}).result
        asked_for = {each["product_id"]: each["premium"] for each in offers}
        assert asked_for.get(insurance["product_id"], insurance["premium"]) == pytest.approx(insurance["premium"])


def test_light_fares_are_neither_refunded_nor_changed_nor_upgraded(stage: Stage) -> None:
    light = next(
        each
        for each in rows(stage, "flight_bookings", status="confirmed", fare_id="FR-LIGHT", cabin="economy")
        if undisturbed(flight_of(stage, each))
    )
    refused = outcome(stage, "cancel_flight", booking_id=light["booking_id"], refund_to="card")
    assert "not refundable" in (refused.error or "")
    assert outcome(stage, "upgrade_cabin", booking_id=light["booking_id"], payment="card").error_type == "ValueError"
    flight = flight_of(stage, light)
    other = next(
        each["flight_id"]
        for each in rows(stage, "flights", origin=flight["origin"], destination=flight["destination"])
        if each["flight_id"] != flight["flight_id"]
        and each["status"] == "scheduled"
        and each["seats_economy"] >= light["travellers"]
    )
    changed = outcome(stage, "change_flight", booking_id=light["booking_id"], new_flight_id=other)
    assert "cannot be changed" in (changed.error or "")


def test_a_flight_that_the_airline_cancelled_is_refunded_in_full_and_only_once(stage: Stage) -> None:
    cancelled = [
        each
        for each in rows(stage, "flight_bookings", status="confirmed")
        if flight_of(stage, each)["status"] == "cancelled"
    ]
    assert cancelled
    for booking in cancelled[:5]:
        cancel = Call(name="cancel_flight", arguments={"booking_id": booking["booking_id"], "refund_to": "voucher"})
        first, second = stage.sandbox.run([cancel, cancel]).outcomes
        assert first.result["refund"] == booking["price_total"]  # type: ignore[index, call-overload]
        assert "is cancelled" in (second.error or "")


def test_saver_stays_are_neither_changed_nor_cancelled_but_may_have_other_meals(stage: Stage) -> None:
    saver = next(each for each in rows(stage, "stays", status="confirmed", rate="saver", board="room_only"))
    refused = outcome(stage, "cancel_stay", stay_id=saver["stay_id"], refund_to="card")
    assert "cannot be cancelled" in (refused.error or "")
    assert outcome(stage, "set_board", stay_id=saver["stay_id"], board="breakfast").ok


def test_a_change_of_stay_costs_what_was_quoted(stage: Stage) -> None:
    stay = rows(stage, "stays", status="confirmed", rate="flexible")[0]
    dates = {"check_in": "2027-03-02", "check_out": "2027-03-05"}
    quote: Any = outcome(stage, "quote_stay_change", stay_id=stay["stay_id"], **dates).result
    done: Any = outcome(stage, "change_stay", stay_id=stay["stay_id"], **dates).result
    assert done["new_total"] == quote["new_total"] == pytest.approx(stay["price_total"] + quote["difference"])


def test_a_full_tour_takes_names_for_its_waiting_list_and_no_bookings(stage: Stage) -> None:
    full = next(each for each in rows(stage, "departures", places_left=0) if each["start_date"] > "2026-12-01")
    waiting = {each["traveller_id"] for each in rows(stage, "waitlist", departure_id=full["departure_id"])}
    traveller = next(each["traveller_id"] for each in rows(stage, "travellers") if each["traveller_id"] not in waiting)
    wanted = {"traveller_id": traveller, "departure_id": full["departure_id"], "travellers": 2}
    assert "waiting list" in (outcome(stage, "book_tour", **wanted).error or "")
    join = Call(name="join_waitlist", arguments=wanted)
    first, second = stage.sandbox.run([join, join]).outcomes
    assert first.result["position"] == len(waiting) + 1  # type: ignore[index, call-overload]
    assert "already" in (second.error or "")


def test_cancelling_a_tour_costs_more_the_nearer_it_is(stage: Stage) -> None:
    found = []
    for booking in (*rows(stage, "tour_bookings", status="reserved"), *rows(stage, "tour_bookings", status="paid")):
        seen: Any = outcome(stage, "get_tour_booking", tour_booking_id=booking["tour_booking_id"]).result
        if seen["fee_percent"] is not None:
            found.append((seen["days_ahead"], seen["fee_percent"]))
    fees = [fee for _, fee in sorted(found)]
    assert fees == sorted(fees, reverse=True)
    assert len(set(fees)) == 4


def test_compensation_follows_distance_and_delay_and_is_paid_once(stage: Stage) -> None:
    due = []
    for booking in rows(stage, "flight_bookings", status="flown"):
        flight = flight_of(stage, booking)
        found: Any = outcome(stage, "check_compensation", booking_id=booking["booking_id"]).result
        expected = compensation(flight["distance_km"], flight["delay_minutes"]) * booking["travellers"]
        assert found["amount"] == (expected if found["due"] else 0)
        due += [booking["booking_id"]] if found["due"] else []
    claim = Call(name="claim_compensation", arguments={"booking_id": due[0], "payout": "bank_transfer"})
    first, second = stage.sandbox.run([claim, claim]).outcomes
    assert first.ok
    assert "claimed before" in (second.error or "")


def test_papers_are_applied_for_only_with_a_passport_that_lasts(stage: Stage) -> None:
    short = next(each for each in rows(stage, "travellers") if each["passport_expiry"] < "2027-05-01")
    refused = outcome(
        stage,
        "apply_for_entry",
        traveller_id=short["traveller_id"],
        destination_code="NBO",
        arrival_date="2027-01-20",
    )
    assert f"runs out on {short['passport_expiry']}" in (refused.error or "")


def test_every_program_has_voices_of_its_own_and_twists_in_three() -> None:
    for program in TRAVEL.programs:
        assert {"plain", "terse", "chatty", "formal"} <= program.voices.keys() <= VOICES.keys()
        assert len(program.voices) >= 5
        for twist in program.twists:
            assert "plain" in twist.voices
            assert len(twist.voices) >= 3
