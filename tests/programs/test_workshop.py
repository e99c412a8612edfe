"""What a program can do in the workshop: draw from records, make calls that are really made, and nothing else."""

import pytest

from tests.programs.tool_hire import program
from toolscale.artifacts import Goal
from toolscale.programs import Dead, Solution

DRAW, _, REST = program().source.partition("def solve")
SOLVE = f"def solve{REST}"


def drawn(workshop, source, count=4, **more):
    return workshop.draw(program(source=source, twists=[]), [str(number) for number in range(count)], **more)


def solved(workshop, solve):
    one = program(source=f"{DRAW}\n{solve}", twists=[])
    (facts,) = workshop.draw(one, ["0"])
    return workshop.solve({one.name: one}, [Goal(program=one.name, draw="0", facts=facts)])


def test_a_draw_follows_from_its_seed_alone(workshop):
    seeds = [str(number) for number in range(12)]
    found = workshop.draw(program(), seeds)
    assert workshop.draw(program(), seeds[::-1], fresh=True) == found[::-1]
    assert len({str(each) for each in found}) > 6


def test_a_draw_for_a_user_sees_what_is_theirs_or_nobodys(workshop):
    count = 'def draw(db, rng):\n    return {t: ",".join(sorted(db[t])[:20]) for t in ("members", "hires", "tools")}\n'
    (all_of_it,) = drawn(workshop, count + SOLVE, 1)
    (facts,) = workshop.draw(program(), ["0"])
    user = workshop.user(program(), facts)
    (theirs,) = drawn(workshop, count + SOLVE, 1, user=user)
    assert theirs["members"] == user.key
    assert theirs["tools"] == all_of_it["tools"]
    hires = workshop.environment.spec.database["hires"]
    assert theirs["hires"].split(",") == sorted(key for key, hire in hires.items() if hire["member_id"] == user.key)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def draw(db, rng):\n    while True: pass\n", "never came back"),
        ("def draw(db, rng):\n    db['tools'].popitem()\n    return {'a': 1}\n", "changes the database"),
        ("def draw(db, rng):\n    next(iter(db['hires'].values()))['status'] = 'x'\n    return {'a': 1}\n", "changes"),
        ("def draw(db, rng):\n    return {f'f{n}': n for n in range(1_000_000)}\n", "at most 30"),
        ("def draw(db, rng):\n    return {f'f{n}': n for n in range(31)}\n", "at most 30"),
        ("def draw(db, rng):\n    return {'a': 'x' * 301}\n", "a fact has 1 to 300"),
        ("def draw(db, rng):\n    return {'a': [1]}\n", "a fact is a string, a number or a truth value"),
        ("def draw(db, rng):\n    return {'A b': 1}\n", "names are small letters"),
        ("def draw(db, rng):\n    return 5\n", "object of facts"),
        ("def draw(db, rng):\n    import os\n    return {'a': os.getpid()}\n", "No module named 'os'"),
        ("def draw(db, rng):\n    return {'a': open('/etc/passwd').read()}\n", "line 2 of the source"),
        ("def draw(db, rng):\n    x = {}\n    return x['y']\n", "line 3 of the source: KeyError"),
    ],
)
def test_a_draw_that_breaks_the_contract_is_a_fault_with_its_reason(workshop, source, said):
    (found,) = drawn(workshop, source + SOLVE, 1)
    assert isinstance(found, Dead)
    assert found.fault
    assert said in found.reason


def test_every_call_of_a_solution_was_made_and_carries_what_came_of_it(workshop):
    found = solved(workshop, SOLVE)
    assert isinstance(found, Solution)
    assert [call.name for call in found.made] == ["get_hire", "extend_hire"]
    assert [done.result for done in found.calls] == [
        done.result for done in workshop.environment.run(found.made).outcomes
    ]
    assert found.told[0].value == found.calls[-1].result["due_on"]


def test_a_call_that_is_refused_is_no_part_of_what_solves_the_task(workshop):
    found = solved(
        workshop,
        "def solve(call, facts):\n"
        "    try:\n        call('get_hire', hire_id='HI-0')\n"
        "    except Refused as why:\n        said = str(why)\n"
        "    call('extend_hire', hire_id=facts['hire_id'], days=facts['days'])\n"
        "    return {'due': said}\n",
    )
    assert [call.name for call in found.made] == ["extend_hire"]
    assert found.told[0].value == "there is no hire HI-0"


def test_a_solution_that_swallows_everything_still_stops_at_its_next_call(workshop):
    found = solved(
        workshop,
        "def solve(call, facts):\n"
        "    try:\n        hire = call('get_hire', hire_id=facts['hire_id'])\n"
        "    except BaseException:\n        hire = {'due_on': 'never'}\n"
        "    return {'due': hire['due_on']}\n",
    )
    assert [call.name for call in found.made] == ["get_hire"]
    assert found.told[0].value != "never"


def test_a_solution_has_no_way_to_the_records(workshop):
    found = solved(
        workshop,
        "def solve(call, facts):\n"
        "    try:\n        1 / 0\n"
        "    except ZeroDivisionError as error:\n        frame = error.__traceback__.tb_frame\n"
        "    seen = []\n"
        "    while frame:\n"
        "        seen += [repr(v) for v in frame.f_locals.values() if not callable(v)]\n"
        "        frame = frame.f_back\n"
        "    call('get_hire', hire_id=facts['hire_id'])\n"
        "    names = ['Mem' + f'ber {n}' for n in range(100, 112)]\n"
        "    found = [name for name in names if any(name in each for each in seen)]\n"
        "    return {'due': 'no' if found == [facts['name']] else 'yes'}\n",
    )
    assert found.told[0].value == "no"


@pytest.mark.parametrize(
    ("solve", "said"),
    [
        ("def solve(call, facts):\n    while True: pass\n", "never came back"),
        ("def solve(call, facts):\n    while True: call('get_hire', hire_id=facts['hire_id'])\n", "more than 40 calls"),
        (
            "def solve(call, facts):\n    import uuid\n    call('get_hire', hire_id=str(uuid.uuid4()))\n",
            "makes other calls",
        ),
        ("def solve(call, facts):\n    return {'secret': 1}\n", "`answers` lists due, fee, next"),
        ("def solve(call, facts):\n    return {'due': True}\n", "a string or a number, or a list"),
        ("def solve(call, facts):\n    return {'due': ['x'] * 21}\n", "at most 20"),
        ("def solve(call, facts):\n    call('rm', path='/')\n", "there is no function `rm`"),
        ("def solve(call, facts):\n    call('get_hire', hire_id={1})\n", "not JSON"),
        ("def solve(call, facts):\n    best([1, 1], key=lambda n: n)\n", "equally good"),
        ("def solve(call, facts):\n    only([])\n", "there are 0"),
        ("def solve(call, facts):\n    dead_end('too late')\n", "too late"),
    ],
)
def test_a_solution_that_comes_to_nothing_says_why(workshop, solve, said):
    found = solved(workshop, solve)
    assert isinstance(found, Dead)
    assert said in found.reason


def test_what_hangs_for_one_request_leaves_the_others_as_they_are(workshop):
    one = program(
        source=DRAW + "def solve(call, facts):\n"
        "    while facts['days'] == 4: pass\n"
        "    call('get_hire', hire_id=facts['hire_id'])\n    return {'due': 'x'}\n",
        twists=[],
    )
    facts = [each for each in workshop.draw(one, [str(number) for number in range(12)]) if not isinstance(each, Dead)]
    hanging = next(each for each in facts if each["days"] == 4)
    others = [each for each in facts if each["days"] != 4][:4]
    goals = [[Goal(program=one.name, draw="", facts=each)] for each in (others[0], hanging, *others[1:])]
    found = workshop.solve_all({one.name: one}, goals)
    assert [isinstance(each, Solution) for each in found] == [True, False, True, True, True]


def test_none_leaves_out_what_may_be_left_out_and_is_given_where_it_is_required(workshop):
    found = solved(
        workshop,
        "def solve(call, facts):\n"
        "    call('get_hire', hire_id=facts['hire_id'], nothing=None)\n"
        "    try:\n        call('get_hire', hire_id=None)\n"
        "    except Refused as why:\n        return {'due': str(why)}\n",
    )
    assert [call.arguments for call in found.made] == [{"hire_id": found.made[0].arguments["hire_id"]}]
    assert found.told[0].value == "there is no hire None"
