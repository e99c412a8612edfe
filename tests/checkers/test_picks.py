"""What else a golden write could have picked: what the words, the environment and superlatives leave open, no more."""

from collections.abc import Iterator

import pytest

from tests.checkers.kayaks import HIRES, HOURS, asking, call, environment, hiring
from toolscale.artifacts import GoldenCall, Json, Task
from toolscale.checkers import GateContext, open_ends
from toolscale.checkers.picks import Choice, choices
from toolscale.checkers.picks.superlatives import Superlative, leaves_it_open, superlatives
from toolscale.environment import Sandbox

FRIDAY = call("find_hours", day="2026-12-04")
HERON_AT_TEN, OTTER_AT_TEN, HERON_AT_THREE, OTTER_AT_FOUR = HOURS[:4]
ANY = "Any hour on Friday will do, and any kayak."


@pytest.fixture(scope="module")
def context() -> Iterator[GateContext]:
    with Sandbox(environment()) as sandbox:
        yield GateContext(sandbox)


def hires(says: str, hour: dict[str, Json] = HERON_AT_TEN, *later: GoldenCall) -> Task:
    return asking(says, FRIDAY, hiring(hour), *later)


def options(choice: Choice) -> list[dict[str, Json]]:
    return [option.given for option in choice.options]


def hours(choice: Choice) -> list[dict[str, Json]]:
    """The hours that a choice of `hire` leaves."""
    return [hour for hour in HOURS[:4] if any(given.items() <= hour.items() for given in options(choice))]


def test_all_arguments_that_belong_to_an_entry_move_together(context: GateContext) -> None:
    (choice,) = choices(hires(ANY), context)
    assert hours(choice) == HOURS[:4]
    assert all(given.keys() == {"kayak_id", "starts", "fee"} for given in options(choice))
    assert choice.beside == {"member": "MB-1"}


def test_what_later_calls_take_from_the_write_moves_along(context: GateContext) -> None:
    task = hires(ANY, HERON_AT_TEN)
    made = context.sandbox.run(task.golden_calls).outcomes[-1].result
    assert isinstance(made, dict)
    extra = call("add_extra", hire_id=made["hire_id"], extra="paddle")
    (choice,) = choices(hires(f"{ANY} And a second paddle.", HERON_AT_TEN, extra), context)
    assert hours(choice) == HOURS[:4]
    for option in choice.options:
        if option.end is not None:
            (new,) = (record for (table, key), record in option.end.changes.items() if table == "hires")
            assert isinstance(new, dict)
            assert new["extras"] == ["paddle"]


def test_what_is_done_for_each_of_them_is_no_choice_between_them(context: GateContext) -> None:
    mine = sorted(key for key, hire in HIRES.items() if hire["member"] == "MB-1")
    every = asking(
        "Put a dry bag on each of my hires.",
        call("find_hires", member="MB-1"),
        *(call("add_extra", hire_id=key, extra="dry bag") for key in mine),
    )
    assert len(mine) > 1
    assert choices(every, context) == []


@pytest.mark.parametrize(
    ("says", "left"),
    [
        ("I want to go on Friday, in the Heron.", [HERON_AT_TEN, HERON_AT_THREE]),
        ("I want to go on Friday at 10 in the morning.", [HERON_AT_TEN, OTTER_AT_TEN]),
        ("I want to go on Friday in the Heron, at 10:00.", None),
        ("I want the one on Friday for 18.50.", None),
        ("I want the Heron or the Otter, some time on Friday at ten o'clock.", [HERON_AT_TEN, OTTER_AT_TEN]),
    ],
    ids=["a name", "a time", "a name and a time", "a price", "both names"],
)
def test_an_entry_is_ruled_out_by_a_value_that_the_user_says(
    context: GateContext, says: str, left: list[dict[str, Json]] | None
) -> None:
    assert [hours(choice) for choice in choices(hires(says), context)] == ([left] if left else [])


def test_what_the_user_names_literally_is_not_exchanged(context: GateContext) -> None:
    says = "Add a dry bag to HI-1. Leave my hire HI-2 as it is."
    task = asking(says, call("find_hires", member="MB-1"), call("add_extra", hire_id="HI-1", extra="dry bag"))
    assert choices(task, context) == []


def test_an_entry_that_the_environment_refuses_or_that_breaks_a_rule_is_not_open() -> None:
    saturday = asking("I want to go on Saturday.", call("find_hours", day="2026-12-05"), hiring(HOURS[4]))
    rules = (
        "def mornings(before, call, after):\n"
        '    """Kayaks go out in the morning."""\n'
        "    if call['name'] == 'hire' and call['arguments']['starts'][11:] >= '12:00':\n"
        "        return 'after noon'\n"
    )
    with Sandbox(environment()) as free, Sandbox(environment(rules)) as ruled:
        (all_day,) = choices(hires(ANY), GateContext(free))
        (mornings,) = choices(hires(ANY), GateContext(ruled))
        (on_saturday,) = choices(saturday, GateContext(free))
    assert hours(all_day) == HOURS[:4]
    assert hours(mornings) == [HERON_AT_TEN, OTTER_AT_TEN]
    assert [given["starts"] for given in options(on_saturday)] == ["2026-12-05T09:00", "2026-12-05T11:00"]


@pytest.mark.parametrize(
    ("says", "hour"),
    [
        ("I want the cheapest hour on Friday.", OTTER_AT_TEN),
        ("I want the latest hour on Friday.", OTTER_AT_FOUR),
        ("I want the earliest hour on Friday, the cheapest if there are several.", OTTER_AT_TEN),
        ("I want the first hour on Friday, and of those the dearest.", HERON_AT_TEN),
    ],
)
def test_a_superlative_settles_a_pick_so_nobody_is_asked(
    context: GateContext, says: str, hour: dict[str, Json]
) -> None:
    assert choices(hires(says, hour), context) == []


@pytest.mark.parametrize(
    ("says", "hour"),
    [
        ("I want the earliest hour on Friday.", HERON_AT_TEN),
        ("I want the cheapest hour on Friday.", HERON_AT_TEN),
        ("I want an hour on Friday, at least 18 minutes, as last week.", OTTER_AT_TEN),
        (f"{ANY} Tell me which lake is the cheapest.", OTTER_AT_TEN),
    ],
    ids=["a tie", "another one is it", "words that name none", "said of something else, and any will do"],
)
def test_a_superlative_settles_no_pick_that_it_does_not_name(
    context: GateContext, says: str, hour: dict[str, Json]
) -> None:
    assert len(choices(hires(says, hour), context)) == 1


def test_one_superlative_settles_one_pick(context: GateContext) -> None:
    saturday = (call("find_hours", day="2026-12-05"), hiring(HOURS[4]))
    once = "The cheapest hour on Friday, and an hour on Saturday."
    twice = "The cheapest hour on Friday, and the cheapest on Saturday."
    assert len(choices(hires(once, OTTER_AT_TEN, *saturday), context)) == 2
    assert choices(hires(twice, OTTER_AT_TEN, *saturday), context) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("at least two nights, as last time, on the first of may, next week, no later than noon", set()),
        ("the second saturday, the first monday, last night", set()),
        ("the least expensive one", {Superlative("price", 1)}),
        ("as early as she can", {Superlative("moment", 1)}),
        ("the most recent one", {Superlative("moment", -1)}),
    ],
)
def test_superlatives_are_told_from_words_that_look_like_them(text: str, found: set[Superlative]) -> None:
    assert set(superlatives(text)) == found


def test_words_that_leave_a_choice_open_are_told_from_others() -> None:
    assert leaves_it_open("any time of that day and any vet will do")
    assert leaves_it_open("i don't mind which")
    assert not leaves_it_open("do you have any left? whichever account gives the most, please")


def test_the_keys_of_an_object_are_entries(context: GateContext) -> None:
    task = asking("One of your kayaks leaks.", call("list_kayaks"), call("inspect", kayak_id="KY-2"))
    (choice,) = choices(task, context)
    assert options(choice) == [{"kayak_id": "KY-1"}, {"kayak_id": "KY-2"}, {"kayak_id": "KY-3"}]
    named = asking("Your kayak Otter leaks.", call("list_kayaks"), call("inspect", kayak_id="KY-2"))
    assert choices(named, context) == []


def test_a_write_that_was_picked_from_no_list_is_not_asked_about(context: GateContext) -> None:
    assert choices(asking("Inspect a kayak.", call("inspect", kayak_id="KY-2")), context) == []


@pytest.mark.parametrize("hire", HIRES)
def test_the_options_do_not_tell_which_is_golden(context: GateContext, hire: str) -> None:
    task = asking(
        "Put a dry bag on one of my hires.",
        call("find_hires", member="MB-1"),
        call("add_extra", hire_id=hire, extra="dry bag"),
    )
    (choice,) = choices(task, context)
    assert options(choice) == [{"hire_id": "HI-1"}, {"hire_id": "HI-2"}]
    assert choice.golden.given == {"hire_id": hire}


@pytest.mark.parametrize(
    ("named", "passed", "told"),
    [
        ([HERON_AT_TEN], True, "only the golden one satisfies the user: she said so"),
        ([OTTER_AT_TEN], False, "and this would not: she said so"),
        ([HERON_AT_TEN, OTTER_AT_TEN], False, "'KY-2', `starts` '2026-12-04T10:00', `fee` 16.5 would satisfy"),
        (HOURS[:4], False, "as well: she said so; hires/"),
        ([], False, "none satisfies the user: she said so"),
    ],
    ids=["the golden one", "another one", "two", "all", "none"],
)
def test_it_passes_if_only_what_the_golden_call_took_satisfies_the_user(
    context: GateContext, named: list[dict[str, Json]], passed: bool, told: str
) -> None:
    task = hires(ANY)
    (choice,) = choices(task, context)
    positions = {at for at, given in enumerate(options(choice)) if any(given.items() <= hour.items() for hour in named)}
    outcome = open_ends(task, [choice], [positions], ["she said so"], context)
    assert (outcome.gate, outcome.passed) == ("ambiguous", passed)
    (reason,) = outcome.reasons
    assert told in reason
