"""What is special about the weather service: its sky hangs together, its limits hold, its refusals bite."""

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.reference.rehearsal import Stage, whole_database
from toolscale.artifacts import Call, CallOutcome, Database
from toolscale.reference.domain import reference_domain
from toolscale.reference.moments import day
from toolscale.reference.weather.plausibility import blemish, implausible

WEATHER = reference_domain("weather")


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    stage = Stage("weather", seed=3)
    yield stage
    stage.sandbox.close()


def _rows(stage: Stage, table: str, **fields: Any) -> list[Any]:
    rows: Any = stage.database[table].values()
    return [row for row in rows if all(row[field] == value for field, value in fields.items())]


def _run(stage: Stage, *calls: tuple[str, dict[str, Any]]) -> list[CallOutcome]:
    return list(stage.sandbox.run([Call(name=name, arguments=arguments) for name, arguments in calls]).outcomes)


@pytest.mark.parametrize("seed", range(4))
def test_the_whole_world_is_plausible_and_valid(seed: int) -> None:
    database = whole_database(WEATHER, seed)
    assert implausible(database) == []
    assert not list(Draft202012Validator(WEATHER.schema).iter_errors(database))
    assert sum(map(len, database.values())) >= 1000


@pytest.mark.parametrize("seed", range(30))
def test_a_blemish_is_valid_by_the_schema_and_always_noticed(seed: int) -> None:
    rng = Random(seed)
    entries: Database = rng.choice(list(WEATHER.world(seed % 3).values()))
    blemish(entries, rng)
    assert implausible(entries)
    for table, records in entries.items():
        rules: Any = WEATHER.schema["properties"][table]
        assert not list(Draft202012Validator(rules).iter_errors(records))


def test_every_warning_follows_from_the_forecast_of_its_day(stage: Stage) -> None:
    forecasts = {(each["station_id"], each["day"]): each for each in _rows(stage, "forecasts")}
    warnings = _rows(stage, "warnings")
    assert warnings
    for warning in warnings:
        sky = forecasts[warning["station_id"], warning["starts_at"][:10]]
        causes = {"gusts": sky["gust_kmh"] > 70, "rain": sky["rain_mm"] > 12.5, "frost": sky["low_c"] < -7}
        assert causes[warning["hazard"]]


def test_a_plan_takes_alerts_up_to_its_limit_and_a_cancelled_one_makes_room(stage: Stage) -> None:
    taken = {(each["site_id"], each["measure"]) for each in _rows(stage, "alerts") if each["status"] != "cancelled"}
    customer = _rows(stage, "customers", plan_id="PL-FIELD")[0]
    free = [
        {"site_id": site["site_id"], "measure": measure, "threshold": threshold, "channel": "email"}
        for site in _rows(stage, "sites", customer_id=customer["customer_id"])
        for measure, threshold in (("rain", 20), ("gusts", 60), ("frost", 1), ("heat", 30), ("snow", 5))
        if (site["site_id"], measure) not in taken
    ]
    mine = [
        each for each in _rows(stage, "alerts", customer_id=customer["customer_id"]) if each["status"] != "cancelled"
    ]
    room = 5 - len(mine)
    cancel = ("cancel_alert", {"alert_id": mine[0]["alert_id"]})
    outcomes = _run(stage, *[("create_alert", each) for each in free[: room + 1]], cancel, ("create_alert", free[room]))
    assert [each.ok for each in outcomes] == [True] * room + [False, True, True]
    assert "the plan allows 5 alerts" in (outcomes[room].error or "")


def test_a_visit_is_taken_once_and_only_in_a_free_slot(stage: Stage) -> None:
    busy = {each["sensor_id"] for each in _rows(stage, "visits", status="booked")}
    sensor = next(each for each in _rows(stage, "sensors", status="working") if each["sensor_id"] not in busy)
    (listed,) = _run(stage, ("list_visit_slots", {"sensor_id": sensor["sensor_id"]}))
    slots: Any = listed.result
    order = {"sensor_id": sensor["sensor_id"], "purpose": "calibration"}
    sunday, good, again = _run(
        stage,
        ("book_visit", {**order, "day": "2026-11-29", "half": "morning"}),
        ("book_visit", {**order, **slots[0]}),
        ("book_visit", {**order, **slots[1]}),
    )
    assert (sunday.ok, good.ok, again.ok) == (False, True, False)
    assert "booked already" in (again.error or "")


def test_a_cancelled_report_gives_back_what_the_days_left_allow(stage: Stage) -> None:
    shares = set()
    for report in _rows(stage, "reports", status="ordered"):
        (outcome,) = _run(stage, ("cancel_report", {"report_id": report["report_id"]}))
        share = 1.0 if report["day"] >= day(3) else 0.5 if report["day"] >= day(1) else 0.0
        shares.add(share)
        assert outcome.ok == (share > 0)
        if outcome.ok:
            result: Any = outcome.result
            assert result["refund"] == pytest.approx(report["price"] * share, abs=0.011)
    assert shares == {0.0, 0.5, 1.0}


def test_credit_is_given_once_and_only_where_the_forecast_was_far_off(stage: Stage) -> None:
    seen = set()
    for report in _rows(stage, "reports", status="delivered"):
        claim = ("claim_credit", {"report_id": report["report_id"]})
        station = stage.database["sites"][report["site_id"]]["station_id"]  # type: ignore[index, call-overload]
        (measured,) = _rows(stage, "observations", station_id=station, day=report["day"])
        wrong = abs(measured["high_c"] - report["predicted_high_c"]) > 3.949
        first, second = _run(stage, claim, claim)
        seen.add(wrong)
        assert (first.ok, second.ok) == (wrong, False)
    assert seen == {True, False}


def test_a_queued_export_that_is_cancelled_gives_its_place_back(stage: Stage) -> None:
    export = _rows(stage, "exports", status="queued")[0]
    quota = ("get_export_quota", {"customer_id": export["customer_id"]})
    before, cancelled, after, again = _run(
        stage,
        quota,
        ("cancel_export", {"export_id": export["export_id"]}),
        quota,
        ("cancel_export", {"export_id": export["export_id"]}),
    )
    results: Any = before.result, after.result
    assert cancelled.ok
    assert not again.ok
    assert results[1]["exports_left"] == results[0]["exports_left"] + 1


def test_an_invoice_is_paid_from_credit_only_where_that_covers_it(stage: Stage) -> None:
    credit = {each["customer_id"]: each["credit"] for each in _rows(stage, "customers")}
    covered = set()
    for invoice in _rows(stage, "invoices", status="open"):
        (outcome,) = _run(stage, ("pay_invoice", {"invoice_id": invoice["invoice_id"], "method": "credit"}))
        enough = credit[invoice["customer_id"]] >= invoice["amount"]
        covered.add(enough)
        assert outcome.ok == enough
    assert covered == {True, False}
