"""Only what passes every gate is kept; all that was tried is told: attempts, verdicts, reasons, rows in the store."""

import asyncio
import contextlib
import itertools
import json
from collections import Counter
from zlib import crc32

import pytest

from tests.openai_server import OpenAIServer, tool_call
from tests.synthesis.shop import DESK, DOMAIN, environment
from toolscale.artifacts import MUST_PASS, GoldenCall, Instructions, Task, UserScenario
from toolscale.checkers import GateContext, examined, run_gates
from toolscale.dataset.lessons import lessons
from toolscale.environment import Sandbox
from toolscale.episodes.user import DONE
from toolscale.llm import Gateway
from toolscale.settings import Settings
from toolscale.store import AttemptRow, GateResult, Store
from toolscale.synthesis.filtering import verify_tasks
from toolscale.synthesis.run import DomainRun
from toolscale.synthesis.tally import unheard

WORLD = environment()

SMALL_TALK = {
    "O-2": "The parcel never came, whatever the courier claims.",
    "O-3": "My sister bought the very same lamp for me yesterday.",
    "O-5": "It turns out that green does not suit our kitchen at all.",
}
"""What makes tasks about different orders different tasks."""


def cancel(order, **changes):
    """A task that passes the program gates: one order is to be cancelled."""
    said = Instructions(
        domain="shop",
        reason_for_call=f"Please cancel my order {order}.",
        known_info="I am C-2.",
        task_instructions=SMALL_TALK.get(order, ""),
    )
    task = Task(
        id=f"cancel-{order}",
        domain="shop",
        user_scenario=UserScenario(persona="In a hurry.", instructions=said),
        golden_calls=[GoldenCall(name="cancel_order", arguments={"order_id": order})],
        communicate_info=["cancelled"],
    )
    return task.model_copy(update=changes)


TASK = cancel("O-1")
LOOK_UP = cancel("O-2", golden_calls=[GoldenCall(name="get_order", arguments={"order_id": "O-2"})], communicate_info=[])
"""Solved by an agent that only reads and says nothing."""


def outcome_of(gate, task):
    """How a task fared at a gate."""
    return next(outcome for outcome in task.gates if outcome.gate == gate)


def order_in(request):
    """The order that the user of a conversation speaks of."""
    said = "".join(message["content"] for message in request["messages"] if message["role"] == "user")
    return said.partition("order ")[2].partition(".")[0]


def obliging(request):
    """An agent that does what it is asked to."""
    if request["messages"][-1]["role"] == "tool":
        return "Your order is cancelled."
    return {"tool_calls": [tool_call("cancel_order", json.dumps({"order_id": order_in(request)}))]}


def idle(request):
    """An agent that says what it should and does nothing."""
    return "It is cancelled."


def obliging_in(*solving):
    """An agent that is obliging in these of the attempts at an order, by the order in which they begin."""
    attempt_of, begun = {}, Counter()

    def behaviour(request):
        conversation = (order_in(request), request["seed"])
        if conversation not in attempt_of:
            attempt_of[conversation] = begun[order_in(request)]
            begun[order_in(request)] += 1
        return obliging(request) if attempt_of[conversation] in solving else idle(request)

    return behaviour


def obliging_by_seed(request):
    """An agent whose seed decides, attempt by attempt, whether it is obliging."""
    return obliging(request) if crc32(str(request["seed"]).encode()) % 2 else idle(request)


@pytest.fixture
def verify(tmp_path):
    """`verify(behaviour, *tasks, **settings)` -> (verified, server, store), every model on a scripted server."""
    with contextlib.ExitStack() as stack:
        numbers = itertools.count()

        async def verify(behaviour, *tasks, told=unheard, world=WORLD, **settings):
            server = stack.enter_context(OpenAIServer(behaviour))
            store = stack.enter_context(Store(f"sqlite:///{tmp_path}/store-{next(numbers)}.db"))
            chosen = Settings(
                default_model="openai/agent",
                default_api_base=server.url,
                prices={"openai/agent": {"input": 1, "output": 1}},
                retries=0,
                data_root=str(tmp_path),
                **settings,
            )
            async with asyncio.timeout(60), Gateway(chosen, store) as gateway:
                run = DomainRun(DOMAIN, gateway, store, chosen, len(tasks), told=told)
                verified = await verify_tasks(run, world, tasks)
            return verified, server, store

        yield verify


@pytest.mark.parametrize("solving", [{0}, {2, 5, 7}, set(range(8))], ids=lambda solving: f"{len(solving)} of 8")
async def test_a_task_solved_in_k_of_eight_attempts_has_that_pass_rate_and_keeps_all_eight(verify, solving):
    verified, _, _ = await verify(obliging_in(*solving), TASK)
    (task,) = verified.kept
    assert verified.rejected == []
    assert task.verified
    assert task.pass_rate == len(solving) / 8
    assert [attempt.index for attempt in task.attempts] == list(range(8))
    assert sum(attempt.verdict.solved for attempt in task.attempts) == len(solving)
    assert all(attempt.verdict.reasons for attempt in task.attempts if not attempt.verdict.solved)
    assert all(attempt.verdict.fidelity for attempt in task.attempts)
    assert {attempt.termination for attempt in task.attempts} == {"done"}


async def test_a_task_is_kept_with_the_kinds_of_its_facts(verify):
    verified, _, _ = await verify(obliging, TASK)
    assert [task.fact_kinds for task in verified.kept] == [{"cancelled": "words"}]


async def test_all_attempts_at_a_kept_task_become_trajectories_and_say_whose_they_are(verify):
    never = cancel("O-3")
    verified, _, _ = await verify(
        lambda request: idle(request) if order_in(request) == "O-3" else obliging_by_seed(request), TASK, never
    )
    assert [task.id for task in verified.kept] == [TASK.id]
    assert {trajectory.task_id for trajectory in verified.trajectories} == {TASK.id}
    attempts = verified.kept[0].attempts
    assert [trajectory.attempt for trajectory in verified.trajectories] == [attempt.index for attempt in attempts]
    solved = {attempt.index for attempt in attempts if attempt.verdict.solved}
    assert 0 < len(solved) < 8
    assert {one.attempt for one in verified.trajectories if one.calls} == solved
    assert {attempt.model for attempt in attempts} == {"openai/agent"}


async def test_a_task_that_no_agent_solves_is_rejected_by_pass_at_8_with_a_reason(verify):
    verified, server, _ = await verify(idle, TASK)
    (task,) = verified.rejected
    assert verified.kept == verified.trajectories == []
    assert task.rejected_by == "pass_at_8"
    assert outcome_of("pass_at_8", task).reasons == ["no agent solved it in 8 attempts"]
    assert task.pass_rate == 0
    assert len(task.attempts) == len(server.requests) == 8


async def test_the_agent_is_never_asked_about_a_task_that_fails_a_program_gate(verify):
    verified, server, _ = await verify(obliging, LOOK_UP)
    (task,) = verified.rejected
    assert task.rejected_by == "acts"
    assert any("read_only" in reason for reason in task.gates[2].reasons)
    assert task.attempts == []
    assert task.pass_rate is None
    assert server.requests == []


async def test_attempts_end_at_the_first_success_if_the_settings_say_so(verify):
    verified, _, _ = await verify(obliging_in(2, 3), TASK, attempts_stop="first_success")
    (task,) = verified.kept
    assert [attempt.verdict.solved for attempt in task.attempts] == [False, False, True]
    assert (task.pass_rate, task.attempts_ended) == (None, "first_success"), "one success is no rate"
    assert len(verified.trajectories) == 3


async def test_attempts_end_once_the_pass_rate_is_certain_of_its_band_and_the_row_says_so(verify):
    band = {"attempts_stop": "certain", "wanted_pass_rate": (0.1, 0.8)}
    verified, _, _ = await verify(obliging_in(1, 6), TASK, **band)
    (task,) = verified.kept
    assert [attempt.verdict.solved for attempt in task.attempts].count(True) == 1
    assert (task.attempts_ended, task.pass_rate) == ("certain", 1 / 3)
    assert len(verified.trajectories) == 3


async def test_that_nobody_solves_a_task_is_said_after_all_attempts_however_certain_its_band(verify):
    verified, _, _ = await verify(idle, TASK, attempts_stop="certain", wanted_pass_rate=(0.5, 0.8))
    (task,) = verified.rejected
    assert outcome_of("pass_at_8", task).reasons == ["no agent solved it in 8 attempts"]
    assert (len(task.attempts), task.attempts_ended) == (8, None)


def noting(*reasons):
    """An agent that gives these reasons, one in each attempt; none is as good as no call."""
    given, begun = {}, itertools.count()

    def behaviour(request):
        if request["messages"][-1]["role"] == "tool":
            return "It is noted."
        attempt = given.setdefault(request["seed"], next(begun) if request["seed"] not in given else 0)
        if attempt >= len(reasons):
            return idle(request)
        arguments = {"order_id": order_in(request), "reason": reasons[attempt]}
        return {"tool_calls": [tool_call("note_reason", json.dumps(arguments))]}

    return behaviour


TORN = cancel(
    "O-1",
    golden_calls=[GoldenCall(name="note_reason", arguments={"order_id": "O-1", "reason": "damaged"})],
    communicate_info=["noted"],
)


@pytest.mark.parametrize("stop", ["never", "first_success"])
async def test_what_no_program_can_trace_is_kept_once_two_attempts_found_it(verify, stop):
    verified, _, _ = await verify(noting("damaged", "damaged"), TORN, world=DESK, attempts_stop=stop)
    (task,) = verified.kept
    assert "2 solved attempts found" in outcome_of("grounded", task).reasons[0]


async def test_what_no_program_can_trace_is_refused_where_one_attempt_alone_found_it(verify):
    verified, _, _ = await verify(noting("damaged", "late", "torn"), TORN, world=DESK)
    (task,) = verified.rejected
    assert task.rejected_by == "grounded"
    assert len(task.attempts) == 8


async def test_the_settings_say_how_many_attempts_there_are(verify):
    verified, _, _ = await verify(obliging, TASK, attempts=3)
    assert len(verified.kept[0].attempts) == 3


def talking(user):
    """A model that plays both sides: `user(attempt, turn)` says what the user says, the agent obliges."""
    attempt_of = {}

    def behaviour(request):
        if not request["messages"][0]["content"].startswith("Stage: user"):
            return obliging(request)
        attempt = attempt_of.setdefault(request["seed"], len(attempt_of))
        return user(attempt, sum(message["role"] == "assistant" for message in request["messages"]))

    return behaviour


async def test_a_fault_of_the_simulated_user_is_told_and_not_counted(verify):
    def user(attempt, turn):
        if attempt in (0, 1):
            return ""
        return DONE if turn or attempt == 2 else "Cancel my order O-1. I am C-2." if attempt < 6 else "Hello."

    verified, _, _ = await verify(talking(user), TASK, user_mode="simulated")
    (task,) = verified.kept
    assert sum(attempt.user_fault for attempt in task.attempts) == 3
    assert all(attempt.termination == "user_error" for attempt in task.attempts if attempt.user_fault)
    assert sum(attempt.verdict.solved for attempt in task.attempts) == 3
    assert task.pass_rate == 3 / 5
    assert len(task.attempts) == 8


async def test_a_task_that_only_users_spoiled_is_not_blamed_on_the_agent(verify):
    verified, _, _ = await verify(talking(lambda attempt, turn: ""), TASK, user_mode="simulated")
    (task,) = verified.rejected
    assert task.rejected_by == "pass_at_8"
    assert "spoiled by the simulated user" in outcome_of("pass_at_8", task).reasons[0]
    assert task.pass_rate is None


@pytest.mark.parametrize("stop", [False, True])
async def test_an_attempt_that_the_user_broke_off_after_it_succeeded_is_no_success(verify, stop):
    def user(attempt, turn):
        return "Cancel my order O-1. I am C-2." if turn == 0 else DONE if attempt == 3 else ""

    verified, _, _ = await verify(
        talking(user), TASK, user_mode="simulated", attempts_stop="first_success" if stop else "never"
    )
    (task,) = verified.kept
    assert all(attempt.verdict.solved for attempt in task.attempts)
    found = lessons([task], verified.trajectories, most=8)
    of_users_that_stayed = [attempt.index for attempt in task.attempts if not attempt.user_fault]
    assert [one.attempt for one in found.solved] == of_users_that_stayed
    assert (len(found.solved), found.failed) == (1, [])
    assert len(task.attempts) == (4 if stop else 8)


async def test_gates_and_attempts_are_in_the_store(verify):
    verified, _, store = await verify(obliging_in(0, 1), TASK, LOOK_UP)
    gates = {(row.task_id, row.gate): row for row in store.rows(GateResult, domain="shop")}
    for task in (*verified.kept, *verified.rejected):
        for gate in task.gates:
            row = gates.pop((task.id, gate.gate))
            assert (row.passed, json.loads(row.reasons)) == (gate.passed, gate.reasons)
    assert gates == {}
    attempts = store.rows(AttemptRow)
    kept = verified.kept[0]
    assert [(row.task_id, row.index, row.solved) for row in sorted(attempts, key=lambda row: row.index)] == [
        (kept.id, attempt.index, attempt.verdict.solved) for attempt in kept.attempts
    ]
    assert all(json.loads(row.reasons) for row in attempts if not row.solved)
    assert {gate.gate for gate in kept.gates} == {*MUST_PASS}


async def test_each_task_is_heard_of_once_and_what_comes_back_keeps_its_order(verify):
    tasks, told = [TASK, LOOK_UP, cancel("O-3"), cancel("O-5")], []
    hear = lambda done, total, counts: told.append((done, total, dict(counts)))  # noqa: E731
    verified, _, _ = await verify(obliging, *tasks, told=hear)
    assert [task.id for task in verified.kept] == ["cancel-O-1", "cancel-O-3", "cancel-O-5"]
    assert [(done, total) for done, total, _ in told] == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert told[-1][2] == {"kept": 3, "attempts": 24}


async def test_the_same_seed_gives_the_same_outcome_and_another_asks_otherwise(verify):
    tasks = [TASK, cancel("O-3")]
    first, asked, _ = await verify(obliging_by_seed, *tasks, seed=3)
    second, again, _ = await verify(obliging_by_seed, *tasks, seed=3)
    _, otherwise, _ = await verify(obliging_by_seed, *tasks, seed=4)
    assert first == second
    seeds = [sorted(request["seed"] for request in server.requests) for server in (asked, again, otherwise)]
    assert seeds[0] == seeds[1] != seeds[2]


async def test_text_that_has_no_encoding_is_mended_before_anybody_keeps_it(verify):
    def stammering(request):
        if request["messages"][-1]["role"] == "tool":
            return "Your order is cancelled. \ud83d Bye."
        return {
            "content": "One moment \udc00",
            "tool_calls": [
                tool_call("get_order", '{"order_id": "\\ud800"}', "a"),
                tool_call("get_order", '{"order_id": "\ud800"}', "b"),
                tool_call("cancel_order", '{"order_id": "O-1"}', "c"),
            ],
        }

    verified, _, _ = await verify(stammering, TASK, attempts=1)
    (trajectory,) = verified.trajectories
    assert trajectory.agent_messages == ["One moment \ufffd", "Your order is cancelled. \ufffd Bye."]
    assert [outcome.arguments["order_id"] for outcome in trajectory.calls] == ["\ufffd", "O-1"]
    errors = [message["content"] for message in trajectory.messages if message["role"] == "tool"][:2]
    assert "not valid Unicode" in errors[0]
    assert "no order \ufffd" in errors[1]
    assert trajectory.model_dump_json()


async def test_of_two_near_duplicates_one_is_kept_whichever_comes_first(verify):
    """The orders differ, nothing else does."""
    tasks = [cancel("O-6"), TASK, cancel("O-7")]
    for order in (tasks, tasks[::-1]):
        verified, _, store = await verify(obliging, *order)
        assert [task.id for task in verified.kept] == ["cancel-O-1"]
        assert {task.id: task.rejected_by for task in verified.rejected} == {
            "cancel-O-6": "distinct",
            "cancel-O-7": "distinct",
        }
        assert all("cancel-O-1" in outcome_of("distinct", task).reasons[0] for task in verified.rejected)
        assert {trajectory.task_id for trajectory in verified.trajectories} == {"cancel-O-1"}
        stored = {row.task_id: row.passed for row in store.rows(GateResult) if row.gate == "distinct"}
        assert stored == {"cancel-O-1": True, "cancel-O-6": False, "cancel-O-7": False}


async def test_a_task_that_another_gate_refused_takes_nobody_s_place(verify):
    """It would, by its id, and its words are the same."""
    refused = cancel("O-1", id="a", communicate_info=["my order"])
    verified, _, _ = await verify(obliging, refused, TASK)
    assert [task.id for task in verified.kept] == [TASK.id]
    assert [task.rejected_by for task in verified.rejected] == ["no_leak"]


async def test_a_second_verify_takes_the_outcomes_of_the_draft_unless_the_task_was_changed(verify, monkeypatch):
    with Sandbox(WORLD) as sandbox:
        task = examined(TASK, GateContext(sandbox))
    run = []
    monkeypatch.setattr(
        "toolscale.checkers.examination.run_gates",
        lambda task, context: run.append(task.id) or run_gates(task, context),
    )
    leaking = task.model_copy(update={"id": "tampered", "communicate_info": ["my order"]})
    verified, _, _ = await verify(obliging, task, leaking)
    assert run == ["tampered"]
    assert [(kept.id, kept.examined) for kept in verified.kept] == [(TASK.id, "")]
    assert [rejected.rejected_by for rejected in verified.rejected] == ["no_leak"]
