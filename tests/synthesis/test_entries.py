"""No record vanishes unsaid: what is kept, what is dropped and why, and a database with a gap stops its domain."""

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.synthesis.shop import CUSTOMERS, ORDERS, SCHEMA
from toolscale.artifacts import DatabaseSchema, EntryRef, Subject, schema_problems
from toolscale.synthesis.entries import DatabaseGap, write_entries
from toolscale.synthesis.records import Fault, record_faults, without
from toolscale.synthesis.validation import ValidationAnswer

SUBJECTS = [Subject(domain="shop", name="customers and their orders")]
GOOD = {"customers": CUSTOMERS, "orders": ORDERS}
MANY = {
    "customers": CUSTOMERS,
    "orders": {
        f"O-{n}": {
            "order_id": f"O-{n}",
            "customer_id": f"C-{1 + n % 3}",
            "amount": 1.5 * n,
            "status": "open" if n % 5 else "cancelled",
        }
        for n in range(44)
    },
}


def stage(request):
    return request["messages"][0]["content"].splitlines()[0].removeprefix("Stage: ")


def asked(request):
    return "\n".join(message["content"] for message in request["messages"] if message["role"] == "user")


def verdict(*faults):
    """A validator's answer that names (table, key, reason)."""
    named = [{"table": table, "key": key, "reason": reason} for table, key, reason in faults]
    conditions = {f"condition_{n}": "satisfied" for n in (1, 2, 3)}
    return json.dumps({**conditions, **({"condition_3": "not satisfied"} if named else {}), "faults": named})


def answering(entries, validator=lambda request: verdict()):
    """A model that always writes these records, and validates as it is told."""

    def model(request):
        if stage(request) == "validation":
            return validator(request)
        return json.dumps({"entries": entries(request) if callable(entries) else entries})

    return model


def shown_to_the_validator(request):
    return json.loads(asked(request).partition("New records")[2].partition("```json")[2].partition("```")[0])


def keys(sifted):
    return {(entry.table, entry.key) for entry in sifted.kept}


def all_keys(records):
    return {(table, key) for table, of_table in records.items() for key in of_table}


def checks(sifted):
    return [reject.check for reject in sifted.rejects]


async def test_entries_come_back_until_programs_and_validator_are_satisfied(run_on):
    dangling, dear = copy.deepcopy(GOOD), copy.deepcopy(GOOD)
    dangling["orders"]["O-1"]["customer_id"] = "C-99"
    dear["orders"]["O-2"]["amount"] = 9_999_999

    def records(request):
        return GOOD if "nobody pays that" in asked(request) else dear if "C-99" in asked(request) else dangling

    def validator(request):
        return verdict(*[("orders", "O-2", "O-2: nobody pays that")] * ("9999999" in asked(request)))

    run, server = run_on(answering(records, validator))
    sifted = await write_entries(run, SUBJECTS, SCHEMA)
    assert keys(sifted) == all_keys(GOOD)
    assert [(reject.check, reject.reasons[-1]) for reject in sifted.rejects] == [
        ("program", "orders/O-1: `customer_id` 'C-99' is not in customers"),
        ("validator", "O-2: nobody pays that"),
    ]
    assert json.loads(str(sifted.rejects[0].raw)) == {"entries": dangling}
    assert "C-99" in asked(server.requests[1])


async def test_a_busy_validator_costs_only_the_records_that_it_names_in_the_last_round(run_on):
    rounds = []

    def validator(request):
        rounds.append(request)
        return verdict(*(("orders", f"O-{6 * len(rounds) + n}", "odd") for n in range(6)))

    def records(request):  # a little else each time, so that the validator is really asked
        customer = {"customer_id": "C-1", "name": "Ada" + "!" * len(rounds)}
        return {**MANY, "customers": {**CUSTOMERS, "C-1": customer}}

    told = []
    run, _ = run_on(answering(records, validator), told=lambda *counts: told.append(counts))
    sifted = await write_entries(run, SUBJECTS, SCHEMA)
    assert len(rounds) == 3
    assert all_keys(MANY) - keys(sifted) == {("orders", f"O-{n}") for n in range(18, 24)}
    dropped = sifted.rejects[2:]
    assert checks(sifted) == ["validator"] * 8
    assert [reject.reasons for reject in dropped] == [[f"orders O-{n}: odd"] for n in range(18, 24)]
    assert [reject.raw["record"] for reject in dropped] == [MANY["orders"][f"O-{n}"] for n in range(18, 24)]
    assert told[-1] == (1, 1, {"records": 41, "dropped": 6})


async def test_what_refers_to_a_dropped_record_is_dropped_too_with_its_own_reason(run_on):
    run, _ = run_on(answering(GOOD, lambda request: verdict(("customers", "C-1", "no such name"))))
    sifted = await write_entries(run, SUBJECTS, SCHEMA)
    of_the_first = {("orders", key) for key, order in ORDERS.items() if order["customer_id"] == "C-1"}
    assert all_keys(GOOD) - keys(sifted) == {("customers", "C-1"), *of_the_first}
    assert checks(sifted) == ["validator"] * 3 + ["program"] * len(of_the_first)
    assert all("`customer_id` 'C-1' is not in customers" in reject.reasons[0] for reject in sifted.rejects[3:])


async def test_what_a_program_finds_in_the_last_round_costs_only_that_and_the_validator_judges_the_rest(run_on):
    wrong = copy.deepcopy(GOOD)
    wrong["orders"]["O-1"]["order_id"] = "O-2"
    shown = []

    def validator(request):
        shown.append(shown_to_the_validator(request))
        return verdict(("orders", "O-3", "odd"))

    run, _ = run_on(answering({**wrong, "cars": {"K-1": {}}}, validator))
    sifted = await write_entries(run, SUBJECTS, SCHEMA)
    assert [all_keys(records) for records in shown] == [all_keys(GOOD) - {("orders", "O-1")}]
    assert keys(sifted) == all_keys(GOOD) - {("orders", "O-1"), ("orders", "O-3")}
    assert checks(sifted) == ["program"] * 4 + ["validator"]
    assert "there is no table `cars`" in [reason for reject in sifted.rejects[2:] for reason in reject.reasons]


async def test_the_rest_of_an_earlier_answer_is_kept_where_the_later_ones_have_no_form(run_on):
    def model(request):
        if stage(request) == "validation":
            return verdict(("orders", "O-3", "odd"))
        return "I would rather not." if "odd" in asked(request) else json.dumps({"entries": GOOD})

    run, _ = run_on(model)
    sifted = await write_entries(run, SUBJECTS, SCHEMA)
    assert keys(sifted) == all_keys(GOOD) - {("orders", "O-3")}
    assert checks(sifted) == ["validator", "form", "form", "validator"]


async def test_a_malformed_validator_is_its_own_reject_and_is_asked_anew(run_on):
    seeds = []

    def validator(request):
        seeds.append(request["seed"])
        return "fine by me" if request["seed"] == seeds[0] else verdict()

    run, _ = run_on(answering(GOOD, validator))
    assert keys(await write_entries(run, SUBJECTS, SCHEMA)) == all_keys(GOOD)
    assert len(set(seeds)) == 2


@pytest.mark.parametrize(
    ("validator", "check", "said"),
    [
        (lambda request: "fine by me", "validator_form", "no JSON"),
        (lambda request: verdict(("orders", "O-77", "odd")), "validator_form", "there is no new record `O-77`"),
        (lambda request: verdict().replace("satisfied", "not satisfied"), "validator_form", "name the records"),
        (lambda request: {"content": None, "refusal": "I will not look at that"}, "validator_Refused", "will not look"),
    ],
)
async def test_records_that_no_validator_judged_do_not_vanish_unsaid(run_on, validator, check, said):
    run, server = run_on(answering(GOOD, validator))
    with pytest.raises(DatabaseGap) as stopped:
        await write_entries(run, SUBJECTS, SCHEMA)
    assert "the subject `customers and their orders` brought no records" in str(stopped.value)
    assert said in str(stopped.value)
    assert "another model for the teacher or the validator" in str(stopped.value)
    assert len(str(stopped.value).splitlines()) == 1
    *hearings, last = stopped.value.rejects
    assert {reject.check for reject in (*hearings, last)} == {check}
    assert len(hearings) == 2
    assert last.raw == GOOD
    teachers = [request for request in server.requests if stage(request) == "entries"]
    assert len(teachers) == 1, "the teacher is not to blame"


async def test_a_teacher_that_refuses_is_called_so(run_on):
    run, _ = run_on(lambda request: {"content": None, "refusal": "never"})
    with pytest.raises(DatabaseGap, match=r"brought no records .*never") as stopped:
        await write_entries(run, SUBJECTS, SCHEMA)
    assert [reject.check for reject in stopped.value.rejects] == ["Refused"]


def with_the_mark(value):
    marked = copy.deepcopy(SCHEMA.json_schema)
    marked["properties"]["orders"]["x-may-be-empty"] = value
    return marked


async def test_a_table_that_ends_empty_stops_the_domain_unless_the_schema_says_that_it_may(run_on):
    run, _ = run_on(answering({"customers": CUSTOMERS}))
    with pytest.raises(DatabaseGap, match="the table `orders` has no records"):
        await write_entries(run, SUBJECTS, SCHEMA)
    schema = DatabaseSchema(domain="shop", json_schema=with_the_mark(True))
    assert keys(await write_entries(run, SUBJECTS, schema)) == all_keys({"customers": CUSTOMERS})


async def test_a_table_whose_records_were_all_dropped_is_named_with_the_reason(run_on):
    run, _ = run_on(answering(GOOD, lambda request: verdict(("orders", "", "prices of another world"))))
    with pytest.raises(DatabaseGap, match=r"the table `orders` has no records .*prices of another world") as stopped:
        await write_entries(run, SUBJECTS, SCHEMA)
    assert len(stopped.value.rejects) == 2 + len(ORDERS)


async def test_a_subject_without_records_is_asked_for_some_unless_a_table_may_stay_empty(run_on):
    run, server = run_on(answering(lambda request: {} if "Subject: late" in str(request) else GOOD))
    subjects = [*SUBJECTS, Subject(domain="shop", name="late")]
    with pytest.raises(DatabaseGap, match=r"the subject `late` brought no records .*there are no records: write some"):
        await write_entries(run, subjects, SCHEMA)
    schema = DatabaseSchema(domain="shop", json_schema=with_the_mark(True))
    assert keys(await write_entries(run, subjects, schema)) == all_keys(GOOD)
    assert "These tables may stay empty: orders." in asked(server.requests[-1])


def test_the_mark_of_a_table_that_may_be_empty_is_true_or_false():
    assert list(schema_problems(with_the_mark(False))) == []
    assert "must be true or false" in "; ".join(schema_problems(with_the_mark("yes")))


@pytest.mark.parametrize("regex", ["(" * 20_000, "a{99999999999}"])
async def test_a_record_that_cannot_be_checked_is_at_fault_itself(run_on, regex):
    schema = copy.deepcopy(SCHEMA.json_schema)
    schema["properties"]["customers"]["additionalProperties"]["properties"]["name"]["format"] = "regex"
    records = copy.deepcopy(GOOD)
    records["customers"]["C-9"] = {"customer_id": "C-9", "name": regex}
    run, _ = run_on(answering(records))
    sifted = await write_entries(run, SUBJECTS, DatabaseSchema(domain="shop", json_schema=schema))
    assert keys(sifted) == all_keys(GOOD)
    assert checks(sifted) == ["program"] * 3


@given(st.sets(st.sampled_from(sorted(all_keys(GOOD)))), st.booleans())
def test_what_is_left_is_sound_and_everything_else_has_a_reason(named, whole_table):
    faults = [Fault(*each, "odd") for each in named] + [Fault("orders", None, "odd")] * whole_table
    kept, dropped = without(GOOD, faults, SCHEMA, {})
    assert list(record_faults(kept, SCHEMA, {})) == []
    assert all_keys(kept) | set(dropped) == all_keys(GOOD)
    assert not all_keys(kept) & set(dropped)
    assert all(dropped.values())
    alone = {
        EntryRef("orders", key)
        for key, order in ORDERS.items()
        if whole_table or ("orders", key) in named or ("customers", order["customer_id"]) in named
    }
    assert set(dropped) == alone | {each for each in named if each[0] == "customers"}


def test_a_verdict_without_faults_has_no_failed_condition():
    assert ValidationAnswer.model_validate_json(verdict()).failed == []
    assert ValidationAnswer.model_validate_json(verdict(("orders", "O-1", "odd"))).failed == [3]
