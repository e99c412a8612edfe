"""Programs about laboratory tests: read results, order tests, have a doctor explain."""

from datetime import date
from random import Random

from toolscale.reference.medicine.programs.shared import (
    Errand,
    a_patient,
    amount,
    another_day,
    late_first,
    remark,
    says,
    twist,
    weekday,
)
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Record, Reply, World, choose, do, pick


def _measure(result: Record) -> str:
    return f"{result['value']} {result['unit']}"


def _test_name(world: World, result: Record) -> str:
    test = world.get("lab_tests", result["test_id"])
    if test is None:
        raise DeadEnd("the test is out of sight")
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
    latest = yield choose(done, key=lambda each: late_first(each["sampled_on"]))
    return (yield do("get_lab_result", result_id=latest["result_id"]))


def _callback(facts: Facts, result: Record) -> Errand:
    return (yield do(
        "request_callback", patient_id=facts["patient_id"], practitioner_id=result["practitioner_id"],
        topic="lab result", day=facts["day"],
    ))  # fmt: skip


def _read_latest(facts: Facts) -> Policy:
    result = yield from _latest(facts)
    text, told = f"Your {result['test']} was {_measure(result)}, which is {result['flag']}.", (_measure(result),)
    if "day" in facts and result["flag"] != "normal" and result["practitioner_id"]:
        call = yield from _callback(facts, result)
        return Reply(f"{text} {call['practitioner']} will call you.", (*told, call["practitioner"]))
    if facts.get("with_doctor") and result["ordered_by"]:
        return Reply(f"{text} {result['ordered_by']} ordered it.", (*told, result["ordered_by"]))
    return Reply(text, told)


def _explain_if_abnormal(facts: Facts) -> Policy:
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


def _out_of_range(facts: Facts) -> Policy:
    results = yield do("list_lab_results", patient_id=facts["patient_id"])
    found = []
    for each in results:
        if each["status"] == "final" and each["sampled_on"] >= facts.get("since", ""):
            result = yield do("get_lab_result", result_id=each["result_id"])
            if result["flag"] != "normal":
                found.append(result)
    if not found:
        raise DeadEnd("everything was within the range")
    if facts.get("with_call"):
        doctors = list(dict.fromkeys(each["practitioner_id"] for each in found if each["practitioner_id"]))
        if len(doctors) != 1:
            raise DeadEnd("more than one doctor, or none, could call")
        yield from _callback(facts, found[0])
    listed = ", ".join(f"{each['test']} {_measure(each)} ({each['flag']})" for each in found)
    told = dict.fromkeys(part for each in found for part in (each["test"], _measure(each)) if len(part) > 2)
    return Reply(f"Outside the range: {listed}.", tuple(told))


def _since(world: World, rng: Random, facts: Facts) -> Facts:
    months = ("2026-05-01", "2026-06-01", "2026-07-01", "2026-08-01", "2026-09-01", "2026-10-01")
    return {"since": pick(rng, months)}


def _change(facts: Facts) -> Policy:
    results = yield do("list_lab_results", patient_id=facts["patient_id"], test_name=facts["test"])
    done = [each for each in results if each["status"] == "final"]
    if len(done) < 2:
        raise DeadEnd("measured only once")
    latest = yield do("get_lab_result", result_id=done[0]["result_id"])
    before = yield do("get_lab_result", result_id=done[1]["result_id"])
    change = round(latest["value"] - before["value"], 2)
    if change == 0:
        raise DeadEnd("nothing changed")
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


def _order(facts: Facts) -> Policy:
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


def _repeat_abnormal(facts: Facts) -> Policy:
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


ANOTHER_DAY = twist("another day", "change_of_mind", says(
    "Sorry, I have to work then; {day:date} it is.",
    "day: {day:date} instead.",
    "Oh dear, that's my sister's birthday, let's say {day:date} instead.",
    "I have to change the day to {day:date}.",
), another_day("day"))  # fmt: skip
NOT_TOO_DEAR = twist("not too dear", "condition", says(
    "If a test costs more than {max_price:money} euros, do not order it and tell me its price.",
    "over {max_price:money}? don't order, tell me the price.",
    "I pay for these out of my own pocket, so if one's above {max_price:money} euros don't order it, just tell me "
    "what it is.",
    "Any test priced above EUR {max_price:money} is not to be ordered; state its price instead.",
), amount(4, 15, "max_price"))  # fmt: skip

LABORATORY = (
    Program(
        "read_latest_result",
        "Learn the latest value of a laboratory test",
        says(
            "What was my latest {test} result, with its unit, and is it within the range?",
            "latest {test}: value, unit, in range?",
            "I've been dreading to ask, but what did my last {test} come out at (with the unit, please), and is "
            "that alright?",
            "[Please|Kindly] state my most recent {test} value with its unit and whether it lies within the reference "
            "range.",
            "what's my last {test}, unit and all, ok or not?",
            "Please how is my last value of {test}, with unit, it is normal?",
            confused="They took my {test} the other day, or was it longer ago; what was the last value, with the unit, "
            "and is it as it should be?",
        ),
        _draw_result,
        _read_latest,
        (
            twist("a call if abnormal", "condition", says(
                "If it is outside the range, have the doctor who ordered it call me about it on {day:date}.",
                "if not normal, the doctor who ordered it calls me {day:date}.",
                "And if it isn't alright, could the doctor who wanted the test ring me on {day:date}?",
                "Should it lie outside the range, the ordering physician is to telephone me on {day:date}.",
            ), another_day("day")),
            twist("who ordered it", "lookup", says(
                "And I would like to know the name of the doctor who ordered it.",
                "who ordered it?",
                "Which doctor was it that wanted that test done, by the way?",
                "Please also name the ordering physician.",
            ), with_doctor=True),
            remark(
                "the bruise",
                "The bruise from the needle is gone, by the way.",
                "arm is fine again.",
                "The nurse was so gentle that I hardly felt a thing, unlike the time before.",
            ),
        ),
    ),
    Program(
        "explain_if_abnormal",
        "Have an abnormal laboratory result explained by the doctor who ordered it",
        says(
            "[Please|I would like you to|Be so kind as to] look at my latest {test}: if it is outside the range, the "
            "doctor who ordered it should call me on {day:date}; tell me the value with its unit.",
            "check latest {test}; out of range -> ordering doctor calls {day:date}. tell me value and unit.",
            "I'm worried about my {test}, so if the last one isn't in the normal range, get the doctor who ordered "
            "it to ring me on {day:date}, and do tell me the number and unit either way?",
            "If my most recent {test} lies outside its reference range, arrange a call by the ordering physician on "
            "{day:date}; state the value and unit in any case.",
            "check my {test} latest, if it's off get the doc who ordered it to call me {day:date}, and what's the "
            "value with unit?",
            non_native="Please see my last {test}. If it is not in the range, the doctor who ordered it must call me "
            "on {day:date}. I want also the value and unit.",
            confused="About my last {test}: is it outside the range? Then the doctor who ordered it should call me on "
            "{day:date}; and what is the value, with the unit?",
        ),
        _draw_explanation,
        _explain_if_abnormal,
        (
            ANOTHER_DAY,
            twist("only if high", "condition", says(
                "A low value does not worry me: I want the call only if it is too high.",
                "call only if high, low is fine.",
                "If it's on the low side I couldn't care less, I only want that call when it's too high.",
                "The call is required only in the event of an elevated value, not of a low one.",
            ), only_if_high=True),
        ),
    ),
    Program(
        "results_out_of_range",
        "Learn which laboratory results lie outside the reference range",
        says(
            "Which of my laboratory results were outside the reference range? I need the tests and values with "
            "units.",
            "which of my lab results are out of range? tests, values, units.",
            "I've got all these lab letters in a drawer and can't make head or tail of them, so which ones were not "
            "normal, and what were the values with units?",
            "[Please|Kindly] list those of my laboratory results that lie outside the reference range, with values and "
            "units.",
            "my lab results, which ones were off, values with units?",
            "Please which results from my laboratory are not normal, with the value and unit?",
            confused="There were so many tests; which of my results were not within the range, and what were the "
            "values, with the units?",
        ),
        _draw_someone_tested,
        _out_of_range,
        (
            twist("since", "constraint", says(
                "Only results from {since:date} on matter.",
                "since {since:date} only.",
                "Only the newer ones though, let's say from {since:date} onwards.",
                "Please disregard results from before {since:date}.",
            ), _since),
            twist("and a call", "lookup", says(
                "[Please|I would like you to|Be so kind as to] also have the doctor who ordered them call me about it "
                "on {day:date}.",
                "and have the doctor who ordered them call me {day:date}.",
                "And would you get the doctor who ordered those to ring me on {day:date}?",
                "Furthermore, the ordering physician is to telephone me about these results on {day:date}.",
            ), another_day("day"), with_call=True),
        ),
        unknown="I do not know which tests were made.",
    ),
    Program(
        "change_of_value",
        "Learn how a laboratory value has changed since the time before",
        says(
            "By how much has my {test} changed between the last two measurements, with the unit?",
            "my {test}: change between last two, with unit?",
            "I've been eating so well lately, so has my {test} moved since the time before, and by how much (unit "
            "too)?",
            "[Please|Kindly] state by how much my {test} changed from the penultimate to the most recent measurement, "
            "with its unit.",
            "last two {test} values, what's the difference, with unit?",
            non_native="How much is my {test} different between the two last times, with the unit?",
            confused="My {test} was measured twice, I think; how much did it change between the last two, with the "
            "unit?",
        ),
        _draw_series,
        _change,
        (
            twist("a call if risen", "condition", says(
                "If it has risen, the doctor who ordered the last one should call me on {day:date}.",
                "if up, the doctor who ordered the last one calls me {day:date}.",
                "And if it's gone up, oh dear, could the doctor who ordered the last one ring me on {day:date}?",
                "In case of an increase, the physician who ordered the last one is to telephone me on {day:date}.",
            ), another_day("day")),
            remark(
                "the diet",
                "I have stopped eating sweets, by the way.",
                "no sweets since june.",
                "Not a single cake has passed my lips since the summer, well, one.",
            ),
        ),
    ),
    Program(
        "order_test",
        "Have a laboratory test made on a certain day",
        says(
            "[Please|I would like you to|Be so kind as to] order a {test} test for me on {day:date} and tell me its "
            "price.",
            "order {test}, {day:date}. price?",
            "My sister-in-law says I should get my {test} looked at, so [could you|would you|can you] put me down for "
            "that on {day:date} and tell me what it costs?",
            "[Kindly|Please|I ask you to] schedule a laboratory determination of {test} for me on {day:date} and state "
            "the price.",
            "book me a {test} test {day:date}, how much is it?",
            "I want to make the {test} test on {day:date}, please say how much it costs.",
            confused="Somebody said I should have my {test} done; could you order that for {day:date}, and what does "
            "it cost?",
        ),
        _draw_order,
        _order,
        (
            ANOTHER_DAY,
            NOT_TOO_DEAR,
            twist("another test", "entities", says(
                "I want {other_test} done on the same day too, with its price.",
                "{other_test} too, same day.",
                "And while they're at it with the needle, {other_test} as well, and what that one costs.",
                "[Please|Kindly] add {other_test} on the same day, and its price.",
            ), _another_test),
            twist("only if never measured", "condition", says(
                "If I have ever had a test done already, do not order it but tell me the last value with its unit.",
                "had one before? don't order, tell me last value with unit.",
                "Unless I've had it done before, I mean, then just tell me what the last one said, with the unit.",
                "Should a test have been made before, do not order it; state its last value and unit instead.",
            ), only_if_new=True),
        ),
    ),
    Program(
        "repeat_abnormal_test",
        "Have the last abnormal laboratory test made again",
        says(
            "Of my tests that were outside the range, please order the most recent one that may be repeated by "
            "{day:date} for that day, and tell me which it is and its price.",
            "repeat my latest out-of-range test that's allowed again by {day:date}, on that day. which one, price?",
            "One of my recent tests wasn't quite right, so could they do the last such one again on {day:date} (the "
            "last for which it isn't too soon then), and which was it and what does it cost?",
            "[Kindly|Please|I ask you to] have the latest of my abnormal laboratory tests for which the interval has "
            "elapsed by then repeated on {day:date}; name it and its price.",
            "redo my last abnormal lab test that isn't too soon for {day:date}, that day, which is it and how much?",
            non_native="From my tests which were not normal, please order again the last one which is allowed for "
            "{day:date}, on this day; which is it and how much it costs?",
            confused="One of the tests was not right, so do the latest of those again, the latest that is not too soon "
            "for {day:date}, on that day; which one is that, and what does it cost?",
        ),
        _draw_repeat,
        _repeat_abnormal,
        (ANOTHER_DAY, NOT_TOO_DEAR),
        unknown="I do not remember which test it was.",
    ),
)  # fmt: skip
