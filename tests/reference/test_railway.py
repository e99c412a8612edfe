"""What is special about the railway: its world is plausible, its prices agree, its rules bite."""

import copy
from collections.abc import Callable
from datetime import datetime, timedelta
from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.reference.rehearsal import Stage, environment, refusal_faults, whole_database
from toolscale.artifacts import Call, CallOutcome, Database
from toolscale.environment import Sandbox
from toolscale.reference.domain import reference_domain
from toolscale.reference.enact import strictly
from toolscale.reference.program import CallRefused, DeadEnd, Goal, Program
from toolscale.reference.railway import rules
from toolscale.reference.voices import VOICES

RAILWAY = reference_domain("railway")


@pytest.fixture(scope="module")
def stage() -> Stage:
    return Stage("railway", seed=3)


def outcome(stage: Stage, name: str, **arguments: Any) -> CallOutcome:
    return stage.sandbox.run([Call(name=name, arguments=arguments)]).outcomes[-1]


def bookings(stage: Stage, status: str, fare: str = "FR-") -> list[dict[str, Any]]:
    """Bookings of a status and fare, each with its service under `service`."""
    database: Any = stage.database
    return [
        {**booking, "service": database["services"][booking["service_id"]]}
        for booking in database["bookings"].values()
        if booking["status"] == status and booking["fare_id"].startswith(fare)
    ]


def undisturbed(service: dict[str, Any]) -> bool:
    return service["status"] != "cancelled" and service["delay_minutes"] < 60


@pytest.mark.parametrize("seed", [0, 1, 7, 10])
def test_every_world_is_valid_plausible_and_of_the_promised_size(seed: int) -> None:
    database = whole_database(RAILWAY, seed)
    assert list(Draft202012Validator(RAILWAY.schema).iter_errors(database)) == []
    assert RAILWAY.implausible(database) == []
    assert all(RAILWAY.implausible(entries) == [] for entries in RAILWAY.world(seed).values())
    assert 780 <= sum(map(len, database.values())) <= 960
    assert database == whole_database(RAILWAY, seed)
    assert database["passengers"] != whole_database(RAILWAY, seed + 1)["passengers"]


@pytest.mark.parametrize("subject", list(RAILWAY.world(0)))
def test_a_blemish_is_valid_by_the_schema_and_found_implausible(subject: str) -> None:
    sound: Database = RAILWAY.world(0)[subject]
    for seed in range(12):
        entries = copy.deepcopy(sound)
        RAILWAY.blemish(entries, Random(seed))
        assert list(Draft202012Validator(RAILWAY.schema).iter_errors(entries)) == []
        assert len(RAILWAY.implausible(entries)) >= 1


def test_an_itinerary_with_crossed_times_is_implausible() -> None:
    entries = copy.deepcopy(RAILWAY.world(0)["high-speed services of the week"])
    service: Any = next(iter(entries["services"].values()))
    service["arrivals"][1], service["arrivals"][-1] = service["arrivals"][-1], service["arrivals"][1]
    assert any("run backwards" in reason for reason in RAILWAY.implausible(entries))


def test_prices_of_the_world_are_those_that_the_functions_quote(stage: Stage) -> None:
    compared = 0
    for booking in bookings(stage, "confirmed"):
        fare: Any = stage.database["fares"][booking["fare_id"]]
        quote: Any = outcome(
            stage,
            "quote_fare",
            passenger_id=booking["passenger_id"],
            service_id=booking["service_id"],
            origin=booking["origin"],
            destination=booking["destination"],
            fare=fare["fare"],
            travel_class=fare["travel_class"],
            travellers=booking["travellers"],
        ).result
        assert quote["discount_percent"] == booking["discount_percent"]
        assert quote["total"] == pytest.approx(booking["price_total"] - 11.90 * booking["bicycles"])
        compared += 1
    assert compared > 20


def test_saver_tickets_are_neither_refunded_nor_exchanged_nor_upgraded(stage: Stage) -> None:
    saver = next(booking for booking in bookings(stage, "confirmed", "FR-SAVER") if undisturbed(booking["service"]))
    refused = outcome(stage, "cancel_booking", booking_id=saver["booking_id"], refund_to="voucher")
    assert refused.error_type == "ValueError"
    assert "not refundable" in (refused.error or "")
    upgraded = outcome(stage, "upgrade_booking", booking_id=saver["booking_id"], payment="card")
    assert upgraded.error_type == "ValueError"


def test_a_cancelled_train_is_refunded_in_full_whatever_the_fare(stage: Stage) -> None:
    affected = [each for each in bookings(stage, "confirmed") if each["service"]["status"] == "cancelled"]
    assert affected
    for booking in affected:
        done: Any = outcome(
            stage, "cancel_booking", booking_id=booking["booking_id"], refund_to="original_payment"
        ).result
        assert done["refund"] == booking["price_total"]


def test_a_cancelled_booking_cannot_be_cancelled_or_moved_again(stage: Stage) -> None:
    flex = next(booking for booking in bookings(stage, "confirmed", "FR-FLEX") if undisturbed(booking["service"]))
    cancel = Call(name="cancel_booking", arguments={"booking_id": flex["booking_id"], "refund_to": "voucher"})
    first, second = stage.sandbox.run([cancel, cancel]).outcomes
    assert first.ok
    assert second.error_type == "ValueError"
    assert "is cancelled" in (second.error or "")


def test_compensation_follows_the_delay_and_is_paid_once(stage: Stage) -> None:
    due = {}
    for booking in bookings(stage, "travelled"):
        found: Any = outcome(stage, "check_compensation", booking_id=booking["booking_id"]).result
        delay = booking["service"]["delay_minutes"]
        expected = (50 if delay >= 120 else 25) if found["eligible"] else 0
        assert found["percent"] == expected
        assert delay >= 60 or not found["eligible"]
        if found["eligible"]:
            due[booking["booking_id"]] = found["amount"]
    assert due
    booking_id = next(iter(due))
    claim = Call(name="file_compensation_claim", arguments={"booking_id": booking_id, "payout": "bank_transfer"})
    first, second = stage.sandbox.run([claim, claim]).outcomes
    assert first.result["amount"] == due[booking_id]  # type: ignore[index, call-overload]
    assert "already filed" in (second.error or "")


def test_a_seat_is_given_to_one_traveller_only(stage: Stage) -> None:
    seated = {each["booking_id"] for each in stage.database["reservations"].values()}
    party = next(
        booking["booking_id"]
        for booking in bookings(stage, "confirmed")
        if booking["travellers"] > 1 and booking["booking_id"] not in seated and undisturbed(booking["service"])
    )
    free: Any = outcome(stage, "find_free_seats", booking_id=party, position="aisle", zone="quiet").result
    reserve = Call(name="reserve_seat", arguments={"booking_id": party, **free[0]})
    first, second = stage.sandbox.run([reserve, reserve]).outcomes
    assert first.ok
    assert "is taken" in (second.error or "")


def test_every_program_has_voices_of_its_own_and_a_purpose_of_its_own() -> None:
    programs = RAILWAY.programs
    assert len({program.intent for program in programs}) == len(programs) >= 48
    for program in programs:
        assert {"plain", "terse", "chatty", "formal"} <= program.voices.keys() <= VOICES.keys()
        assert len(program.voices) >= 5
        for twist in program.twists:
            assert len(twist.voices) >= 3
            assert "plain" in twist.voices
    bracketed = [program.name for program in programs if any("[" in each for each in program.voices.values())]
    assert len(bracketed) >= 0.9 * len(programs)


@pytest.mark.parametrize("seed", [0, 5])
def test_nobody_travels_by_two_trains_of_one_day(seed: int) -> None:
    database: Any = whole_database(RAILWAY, seed)
    days = [
        (booking["passenger_id"], database["services"][booking["service_id"]]["travel_date"])
        for booking in database["bookings"].values()
        if booking["status"] == "confirmed"
    ]
    assert len(days) == len(set(days)) > 60


@pytest.mark.parametrize("seed", [0, 5])
def test_a_train_of_another_day_is_late_for_works_alone(seed: int) -> None:
    database: Any = whole_database(RAILWAY, seed)
    causes = {each["service_id"]: each["cause"] for each in database["disruptions"].values()}
    ahead = [each for each in database["services"].values() if each["travel_date"] > "2026-11-23"]
    late = [each["service_id"] for each in ahead if each["delay_minutes"]]
    assert late
    assert {causes[key] for key in late} == {"infrastructure_works"}


def test_some_routes_run_both_ways_at_the_speed_of_the_way_there() -> None:
    trains: Any = RAILWAY.world(0)["high-speed services of the week"]["services"].values()
    there = next(each for each in trains if each["stops"][0] == "GBSPX")
    back = next(each for each in trains if each["stops"][-1] == "GBSPX")
    assert back["stops"] == there["stops"][::-1]
    assert back["kilometres"][-1] == there["kilometres"][-1]
    assert len({_lasts(each) for each in (there, back)}) == 1


def _lasts(train: dict[str, Any]) -> timedelta:
    return datetime.fromisoformat(train["arrivals"][-1]) - datetime.fromisoformat(train["departures"][0])


def test_gold_passengers_and_first_class_flex_wait_free_of_charge() -> None:
    database: Any = whole_database(RAILWAY, 1)
    for visit in database["lounge_visits"].values():
        gold = database["passengers"][visit["passenger_id"]]["tier"] == "gold"
        free = gold or database["bookings"][visit["booking_id"]]["fare_id"] == "FR-FLEX-1"
        assert visit["fee"] == (0 if free else database["lounges"][visit["lounge_id"]]["visit_fee"])


@pytest.mark.parametrize("program", [each for each in RAILWAY.programs if each.refusal], ids=lambda each: each.name)
def test_giving_in_to_what_is_refused_fails_or_breaks_the_rule(stage: Stage, program: Program) -> None:
    world, tried = stage.everything, 0
    for seed in range(40):
        try:
            facts = program.draw(world, Random(seed))
            stage.enact(lambda facts=facts: strictly(program.solve(facts)))
        except (DeadEnd, CallRefused):
            continue
        assert refusal_faults(stage, Goal(program, facts)) == []
        tried += 1
        if tried == 3:
            break
    assert tried == 3


def _sold_cheaper(after: Any) -> None:
    booking = next(each for each in after["bookings"].values() if each["status"] == "confirmed")
    after["bookings"]["RB-000000"] = {**booking, "booking_id": "RB-000000", "price_total": booking["price_total"] - 1}


def _a_visit_for_nothing(after: Any) -> None:
    visit = next(each for each in after["lounge_visits"].values() if each["fee"])
    after["lounge_visits"] = {"LV-000000": {**visit, "visit_id": "LV-000000", "fee": 0.0}}


def _a_claim_too_high(after: Any) -> None:
    claim = next(iter(after["claims"].values()))
    after["claims"]["CL-000000"] = {**claim, "claim_id": "CL-000000", "amount": claim["amount"] + 5}


def _a_seat_too_many(after: Any) -> None:
    seats = after["reservations"]
    seat = next(iter(seats.values()))
    for number in range(6):
        seats[f"SR-00000{number}"] = {**seat, "reservation_id": f"SR-00000{number}", "seat": 60 + number}


@pytest.mark.parametrize(
    ("rule", "spoil"),
    [
        (rules.the_best_rail_card_counts, _sold_cheaper),
        (rules.lounge_visits_before_departure, _a_visit_for_nothing),
        (rules.compensation_as_laid_down, _a_claim_too_high),
        (rules.a_seat_for_each_traveller, _a_seat_too_many),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_a_rule_sees_what_breaks_it(stage: Stage, rule: Any, spoil: Callable[[Any], None]) -> None:
    before: Any = copy.deepcopy(stage.database)
    after = copy.deepcopy(before)
    call = {"name": "", "arguments": {}, "result": None}
    assert rule(before, call, after) is None
    spoil(after)
    assert rule(before, call, after)


def test_a_voucher_that_ran_out_pays_for_nothing(stage: Stage) -> None:
    database: Any = copy.deepcopy(stage.database)
    voucher = next(each for each in database["vouchers"].values() if each["status"] == "open")
    held = next(iter(bookings(stage, "held")))
    voucher.update(passenger_id=held["passenger_id"], valid_until="2026-11-22")
    call = Call(
        name="pay_held_booking",
        arguments={"booking_id": held["booking_id"], "method": "card", "voucher_id": voucher["voucher_id"]},
    )
    refused = Sandbox(environment(RAILWAY, database)).run([call]).outcomes[-1]
    assert "ran out on 2026-11-22" in (refused.error or "")
