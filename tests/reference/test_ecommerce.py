"""What is special about the shop: money and stock are never lost, states refuse, and the rules bite."""

import copy
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.reference.rehearsal import Stage, whole_database
from toolscale.artifacts import Call, CallOutcome
from toolscale.environment import rules_in
from toolscale.reference.domain import reference_domain
from toolscale.reference.ecommerce import rules
from toolscale.reference.moments import day

SHOP = reference_domain("ecommerce")
Record = dict[str, Any]
Tables = dict[str, dict[str, Record]]


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    """The shop in the real sandbox; every run starts from the untouched database."""
    made = Stage("ecommerce", seed=1)
    yield made
    made.sandbox.close()


@pytest.fixture
def tables(stage: Stage) -> Tables:
    return copy.deepcopy(stage.database)


@pytest.fixture
def present(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules that are called here, outside of the sandbox, live in the domain's present as well."""

    class Day(date):
        @classmethod
        def today(cls) -> "Day":
            return cls.fromisoformat(SHOP.now.date().isoformat())

    monkeypatch.setattr(rules, "date", Day)


def run(stage: Stage, *calls: tuple[str, Record]) -> Sequence[CallOutcome]:
    return stage.sandbox.run([Call(name=name, arguments=arguments) for name, arguments in calls]).outcomes


def refusal(stage: Stage, *calls: tuple[str, Record]) -> str:
    """Why the last call is refused; the ones before it are not."""
    *before, last = run(stage, *calls)
    assert all(outcome.ok for outcome in before)
    assert last.error_type == "ValueError"
    assert not last.wrote
    return last.error or ""


def bought(tables: Tables, status: str, suits: Callable[[Record], bool] = lambda line: True) -> Iterator[Record]:
    """Order lines of a status, each with the fields of its order, variant and product."""
    for line in tables["order_lines"].values():
        variant, order = tables["variants"][line["sku"]], tables["orders"][line["order_id"]]
        merged = {**tables["products"][variant["product_id"]], **variant, **order, **line}
        if order["status"] == status and suits(merged):
            yield merged


def cancel(order_id: str) -> tuple[str, Record]:
    return "cancel_order", {"order_id": order_id, "reason": "no longer needed", "refund_to": "store credit"}


def give_back(line: Record) -> tuple[str, Record]:
    arguments = {"order_id": line["order_id"], "sku": line["sku"], "reason": "changed my mind"}
    return "request_return", {**arguments, "refund_to": "store credit"}


def returnable(line: Record) -> bool:
    return bool(line["return_days"] and line["delivered_on"] >= day(-line["return_days"]) and line["quantity"] == 1)


@pytest.mark.parametrize("seed", range(6))
def test_every_world_is_valid_plausible_and_of_the_promised_size(seed: int) -> None:
    database = whole_database(SHOP, seed)
    Draft202012Validator(SHOP.schema, format_checker=Draft202012Validator.FORMAT_CHECKER).validate(database)
    assert SHOP.implausible(database) == []
    assert 900 <= sum(map(len, database.values())) <= 1300


@pytest.mark.parametrize("seed", range(30))
def test_a_blemish_is_valid_by_the_schema_and_always_noticed(seed: int) -> None:
    rng = Random(seed)
    entries = rng.choice(list(SHOP.world(seed % 3).values()))
    SHOP.blemish(entries, rng)
    assert SHOP.implausible(entries)
    whole: Tables = {table: {} for table in SHOP.schema["properties"]}
    Draft202012Validator(SHOP.schema).validate({**whole, **entries})


def test_every_order_of_the_world_keeps_the_rule_on_totals_and_on_delivery(tables: Tables) -> None:
    nothing: Tables = {**tables, "orders": {}}
    assert rules.totals_add_up(nothing, {}, tables) is None
    assert rules.delivery_as_the_country_has_it(nothing, {}, tables) is None


def test_a_cancelled_order_gives_back_its_money_and_its_stock_and_cannot_be_touched_again(
    stage: Stage, tables: Tables
) -> None:
    order = next(each for each in tables["orders"].values() if each["status"] == "placed")
    replay = stage.sandbox.run([Call(name=cancel(order["order_id"])[0], arguments=cancel(order["order_id"])[1])])
    done: Any = replay.outcomes[0].result
    credit = tables["customers"][order["customer_id"]]["store_credit"]
    assert done["store_credit"] == pytest.approx(credit + order["total"])
    line = next(each for each in tables["order_lines"].values() if each["order_id"] == order["order_id"])
    product = tables["variants"][line["sku"]]["product_id"]
    _, seen = run(stage, cancel(order["order_id"]), ("get_product", {"product_id": product}))
    result: Any = seen.result
    now = next(each["stock"] for each in result["variants"] if each["sku"] == line["sku"])
    assert now == tables["variants"][line["sku"]]["stock"] + line["quantity"]
    for change in (
        cancel(order["order_id"]),
        ("add_gift_wrap", {"order_id": order["order_id"], "paper": "plain kraft"}),
        ("remove_line", {"order_id": order["order_id"], "sku": line["sku"]}),
        ("upgrade_to_express", {"order_id": order["order_id"]}),
    ):
        assert "is cancelled" in refusal(stage, cancel(order["order_id"]), change)


@pytest.mark.parametrize("status", ["packed", "shipped", "delivered"])
def test_what_is_packed_is_not_cancelled(stage: Stage, tables: Tables, status: str) -> None:
    order = next(each for each in tables["orders"].values() if each["status"] == status)
    assert f"is {status}" in refusal(stage, cancel(order["order_id"]))


def test_a_piece_goes_back_once_unless_its_return_is_withdrawn(stage: Stage, tables: Tables) -> None:
    back = {(each["order_id"], each["sku"]) for each in tables["returns"].values()}
    line = next(each for each in bought(tables, "delivered", returnable) if (each["order_id"], each["sku"]) not in back)
    assert "returned already" in refusal(stage, give_back(line), give_back(line))
    announced: Any = run(stage, give_back(line))[0].result
    withdraw = ("withdraw_return", {"return_id": announced["return_id"]})
    assert all(outcome.ok for outcome in run(stage, give_back(line), withdraw, give_back(line)))
    assert "is withdrawn" in refusal(stage, give_back(line), withdraw, withdraw)


def overdue(line: Record) -> bool:
    return bool(line["return_days"] and line["delivered_on"] < day(-line["return_days"]))


def test_neither_late_pieces_nor_supplies_go_back(stage: Stage, tables: Tables) -> None:
    late = next(bought(tables, "delivered", overdue))
    assert "ended on" in refusal(stage, give_back(late))
    supply = next(bought(tables, "delivered", lambda line: not line["return_days"]))
    assert "unless it arrived faulty" in refusal(stage, give_back(supply))


def test_the_fee_of_a_return_follows_tier_reason_and_way_of_payment(stage: Stage, tables: Tables) -> None:
    seen = set()
    back = {(each["order_id"], each["sku"]) for each in tables["returns"].values()}
    for line in bought(tables, "delivered", returnable):
        if (line["order_id"], line["sku"]) in back:
            continue
        plus = tables["customers"][line["customer_id"]]["tier"] == "plus"
        for reason in ("changed my mind", "arrived faulty"):
            name, arguments = give_back(line)
            done: Any = run(stage, (name, {**arguments, "reason": reason, "refund_to": "original payment"}))[0].result
            expected = 0.0 if plus or reason == "arrived faulty" else 4.9
            assert done["fee"] == expected
            seen.add(expected)
    assert seen == {0.0, 4.9}


def test_a_fall_in_price_is_paid_once_and_never_after_two_weeks(stage: Stage, tables: Tables) -> None:
    def fell(line: Record) -> bool:
        return bool(line["unit_price"] > line["price"] and line["placed_on"] >= day(-14) and not line["voucher_code"])

    line = next(bought(tables, "placed", fell))
    adjust = ("adjust_price", {"order_id": line["order_id"], "sku": line["sku"], "refund_to": "store credit"})
    done: Any = run(stage, adjust)[0].result
    assert done["amount"] == pytest.approx((line["unit_price"] - line["price"]) * line["quantity"])
    assert "paid back already" in refusal(stage, adjust, adjust)
    old = next(bought(tables, "delivered", lambda each: each["placed_on"] < day(-14) and not each["voucher_code"]))
    assert "days ended" in refusal(stage, (adjust[0], {**adjust[1], "order_id": old["order_id"], "sku": old["sku"]}))


def test_ordering_empties_the_cart_and_the_shelf_and_spends_the_voucher(stage: Stage, tables: Tables) -> None:
    for customer_id in tables["customers"]:
        vouchers: Any = run(stage, ("list_vouchers", {"customer_id": customer_id}))[0].result
        cart: Any = run(stage, ("get_cart", {"customer_id": customer_id}))[0].result
        usable = [each for each in vouchers if each["minimum_spend"] <= cart["goods"]]
        if usable:
            break
    address = next(key for key, each in tables["addresses"].items() if each["customer_id"] == customer_id)
    use = ("apply_voucher", {"customer_id": customer_id, "voucher_code": usable[0]["voucher_code"]})
    place = {"customer_id": customer_id, "address_id": address, "delivery": "standard", "payment": "card"}
    quote, placed, after, listed = run(
        stage, use, ("place_order", place), ("get_cart", {"customer_id": customer_id}),
        ("list_vouchers", {"customer_id": customer_id}),
    )  # fmt: skip
    order: Any = placed.result
    discounted: Any = quote.result
    assert order["discount"] == discounted["discount"] > 0
    assert after.result["lines"] == []  # type: ignore[index, call-overload]
    assert usable[0]["voucher_code"] not in str(listed.result)
    assert "the cart is empty" in refusal(stage, ("place_order", place), ("place_order", place))


def test_a_voucher_wants_its_minimum_and_its_owner(stage: Stage, tables: Tables) -> None:
    dear = next(each for each in tables["vouchers"].values() if each["minimum_spend"] == 400)
    owner = dear["customer_id"]
    cart: Any = run(stage, ("get_cart", {"customer_id": owner}))[0].result
    other = next(key for key in tables["customers"] if key != owner)
    use = ("apply_voucher", {"customer_id": other, "voucher_code": dear["voucher_code"]})
    assert "somebody else" in refusal(stage, use)
    if cart["goods"] < 400:
        mine = ("apply_voucher", {"customer_id": owner, "voucher_code": dear["voucher_code"]})
        assert "400.00 EUR of goods" in refusal(stage, mine)


def test_nothing_is_sold_out_of_an_empty_shelf_but_it_can_be_waited_for_once(stage: Stage, tables: Tables) -> None:
    gone = next(key for key, each in tables["variants"].items() if not each["stock"])
    waiting = {each["customer_id"] for each in tables["stock_alerts"].values() if each["sku"] == gone}
    customer_id = next(key for key in tables["customers"] if key not in waiting)
    put = ("set_cart_quantity", {"customer_id": customer_id, "sku": gone, "quantity": 1})
    assert "only 0" in refusal(stage, put)
    wait = ("set_stock_alert", {"customer_id": customer_id, "sku": gone, "channel": "e-mail"})
    assert "has an alert" in refusal(stage, wait, wait)
    there = next(key for key, each in tables["variants"].items() if each["stock"])
    assert "is in stock" in refusal(stage, (wait[0], {**wait[1], "sku": there}))


def test_a_parcel_is_lost_only_when_it_is_a_week_late_and_only_once(stage: Stage, tables: Tables) -> None:
    parcels = tables["shipments"].values()
    late = next(each for each in parcels if each["status"] == "delayed" and each["expected_on"] <= day(-7))
    lost = ("report_lost", {"order_id": late["order_id"], "settle_by": "refund"})
    assert "settled by refund already" in refusal(stage, lost, lost)
    coming = next(each for each in parcels if each["status"] == "in transit")
    assert "counts as lost from" in refusal(stage, (lost[0], {**lost[1], "order_id": coming["order_id"]}))


def test_a_delivery_that_is_being_packed_and_an_ended_subscription_stay_as_they_are(
    stage: Stage, tables: Tables
) -> None:
    running = [each for each in tables["subscriptions"].values() if each["status"] == "active"]
    packed = next(each["subscription_id"] for each in running if each["next_on"] < day(3))
    assert "being packed" in refusal(stage, ("skip_delivery", {"subscription_id": packed, "deliveries": 1}))
    free = next(each["subscription_id"] for each in running if each["next_on"] >= day(3))
    end = ("set_subscription_status", {"subscription_id": free, "status": "ended"})
    resume = ("set_subscription_status", {"subscription_id": free, "status": "active"})
    assert "is ended" in refusal(stage, end, resume)


def test_only_buyers_review_and_only_once(stage: Stage, tables: Tables) -> None:
    review = next(iter(tables["reviews"].values()))
    again = {"customer_id": review["customer_id"], "product_id": review["product_id"], "stars": 3, "title": "Fine"}
    assert "already" in refusal(stage, ("write_review", again))
    owned = {line["product_id"] for line in bought(tables, "delivered") if line["customer_id"] == again["customer_id"]}
    stranger = next(key for key in tables["products"] if key not in owned)
    assert "never delivered" in refusal(stage, ("write_review", {**again, "product_id": stranger}))


def test_express_is_sold_only_where_it_comes_sooner_and_not_today(stage: Stage, tables: Tables) -> None:
    sold = 0
    for order in tables["orders"].values():
        if order["status"] != "placed" or order["delivery"] != "standard":
            continue
        outcome = run(stage, ("upgrade_to_express", {"order_id": order["order_id"]}))[0]
        if outcome.ok:
            done: Any = outcome.result
            assert day(0) < done["expected_on"] < order["expected_on"]
            sold += 1
        else:
            assert "express" in (outcome.error or "")
    assert sold > 3


def _shipped_is_cancelled(after: Tables) -> None:
    next(each for each in after["orders"].values() if each["status"] == "shipped")["status"] = "cancelled"


def _a_total_is_wrong(after: Tables) -> None:
    next(each for each in after["orders"].values() if each["status"] == "placed")["total"] += 5


def _the_shelf_is_overdrawn(after: Tables) -> None:
    next(iter(after["variants"].values()))["stock"] = -1


def _an_invoice_is_too_high(after: Tables) -> None:
    order = copy.deepcopy(next(iter(after["orders"].values())))
    after["orders"]["OR-0000A1"] = {**order, "order_id": "OR-0000A1", "payment": "invoice", "total": 400.01}


def _an_old_order_is_adjusted(after: Tables) -> None:
    line = next(bought(after, "delivered", lambda each: each["placed_on"] < day(-20)))
    after["order_lines"][line["line_id"]]["adjusted"] = 4.0


def _a_late_return_is_taken(after: Tables) -> None:
    line = next(bought(after, "delivered", lambda each: each["delivered_on"] < day(-100)))
    found = {"order_id": line["order_id"], "sku": line["sku"], "reason": "changed my mind", "status": "announced"}
    after["returns"]["RT-0000A1"] = {**found, "customer_id": line["customer_id"], "quantity": 1}


def _a_parcel_in_time_is_lost(after: Tables) -> None:
    parcel = next(each for each in after["shipments"].values() if each["status"] == "in transit")
    parcel.update(status="lost", settled_by="refund")


def _a_packed_delivery_is_paused(after: Tables) -> None:
    found = next(each for each in after["subscriptions"].values() if (each["next_on"] or "9") < day(3))
    found.update(status="paused", next_on=None)


def _points_are_given_away(after: Tables) -> None:
    next(iter(after["customers"].values()))["points"] -= 50


@pytest.mark.usefixtures("present")
@pytest.mark.parametrize(
    ("rule", "spoil"),
    [
        ("only_what_is_not_packed_is_changed", _shipped_is_cancelled),
        ("totals_add_up", _a_total_is_wrong),
        ("nothing_is_sold_that_is_not_there", _the_shelf_is_overdrawn),
        ("invoices_up_to_a_limit", _an_invoice_is_too_high),
        ("prices_paid_back_within_two_weeks", _an_old_order_is_adjusted),
        ("returns_in_time_and_once", _a_late_return_is_taken),
        ("parcels_count_as_lost_after_a_week", _a_parcel_in_time_is_lost),
        ("three_days_of_notice_for_subscriptions", _a_packed_delivery_is_paused),
        ("points_in_hundreds", _points_are_given_away),
    ],
)
def test_a_rule_notices_what_no_function_would_do(tables: Tables, rule: str, spoil: Callable[[Tables], None]) -> None:
    after = copy.deepcopy(tables)
    assert getattr(rules, rule)(tables, {}, after) is None
    spoil(after)
    assert getattr(rules, rule)(tables, {}, after)


def test_the_policy_and_the_rules_speak_of_the_same_sums() -> None:
    assert len(rules_in(SHOP.rules)) >= 12
    for amount in ("3.50", "4.90", "400 euros", "14 days", "12 months", "3 days", "100 points"):
        assert amount in " ".join(SHOP.policy.split())
    assert datetime(2026, 11, 23, 9) == SHOP.now
