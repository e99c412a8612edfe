"""What is special about entertainment: its world is plausible, its prices agree, its states and rules refuse."""

from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.reference.rehearsal import Stage, whole_database
from toolscale.artifacts import Call, CallOutcome, Database
from toolscale.environment import ABSENT
from toolscale.reference import teacher
from toolscale.reference.domain import reference_domain
from toolscale.reference.entertainment.plausibility import blemish, implausible
from toolscale.reference.moments import NOW, age, minutes_between
from toolscale.reference.program import Program
from toolscale.reference.voices import VOICES

ENTERTAINMENT = reference_domain("entertainment")
Record = dict[str, Any]


@pytest.fixture(scope="module")
def stage() -> Stage:
    return Stage("entertainment", seed=3)


def _run(stage: Stage, *calls: tuple[str, Record]) -> list[CallOutcome]:
    return list(stage.sandbox.run([Call(name=name, arguments=arguments) for name, arguments in calls]).outcomes)


def _tables(stage: Stage) -> Any:
    return stage.database


def _bookings(stage: Stage, kind: str, status: str = "confirmed") -> Iterator[tuple[Record, Record]]:
    """Bookings at houses of a kind for performances that take place, each with its performance."""
    tables = _tables(stage)
    for booking in tables["bookings"].values():
        performance = tables["performances"][booking["performance_id"]]
        house = tables["venues"][performance["venue_id"]]
        if (house["kind"], booking["status"]) == (kind, status) and performance["status"] in ("scheduled", "over"):
            yield booking, performance


def _hours(performance: Record) -> float:
    return minutes_between(NOW, performance["starts_at"]) / 60


@pytest.mark.parametrize("seed", [0, 1, 7])
def test_every_world_is_valid_plausible_and_of_the_promised_size(seed: int) -> None:
    database = whole_database(ENTERTAINMENT, seed)
    assert list(Draft202012Validator(ENTERTAINMENT.schema).iter_errors(database)) == []
    assert implausible(database) == []
    assert 900 <= sum(map(len, database.values())) <= 1300
    assert database["members"] != whole_database(ENTERTAINMENT, seed + 1)["members"]


def test_there_are_at_least_as_many_functions_as_promised() -> None:
    assert len(ENTERTAINMENT.functions) >= 24
    assert len(ENTERTAINMENT.writes) >= 12


@pytest.mark.parametrize("subject", list(ENTERTAINMENT.world(0)))
def test_a_blemish_is_valid_by_the_schema_and_found_implausible(subject: str) -> None:
    sound: Database = ENTERTAINMENT.world(0)[subject]
    for seed in range(15):
        entries = deepcopy(sound)
        blemish(entries, Random(seed))
        tables = {**{name: {} for name in ENTERTAINMENT.schema["properties"]}, **entries}
        assert list(Draft202012Validator(ENTERTAINMENT.schema).iter_errors(tables)) == []
        assert len(implausible(entries)) >= 1


def test_no_seat_is_held_twice_or_free_and_held_at_once(stage: Stage) -> None:
    held = Counter(
        (booking["performance_id"], seat)
        for booking in _tables(stage)["bookings"].values()
        if booking["status"] in ("confirmed", "on_resale", "used")
        for seat in booking["seats"]
    )
    assert held
    assert max(held.values()) == 1
    free = {
        (key, seat)
        for key, performance in _tables(stage)["performances"].items()
        for zone in performance["zones"]
        for seat in zone["free_seats"]
    }
    assert not free & held.keys()


def test_a_booking_takes_its_seats_and_costs_what_was_quoted(stage: Stage) -> None:
    tables = _tables(stage)
    for membership in tables["memberships"].values():
        member = tables["members"][membership["member_id"]]
        for key, performance in tables["performances"].items():
            if performance["status"] != "scheduled" or age(member["birth_date"]) < 18:
                continue
            zone = next((each for each in performance["zones"] if len(each["free_seats"]) > 1), None)
            if zone is None:
                continue
            seats, who = zone["free_seats"][:2], {"member_id": member["member_id"], "performance_id": key}
            quote, booked, again = _run(
                stage,
                ("quote_tickets", {**who, "zone": zone["zone"], "tickets": 2}),
                ("book_seats", {**who, "seats": seats}),
                ("book_seats", {**who, "seats": seats}),
            )
            quoted: Any = quote.result
            bought: Any = booked.result
            assert quoted["fee_total"] == 0
            assert bought["total"] == quoted["total"]
            assert bought["total"] <= 2 * zone["price"]
            assert "not all free" in (again.error or "")
            return
    raise AssertionError("nobody could book")


def test_refunds_follow_the_house_the_protection_and_the_fate_of_the_performance(stage: Stage) -> None:
    met = set()
    for booking in _tables(stage)["bookings"].values():
        if booking["status"] != "confirmed":
            continue
        performance = _tables(stage)["performances"][booking["performance_id"]]
        kind = _tables(stage)["venues"][performance["venue_id"]]["kind"]
        quote: Any = _run(stage, ("quote_refund", {"booking_id": booking["booking_id"]}))[0].result
        tickets = booking["total"] - booking["fee_total"] - booking["protection_cost"]
        if performance["status"] != "scheduled":
            expected, case = booking["total"], "called off"
        elif booking["protection_cost"] or kind == "cinema":
            expected, case = tickets, "protected or cinema"
        else:
            expected, case = 0.0, "stage"
        assert quote["refund"] == pytest.approx(expected)
        met.add(case)
    assert met == {"called off", "protected or cinema", "stage"}


def test_a_cancelled_booking_can_be_neither_changed_nor_cancelled_again(stage: Stage) -> None:
    booking, _ = next(_bookings(stage, "cinema"))
    one = {"booking_id": booking["booking_id"]}
    cancel = ("cancel_booking", {**one, "refund_to": "gift_card"})
    friend = next(key for key in _tables(stage)["members"] if key != booking["member_id"])
    done, again, moved, handed = _run(
        stage,
        cancel,
        cancel,
        ("change_seats", {**one, "seats": booking["seats"]}),
        ("transfer_booking", {**one, "to_member_id": friend}),
    )
    assert done.ok
    assert all("is cancelled" in (each.error or "") for each in (again, moved, handed))


def test_theatre_tickets_are_exchanged_until_two_days_before_and_nothing_else_is(stage: Stage) -> None:
    tables = _tables(stage)
    late = 0
    for kind in ("theatre", "concert_hall", "cinema"):
        for booking, performance in _bookings(stage, kind):
            other = next(
                key
                for key, each in tables["performances"].items()
                if (each["show_id"], each["venue_id"]) == (performance["show_id"], performance["venue_id"])
                and key != booking["performance_id"]
            )
            arguments = {"booking_id": booking["booking_id"], "performance_id": other, "seats": booking["seats"]}
            error = _run(stage, ("exchange_booking", arguments))[0].error or ""
            if kind != "theatre":
                assert "only theatre tickets" in error
            elif _hours(performance) < 48:
                assert "was possible until" in error
                late += 1
            else:
                assert "was possible until" not in error
    assert late


def test_tickets_on_resale_are_bought_once_and_never_by_their_seller(stage: Stage) -> None:
    listing = next(each for each in _tables(stage)["resale_listings"].values() if each["status"] == "open")
    sold = _tables(stage)["bookings"][listing["booking_id"]]
    buyer = next(key for key in _tables(stage)["members"] if key != listing["seller_id"])
    own, bought, again, withdrawn = _run(
        stage,
        ("buy_resale", {"member_id": listing["seller_id"], "listing_id": listing["listing_id"]}),
        ("buy_resale", {"member_id": buyer, "listing_id": listing["listing_id"]}),
        ("buy_resale", {"member_id": buyer, "listing_id": listing["listing_id"]}),
        ("withdraw_listing", {"booking_id": listing["booking_id"]}),
    )
    result: Any = bought.result
    assert "their own" in (own.error or "")
    assert result["seats"] == sold["seats"]
    assert result["total"] == pytest.approx(listing["price_each"] * len(sold["seats"]))
    assert "is sold" in (again.error or "")
    assert not withdrawn.ok


def test_a_dearer_plan_is_charged_by_the_day_and_a_cheaper_one_waits(stage: Stage) -> None:
    active = next(
        each
        for each in _tables(stage)["subscriptions"].values()
        if each["status"] == "active" and "STANDARD" in each["plan_id"]
    )
    key = {"subscription_id": active["subscription_id"]}
    before, down, up, after = _run(
        stage,
        ("get_subscription", key),
        ("change_plan", {**key, "plan": "basic"}),
        ("change_plan", {**key, "plan": "family"}),
        ("get_subscription", key),
    )
    old: Any = before.result
    cheaper: Any = down.result
    dearer: Any = up.result
    now: Any = after.result
    days = minutes_between(f"{NOW[:10]}T00:00", f"{active['next_billing']}T00:00") // 1440
    assert (cheaper["charged_now"], cheaper["begins_on"]) == (0, active["next_billing"])
    assert dearer["charged_now"] == pytest.approx((now["monthly_price"] - old["monthly_price"]) * days / 30, abs=0.006)
    assert (now["plan"], now["next_plan_id"]) == ("family", None)


def test_money_on_gift_cards_is_neither_made_nor_lost_by_merging(stage: Stage) -> None:
    cards: dict[str, list[Record]] = {}
    for card in _tables(stage)["gift_cards"].values():
        if card["valid_until"] >= NOW[:10]:
            cards.setdefault(card["member_id"], []).append(card)
    first, second = next(each for each in cards.values() if len(each) > 1)[:2]
    both = {"from_card": first["gift_card_id"], "to_card": second["gift_card_id"]}
    merged, again = _run(stage, ("merge_gift_cards", both), ("merge_gift_cards", both))
    result: Any = merged.result
    assert result["balance"] == pytest.approx(first["balance"] + second["balance"])
    assert "is empty" in (again.error or "")


def test_every_program_has_voices_of_its_own() -> None:
    for program in ENTERTAINMENT.programs:
        assert {"plain", "terse", "chatty", "formal"} <= program.voices.keys() <= VOICES.keys()
        for twist in program.twists:
            assert len(twist.voices) >= 3
            assert "plain" in twist.voices


@pytest.mark.parametrize("program", ENTERTAINMENT.programs, ids=lambda program: program.name)
def test_what_a_task_leaves_behind_is_valid_and_plausible(program: Program, stage: Stage) -> None:
    worlds = (stage.world(f"{program.name} {seed}", 400) for seed in range(12))
    drafts = (
        stage.enact(lambda world=world: teacher.propose(stage.domain, program, world, Random(0), error_rate=0))
        for world in worlds
    )
    draft = next(draft for draft in drafts if "infeasible" not in draft)
    after = deepcopy(_tables(stage))
    for ref, record in stage.sandbox.run([Call(**call) for call in draft["golden_calls"]]).changes.items():
        if record is ABSENT:
            del after[ref.table][ref.key]
        else:
            after[ref.table][ref.key] = record
    assert not list(Draft202012Validator(ENTERTAINMENT.schema).iter_errors(after))
    assert implausible(after) == []
