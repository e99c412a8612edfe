"""A program that a model wrote is refused with a reason that the model can act on."""

import pytest

from tests.programs.tool_hire import environment, example, function_of, program, returning, table_of
from toolscale.checkers import GateContext
from toolscale.environment import Sandbox
from toolscale.programs import Workshop
from toolscale.synthesis.program_trials import tried

SOURCE, _, _ = program().source.partition("\n\ndef draw_limit")
DRAWN = '"member_id": hire["member_id"]'
BY_DAY = "\n\ndef draw_by_day" + program().source.partition("def draw_by_day")[2]
COUNTING = "running[setattr(math, 'n', getattr(math, 'n', 0) + 1) or math.n % len(running)]"
"""Goes by how often it ran before in the same process."""


@pytest.fixture(scope="module")
def bench():
    with Sandbox(environment()) as sandbox, Workshop(sandbox) as workshop:
        yield workshop, GateContext(sandbox)


def problems(bench, **changed):
    return " | ".join(tried(program(**changed), *bench, 0).problems)


def alike(wordings):
    """All of them in the words of the first."""
    return [each | {"text": wordings[0]["text"], "asks": wordings[0]["asks"]} for each in wordings]


def reworded(old, new):
    return [each | {"text": each["text"].replace(old, new)} for each in example()["wordings"]]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"source": SOURCE.replace("def solve", "def solves")}, "must define `solve(call, facts)`"),
        ({"source": SOURCE.replace("call, facts)", "call)")}, "`solve` must take (call, facts)"),
        ({"source": "import socket\n" + SOURCE}, "`socket` cannot be imported"),
        ({"source": SOURCE + "\n\ndef then_nothing(call, facts, told):\n    return {}\n"}, "no twist `nothing`"),
        ({"source": SOURCE.replace('"extend_hire"', '"prolong"')}, "no function `prolong`"),
        ({"source": SOURCE + "x ="}, "does not compile"),
        ({"wordings": example()["wordings"][:2]}, "give 3 or more"),
        ({"wordings": reworded("{days:count}", "some")}, "does not say days"),
        ({"wordings": reworded("{days:count}", "{weeks}")}, "slot weeks"),
        ({"wordings": reworded("{days:count}", "[{days:count}|a few]")}, "whichever alternatives are taken"),
        ({"wordings": reworded("{days:count}", "{days:weeks}")}, "no kind of slot is called `weeks`"),
        ({"wordings": reworded("{hire_id}", "[{hire_id}")}, "bracket is not closed"),
        ({"wordings": reworded("need the", "[Hey,|Hello!] need the")}, "wording 1, `text` greets ('Hey')"),
        ({"wordings": alike(example()["wordings"])}, "wording 2, `text` says the same in the same words as wording 1"),
        ({"others": ["payee"]}, "`others`: there is no fact payee"),
        ({"others": ["hire_id"], "again": "hire_id"}, "`others` and `again` both name `hire_id`"),
        ({"user": "hire_id"}, "`known` must say `hire_id`, or what only the user's own record has"),
        ({"again": "colour"}, "there is no fact `colour`"),
        ({"answers": {}}, "`answers` lists no `due`"),
        ({"source": SOURCE.replace("rng.choice(running)", "running[0]")}, "only 4 that differ"),
        ({"source": SOURCE.replace('h["extensions"] == 0', "False")}, "only 0 of 64 draws make a task"),
        ({"source": "import math\n" + SOURCE.replace("rng.choice(running)", COUNTING)}, "let all chance come from"),
        ({"source": SOURCE.replace(DRAWN, '"member_id": "ME-1"')}, "is the key of no record"),
        ({"source": SOURCE.replace(DRAWN, '"member_id": rng.choice(sorted(db["members"]))')}, "belongs to ME-"),
        (
            {"source": SOURCE.replace('=facts["days"])', "=2)").replace('* facts["days"]', "* 2")},
            "`days` changes neither",
        ),
    ],
)
def test_a_program_is_refused_for_what_is_wrong_with_it(bench, changed, said):
    plain = {"source": SOURCE, "twists": [], "again": "", "changes": ""}
    assert said in problems(bench, **plain | changed)


def test_a_program_whose_tasks_the_gates_refuse_hears_of_one(bench):
    leaking = SOURCE.replace('return {"due": extended["due_on"]}', 'return {"due": str(facts["days"])}')
    said = problems(bench, source=leaking, twists=[], changes="")
    assert "are refused by the gates, at most 20% may be" in said
    assert "no_leak" in said


def test_a_request_of_nobody_is_no_reason_to_touch_anothers_records(bench):
    source = SOURCE.replace(
        'hire = call("get_hire"', 'call("list_hires", member_id="ME-100", status="running")\n    hire = call("get_hire"'
    )
    assert "belongs to ME-100" in problems(bench, source=source, twists=[])


def test_a_twist_that_is_at_fault_is_named_and_the_program_can_do_without(bench):
    source = program().source.replace('return {"next": best(rest', 'return {"next": best([]')
    trial = tried(program(source=source), *bench, 0)
    assert trial.problems == []
    assert trial.of_twists.keys() == {"others"}
    assert "nothing to choose from" in trial.of_twists["others"][0]


def test_what_a_program_mostly_does_tells_it_from_others(bench):
    one, same, other = (tried(each, *bench, 0).skeleton for each in (program(), program(name="prolong"), returning()))
    assert one == same
    assert one != other


def test_who_asks_says_a_name_beside_the_request_and_not_in_it(bench):
    told = [each | {"text": each["text"] + " Yours, {name}"} for each in example()["wordings"]]
    said = problems(bench, source=SOURCE, twists=[], again="", changes="", wordings=told)
    assert "`name` changes neither the calls nor the answers, and is not what the records say" in said


NAME = 'db["members"][hire["member_id"]]["name"]'
TOOL = 'db["tools"][hire["tool_id"]]["name"]'
DUE = 'return {"due": extended["due_on"]}'


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (NAME, '"Bob Liar"', "`known` says `name`, but in one draw the user's own record has 'Member 1"),
        (TOOL, '"trowel"', "`tool` changes neither the calls nor the answers, and is not what the records say of"),
        (TOOL, 'db["tools"][rng.choice(sorted(db["tools"]))]["name"]', "draw what is true"),
        (DUE, 'return {"due": "2031-01-01"}', "the answer `due` is '2031-01-01' in all"),
        (DUE, 'return {"next": "spade of " + facts["hire_id"]}', "which no call returned: an answer of kind `name`"),
    ],
    ids=["another_name", "a_constant_description", "another_tool", "a_constant_answer", "an_invented_answer"],
)
def test_a_program_that_says_what_is_not_so_is_refused_with_an_example(bench, old, new, said):
    assert old in SOURCE
    assert said in problems(bench, source=SOURCE.replace(old, new), twists=[], again="", changes="")


def test_a_fact_that_only_says_who_asks_is_of_the_users_own_under_any_name(bench):
    source = SOURCE.replace('"name": ', '"caller": ').replace(NAME, '"Bob Liar"')
    wordings = [each | {"known": each["known"].replace("{name}", "{caller}")} for each in example()["wordings"]]
    said = problems(bench, source=source, wordings=wordings, twists=[], again="", changes="")
    assert "`known` says `caller`, which is not of the user's own record" in said


def test_who_asks_says_their_key_or_what_only_their_record_has(bench):
    wordings = [each | {"known": "My name is {name}."} for each in example()["wordings"]]
    changed = {"wordings": wordings, "twists": [], "again": "", "changes": ""}
    assert problems(bench, source=SOURCE, **changed) == ""
    source = SOURCE.replace(NAME, f"{NAME}.split()[0]")  # "Member", as they are all called
    said = problems(bench, source=source, **changed)
    assert "`known` must say `member_id`, or what only the user's own record has; name = 'Member' is not that" in said


@pytest.mark.parametrize(
    ("corrections", "said"),
    [
        (["Sorry, {instead} days."], ""),
        (["Sorry, not {at_first}."], "correction 1 does not say `instead`"),
        (["Sorry, {instead}.", "[Sorry|{instead}]."], "correction 2 does not say `instead`"),
        (["Sorry, {instead} for {hire_id}."], "correction 1 has the slot hire_id"),
        (["Sorry, [{instead}."], "correction 1: "),
    ],
)
def test_a_correction_says_what_holds_and_names_nothing_else(bench, corrections, said):
    found = problems(bench, source=SOURCE, corrections=corrections, twists=[])
    assert said in found if said else found == ""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("", "", ""),
        ('"the bathroom tiles"', '"7 tiles"', "`colour`: `job` = '7 tiles': words without figures"),
        ('"the bathroom tiles"', "7", "`colour`: `job` = 7: words without figures"),
        (DUE, DUE.replace('"due_on"]', '"due_on"] + facts["job"]'), "`colour` lists `job`, but calls or answers hang"),
    ],
)
def test_colour_fits_what_was_drawn_and_nothing_hangs_on_it(bench, old, new, said):
    found = problems(bench, source=SOURCE.replace(old, new), twists=[])
    assert said in found if said else found == ""


@pytest.mark.parametrize(
    ("colour", "hangs", "said"),
    [('"for the roof"', False, ""), ('"for 2 roofs"', False, "words without figures"), ('"for a"', True, "hang on it")],
)
def test_colour_of_a_twist_binds_nothing_either(bench, colour, hangs, said):
    source = program().source.replace("return {} if len(_running", f'return {{"use": {colour}}} if len(_running')
    if hangs:
        status = '"running" if facts["use"].startswith("for") else "returned"'
        source = source.replace('status="running")\n    rest', f"status={status})\n    rest")
        assert status in source
    twists = [each | {"wordings": [f"{each['wordings'][0]} {{use}}"]} if each["name"] == "others" else each
              for each in example()["twists"]]  # fmt: skip
    found = tried(program(source=source, twists=twists, colour=["job", "use"]), *bench, 0)
    assert not found.problems
    assert said in "".join(found.of_twists.get("others", [])) if said else "others" not in found.of_twists


def test_colour_is_not_who_the_user_is(bench):
    wordings = [each | {"known": each["known"] + " of {job}"} for each in example()["wordings"]]
    assert "`known` says job, which is colour" in problems(bench, source=SOURCE, wordings=wordings, twists=[])


def test_what_is_no_colour_is_said_by_each_wording_and_decides_something(bench):
    assert "wording 1 does not say job" in problems(bench, source=SOURCE, colour=[], twists=[])
    wordings = [each | {"text": each["text"] + " It is about {job}."} for each in example()["wordings"]]
    found = problems(bench, source=SOURCE, wordings=wordings, colour=[], twists=[])
    assert "the fact `job` changes neither the calls nor the answers" in found


def test_a_status_may_be_told_in_other_words(bench):
    source = SOURCE.replace(DUE, 'return {"due": "soon" if extended["due_on"] < "2026-12-06" else "later"}')
    answers = {"due": {"kind": "words", "called": "whether it is soon"}}
    assert "`due`" not in problems(bench, source=source, answers=answers, twists=[], again="", changes="")


FEE = 'if fee > facts.get("most", fee):'


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (FEE, "if False:", "it decides nothing: what is written and told is the same with it and without it in all of"),
        ("rng.choice([0.8, 0.9, 1.1, 1.2])", "rng.choice([20, 30])", "let `draw_limit` return None, or other figures"),
        (FEE, 'if facts.get("limit") and fee > 30:', "whatever its fact `most` is, calls and answers are the same"),
    ],
    ids=["ignored", "never_reached", "other_figure"],
)
def test_a_twist_that_decides_nothing_is_named(bench, old, new, said):
    source = program().source
    assert old in source
    trial = tried(program(source=source.replace(old, new)), *bench, 0)
    assert trial.of_twists.keys() == {"limit"}
    assert said in trial.of_twists["limit"][0]


def test_a_twist_that_goes_to_anothers_records_is_named(bench):
    source = program().source.replace(
        'call("list_hires", member_id=facts["member_id"]', 'call("list_hires", member_id="ME-100"'
    )
    trial = tried(program(source=source, again="", changes=""), *bench, 0)
    assert "belongs to ME-100" in trial.of_twists["others"][0]


def test_an_aside_is_no_description(bench):
    twists = [each | {"wordings": ["(the one due on {day:date})"]} for each in example()["twists"] if each["replaces"]]
    said = problems(bench, source=SOURCE + BY_DAY, twists=twists)
    assert "what stands for `hire_id` is a noun phrase" in said


def test_a_correction_meets_the_gates(bench):
    """The value that is said first is the answer, so the user has said it."""
    source = SOURCE.replace("[2, 3, 4, 7]", "[2, 3]").replace(DUE, 'return {"left": 5 - facts["days"]}')
    answers = {"left": {"kind": "count", "called": "the days that are left"}}
    wordings = [each | {"asks": {"left": each["asks"]["due"]}} for each in example()["wordings"]]
    trial = tried(program(source=source, answers=answers, wordings=wordings, twists=[], again=""), *bench, 0)
    assert trial.problems == []
    assert "no_leak" in trial.of_twists["changes"][0]


def test_what_hangs_is_said_once_with_the_loops_that_may_do_so(bench):
    source = SOURCE.replace("    fee = round", "    while True:\n        pass\n    fee = round")
    said = problems(bench, source=source, twists=[], again="", changes="")
    assert said.startswith("`solve`: it never came back")
    assert "`while`: line " in said
    assert "not tried again" not in said


@pytest.fixture(scope="module")
def counter():
    """A tool hire where hires are paid, one by one, and handed to other members."""
    spec = environment()
    hires = spec.database["hires"]
    payments = {
        f"PA-{at}": {"payment_id": f"PA-{at}", "hire_id": key, "status": "open"} for at, key in enumerate(hires, 100)
    }
    schema = {
        **spec.json_schema["properties"],
        "payments": table_of("payment_id", {"hire_id": "hires.hire_id"}, "status"),
    }
    spec = spec.model_copy(
        update={
            "database": {**spec.database, "payments": payments},
            "json_schema": {**spec.json_schema, "properties": schema},
            "functions": [
                *spec.functions,
                function_of("pay", "write", payment_id="string"),
                function_of("hand_over", "write", hire_id="string", member_id="string"),
            ],
            "source": spec.source + PAYING,
        }
    )
    with Sandbox(spec) as sandbox, Workshop(sandbox) as workshop:
        yield workshop, GateContext(sandbox)


PAYING = """

def pay(db, payment_id):
    db["payments"][payment_id]["status"] = "paid"
    hire_id = db["payments"][payment_id]["hire_id"]
    return {"payment_id": payment_id, "status": "paid", "tool": _hire(db, hire_id)["tool"]}


def hand_over(db, hire_id, member_id):
    db["hires"][hire_id]["member_id"] = member_id
    return {"hire_id": hire_id, "tool": _hire(db, hire_id)["tool"]}
"""


def of_one(fact, call, owner, **changed):
    """A program with one fact beside the user, and one call."""
    texts = (
        f"{{{fact}}} it is, see to it. which tool is it for?",
        f"Please do what is due for {{{fact}}} and name the tool.",
        f"What tool belongs to {{{fact}}}? Deal with that one.",
    )
    asked = ("which tool is it for", "name the tool", "What tool belongs to")
    return program(
        **{
            "answers": {"tool": {"kind": "name", "called": "the tool"}},
            "wordings": [
                {"persona": f"Person {at}.", "text": text, "known": "{member_id}", "asks": {"tool": asked[at]}}
                for at, text in enumerate(texts)
            ],
            "twists": [],
            "again": "",
            "changes": "",
            "source": f"""
def draw(db, rng):
    key = rng.choice(sorted(db["payments"]))
    hire = db["hires"][db["payments"][key]["hire_id"]]
    if hire["status"] != "running":
        return None
    mine = hire["member_id"]
    other = rng.choice(sorted(set(db["members"]) - {{mine}}) or [mine])
    drawn = {{"payment_id": key, "hire_id": hire["hire_id"], "other": other}}
    return {{"member_id": {owner}, "{fact}": drawn["{fact}"]}}


def _day(hire):
    return hire["due_on"]


def solve(call, facts):
    return {{"tool": {call}["tool"]}}
""",
        }
        | changed
    )


PAY = 'call("pay", payment_id=facts["payment_id"])'


def test_what_belongs_to_another_user_two_references_away_is_left_alone(counter):
    said = tried(of_one("payment_id", PAY, "other"), *counter, 0).problems
    assert "`pay` is called for 'PA-1" in said[0]
    assert "which belongs to ME-1" in said[0]
    assert tried(of_one("payment_id", PAY, "mine"), *counter, 0).problems == []


@pytest.mark.parametrize("function", ["get_hire", "return_tool"])
def test_others_do_not_open_records_that_the_request_does_not_bring_together_with_the_users(counter, function):
    solve = f'call("{function}", hire_id=facts["hire_id"]) and call("get_hire", hire_id=facts["hire_id"])'
    said = tried(of_one("hire_id", solve, "other", others=["hire_id"]), *counter, 0).problems
    assert "a call must name it beside what is the user's" in said[0]


HAND_OVER = """call(
        "hand_over",
        hire_id=best(call("list_hires", member_id=facts["member_id"], status="running"), _day)["hire_id"],
        member_id=facts["other"],
    )"""


def test_others_may_name_whom_something_of_the_users_goes_to(counter):
    given = of_one("other", HAND_OVER, "mine", others=["other"])
    assert not any("belongs to" in each for each in tried(given, *counter, 0).problems)
    kept = of_one("other", HAND_OVER, "mine")
    assert any("name the fact in `others`" in each for each in tried(kept, *counter, 0).problems)


def test_a_draw_for_a_user_does_not_see_what_is_anothers_two_references_away(counter):
    workshop, _ = counter
    one = of_one("payment_id", PAY, "mine")
    user = workshop.user(one, {"member_id": "ME-104"})
    drawn = [each for each in workshop.draw(one, [str(at) for at in range(24)], user=user) if isinstance(each, dict)]
    assert {each["member_id"] for each in drawn} == {"ME-104"}
    assert {workshop.owner(each["payment_id"], user) for each in drawn} == {"ME-104"}
