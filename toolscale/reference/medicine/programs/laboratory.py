"""Programs about laboratory tests: read results, order tests, have a doctor explain."""

from datetime import date
from random import Random

from toolscale.reference.kit import known, latest_first, must
from toolscale.reference.medicine.programs.shared import Errand, a_patient, amount, another_day, weekday
from toolscale.reference.program import DeadEnd, Facts, Record, Reply, Solution, World, choose, do, pick
from toolscale.reference.words import words

WORDS = words(__file__)


def _measure(result: Record) -> str:
    return f"{result['value']} {result['unit']}"


def _test_name(world: World, result: Record) -> str:
    test = known(world, "lab_tests", result["test_id"])
    name: str = test["name"]
    return name


def _final(world: World, rng: Random) -> Record:
    return pick(rng, [row for row in world.rows("lab_results") if row["status"] == "final"])


def _draw_result(world: World, rng: Random) -> Facts:
    result = _final(world, rng)
    return {"patient_id": result["patient_id"], "test": _test_name(world, result)}


def _draw_series(world: World, rng: Random) -> Facts:
    rows = world.rows("lab_results")
    pairs = [(row["patient_id"], row["test_id"]) for row in rows]
    result = pick(rng, [row for row in rows if pairs.count((row["patient_id"], row["test_id"])) > 1])
    return {"patient_id": result["patient_id"], "test": _test_name(world, result)}


def _draw_someone_tested(world: World, rng: Random) -> Facts:
    return {"patient_id": _final(world, rng)["patient_id"]}


def _latest(facts: Facts) -> Errand:
    results = yield do("list_lab_results", patient_id=facts["patient_id"], test_name=facts["test"])
    done = [each for each in results if each["status"] == "final"]
    latest = yield choose(done, key=lambda each: latest_first(each["sampled_on"]))
    return (yield do("get_lab_result", result_id=latest["result_id"]))


def _callback(facts: Facts, result: Record) -> Errand:
    return (
        yield do(
            "request_callback",
            patient_id=facts["patient_id"],
            practitioner_id=result["practitioner_id"],
            topic="lab result",
            day=facts["day"],
        )
    )


def _read_latest(facts: Facts) -> Solution:
    result = yield from _latest(facts)
    text, told = f"Your {result['test']} was {_measure(result)}, which is {result['flag']}.", (_measure(result),)
    if "day" in facts and result["flag"] != "normal" and result["practitioner_id"]:
        call = yield from _callback(facts, result)
        return Reply(f"{text} {call['practitioner']} will call you.", (*told, call["practitioner"]))
    if facts.get("with_doctor") and result["ordered_by"]:
        return Reply(f"{text} {result['ordered_by']} ordered it.", (*told, result["ordered_by"]))
    return Reply(text, told)


def _explain_if_abnormal(facts: Facts) -> Solution:
    result = yield from _latest(facts)
    if result["flag"] == "normal":
        return Reply(f"There is no need for a call: {_measure(result)} is within the range.", (_measure(result),))
    if facts.get("only_if_high") and result["flag"] != "high":
        return Reply(f"I asked for no call: {_measure(result)} is low, not high.", (_measure(result),))
    call = yield from _callback(facts, result)
    text = f"It was {_measure(result)} ({result['flag']}); {call['practitioner']} will call you."
    return Reply(text, (_measure(result), call["practitioner"]))


def _draw_explanation(world: World, rng: Random) -> Facts:
    return {**_draw_result(world, rng), "day": weekday(rng)}


def _out_of_range(facts: Facts) -> Solution:
    results = yield do("list_lab_results", patient_id=facts["patient_id"])
    found = []
    for each in results:
        if each["status"] == "final" and each["sampled_on"] >= facts.get("since", ""):
            result = yield do("get_lab_result", result_id=each["result_id"])
            if result["flag"] != "normal":
                found.append(result)
    must(found, "everything was within the range")
    if facts.get("with_call"):
        doctors = list(dict.fromkeys(each["practitioner_id"] for each in found if each["practitioner_id"]))
        must(len(doctors) == 1, "more than one doctor, or none, could call")
        yield from _callback(facts, found[0])
    listed = ", ".join(f"{each['test']} {_measure(each)} ({each['flag']})" for each in found)
    told = dict.fromkeys(part for each in found for part in (each["test"], _measure(each)) if len(part) > 2)
    return Reply(f"Outside the range: {listed}.", tuple(told))


def _since(world: World, rng: Random, facts: Facts) -> Facts:
    months = ("2026-05-01", "2026-06-01", "2026-07-01", "2026-08-01", "2026-09-01", "2026-10-01")
    return {"since": pick(rng, months)}


def _change(facts: Facts) -> Solution:
    results = yield do("list_lab_results", patient_id=facts["patient_id"], test_name=facts["test"])
    done = [each for each in results if each["status"] == "final"]
    must(len(done) >= 2, "measured only once")
    latest = yield do("get_lab_result", result_id=done[0]["result_id"])
    before = yield do("get_lab_result", result_id=done[1]["result_id"])
    change = round(latest["value"] - before["value"], 2)
    must(change != 0, "nothing changed")
    size, word = f"{abs(change):g} {latest['unit']}", "risen" if change > 0 else "fallen"
    text = f"It has {word} by {size} to {_measure(latest)}."
    if "day" in facts and change > 0 and latest["practitioner_id"]:
        call = yield from _callback(facts, latest)
        return Reply(f"{text} {call['practitioner']} will call you.", (size, call["practitioner"]))
    return Reply(text, (size,))


def _draw_order(world: World, rng: Random) -> Facts:
    test = pick(rng, [row["name"] for row in world.rows("lab_tests")])
    return {"patient_id": a_patient(world, rng)["patient_id"], "test": test, "day": weekday(rng, 1, 16)}


def _ordered(facts: Facts, test_id: str, name: str) -> Errand:
    """Order a test unless it is too dear: what to say about it, and its price."""
    if "max_price" in facts:
        test = yield do("get_lab_test", test_id=test_id)
        if test["price"] > facts["max_price"]:
            return f"I did not order {name}: it costs {test['price']:.2f} euros.", f"{test['price']:.2f}"
    order = yield do("order_lab_test", patient_id=facts["patient_id"], test_id=test_id, day=facts["day"])
    return f"{name} is ordered for {order['sampled_on']}; it costs {order['price']:.2f} euros.", f"{order['price']:.2f}"


def _order(facts: Facts) -> Solution:
    texts, told = [], []
    for name in filter(None, (facts["test"], facts.get("other_test"))):
        if facts.get("only_if_new"):
            earlier = yield do("list_lab_results", patient_id=facts["patient_id"], test_name=name)
            if earlier:
                last = yield do("get_lab_result", result_id=earlier[0]["result_id"])
                if last["value"] is None:
                    raise DeadEnd("it is ordered already")
                texts.append(f"I ordered no {name}: it was measured before, {_measure(last)}.")
                told.append(_measure(last))
                continue
        tests = yield do("find_lab_tests", name=name)
        test = yield choose([each for each in tests if each["name"] == name], key=lambda each: each["name"])
        text, price = yield from _ordered(facts, test["test_id"], name)
        texts.append(text)
        told.append(price)
    return Reply(" ".join(texts), tuple(told))


def _another_test(world: World, rng: Random, facts: Facts) -> Facts:
    return {"other_test": pick(rng, [row["name"] for row in world.rows("lab_tests") if row["name"] != facts["test"]])}


def _draw_repeat(world: World, rng: Random) -> Facts:
    return {"patient_id": _final(world, rng)["patient_id"], "day": weekday(rng, 1, 16)}


def _repeat_abnormal(facts: Facts) -> Solution:
    results = yield do("list_lab_results", patient_id=facts["patient_id"])
    tried: set[str] = set()
    for each in results:
        if each["test"] in tried:
            continue
        result = yield do("get_lab_result", result_id=each["result_id"])
        if result["flag"] not in ("low", "high"):
            continue
        tried.add(each["test"])
        test = yield do("get_lab_test", test_id=result["test_id"])
        last = max(row["sampled_on"] for row in results if row["test"] == each["test"])
        if (date.fromisoformat(facts["day"]) - date.fromisoformat(last)).days < test["repeat_after_days"]:
            continue
        text, price = yield from _ordered(facts, result["test_id"], result["test"])
        return Reply(text, (result["test"], price))
    raise DeadEnd("nothing to repeat")


ANOTHER_DAY = WORDS.twist("another day", "change_of_mind", another_day("day"))
NOT_TOO_DEAR = WORDS.twist("not too dear", "condition", amount(4, 15, "max_price"))

LABORATORY = (
    WORDS.program(
        "read_latest_result",
        _draw_result,
        _read_latest,
        (
            WORDS.twist("a call if abnormal", "condition", another_day("day")),
            WORDS.twist("who ordered it", "lookup", sets={"with_doctor": True}),
            WORDS.twist("the bruise", "distractor"),
        ),
    ),
    WORDS.program(
        "explain_if_abnormal",
        _draw_explanation,
        _explain_if_abnormal,
        (
            ANOTHER_DAY,
            WORDS.twist("only if high", "condition", sets={"only_if_high": True}),
        ),
    ),
    WORDS.program(
        "results_out_of_range",
        _draw_someone_tested,
        _out_of_range,
        (
            WORDS.twist("since", "constraint", _since),
            WORDS.twist("and a call", "lookup", another_day("day"), sets={"with_call": True}),
        ),
    ),
    WORDS.program(
        "change_of_value",
        _draw_series,
        _change,
        (
            WORDS.twist("a call if risen", "condition", another_day("day")),
            WORDS.twist("the diet", "distractor"),
        ),
    ),
    WORDS.program(
        "order_test",
        _draw_order,
        _order,
        (
            ANOTHER_DAY,
            NOT_TOO_DEAR,
            WORDS.twist("another test", "entities", _another_test),
            WORDS.twist("only if never measured", "condition", sets={"only_if_new": True}),
        ),
    ),
    WORDS.program("repeat_abnormal_test", _draw_repeat, _repeat_abnormal, (ANOTHER_DAY, NOT_TOO_DEAR)),
)
