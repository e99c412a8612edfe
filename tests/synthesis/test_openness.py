"""The blind solver is asked once, only where something is open, never told the golden pick, and its answer decides."""

import asyncio
import contextlib
import json
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.checkers.kayaks import HIRES, HOURS, asking, call, environment, hiring
from tests.openai_server import OpenAIServer, tool_call
from toolscale.artifacts import Domain, Task
from toolscale.checkers import GateContext
from toolscale.checkers.picks import choices
from toolscale.environment import Sandbox
from toolscale.estimate import ahead
from toolscale.llm import Gateway, Unanswerable
from toolscale.llm.rehearsal import Rehearsal
from toolscale.settings import Settings
from toolscale.store import Store
from toolscale.synthesis.filtering import Verified, verify_tasks
from toolscale.synthesis.openness import messages_for
from toolscale.synthesis.run import DomainRun

Request = dict[str, Any]
Behaviour = Callable[[Request], Any]
Verify = Callable[[Behaviour, Task], Awaitable[tuple[Verified, list[Request], list[Request]]]]

KAYAKS = Domain(name="kayaks", description="Kayaks for hire.")
FRIDAY = call("find_hours", day="2026-12-04")
ANY = asking("Any hour on Friday will do, and any kayak.", FRIDAY, hiring(HOURS[0]))
CHEAPEST = asking("Hire me the cheapest hour on Friday.", FRIDAY, hiring(HOURS[1]))
GOLDEN = 2
"""The options of `ANY` are in the order of their fees."""


def of_solver(request: Request) -> bool:
    return str(request["messages"][0]["content"]).startswith("Stage: openness")


def naming(*options: int, why: str = "the user says so") -> str:
    """The solver's answer to one choice."""
    return json.dumps({"choices": [{"choice": 1, "options": options, "why": why}]})


def solving(answer: Callable[[Request], str], task: Task) -> Behaviour:
    """A solver that answers so, and an agent that makes the golden calls."""

    def behaviour(request: Request) -> Any:
        if of_solver(request):
            return answer(request)
        done = sum(message["role"] == "tool" for message in request["messages"])
        if done == len(task.golden_calls):
            return "Done."
        golden = task.golden_calls[done]
        return {"tool_calls": [tool_call(golden.name, json.dumps(golden.arguments))]}

    return behaviour


@pytest.fixture
async def verify(tmp_path: Path) -> AsyncIterator[Verify]:
    """`verify(behaviour, task)` -> (verified, requests to the solver, requests to the agent)."""
    with contextlib.ExitStack() as stack:

        async def run(behaviour: Behaviour, task: Task) -> tuple[Verified, list[Request], list[Request]]:
            server = stack.enter_context(OpenAIServer(behaviour))
            store = stack.enter_context(Store(f"sqlite:///{tmp_path}/store.db"))
            settings = Settings(
                default_model="openai/agent",
                default_api_base=server.url,
                prices={"openai/agent": {"input": 1, "output": 1}},
                retries=0,
                data_root=str(tmp_path),
            )
            async with asyncio.timeout(60), Gateway(settings, store) as gateway:
                verified = await verify_tasks(DomainRun(KAYAKS, gateway, store, settings, 1), environment(), [task])
            asked = [request for request in server.requests if of_solver(request)]
            return verified, asked, [request for request in server.requests if not of_solver(request)]

        yield run


@pytest.fixture(scope="module")
def context() -> Iterator[GateContext]:
    with Sandbox(environment()) as sandbox:
        yield GateContext(sandbox)


async def test_a_task_with_several_right_ends_is_refused_before_any_attempt_whatever_agents_are_used_to(
    verify: Verify,
) -> None:
    """Every attempt would take the golden entry: agreeing attempts do not show that the user asked for it."""
    verified, asked, attempted = await verify(solving(lambda _: naming(1, 2, 3, 4), ANY), ANY)
    (task,) = verified.rejected
    assert task.rejected_by == "ambiguous"
    assert (task.attempts, attempted) == ([], [])
    assert len(asked) == 1
    (reason,) = task.gates[-1].reasons
    assert "would satisfy the user as well: the user says so" in reason
    assert "hires/" in reason


async def test_a_task_of_whose_options_only_the_golden_one_satisfies_the_user_is_attempted_and_kept(
    verify: Verify,
) -> None:
    verified, asked, attempted = await verify(solving(lambda _: naming(GOLDEN), ANY), ANY)
    (task,) = verified.kept
    assert task.verified
    assert (len(asked), len(task.attempts)) == (1, 8)
    (outcome,) = (gate for gate in task.gates if gate.gate == "ambiguous")
    assert outcome.reasons == ["of 4 open options of `hire` only the golden one satisfies the user: the user says so"]
    assert attempted


async def test_nobody_is_asked_where_nothing_is_open(verify: Verify) -> None:
    verified, asked, _ = await verify(solving(lambda _: naming(), CHEAPEST), CHEAPEST)
    assert [task.id for task in verified.kept] == [CHEAPEST.id]
    assert asked == []


@pytest.mark.parametrize(
    ("hostile", "complaint"),
    [
        (naming(GOLDEN, 5), "choice 1 has no option 5; it has 1 to 4"),
        (naming(0), "choice 1 has no option 0; it has 1 to 4"),
        ('{"choices": []}', "answer each of the 1 choices once"),
        ('{"choices": [{"choice": 2, "options": [1]}]}', "answer each of the 1 choices once"),
        ('{"choices": [{"choice": 1, "options": ["KY-9"]}]}', "options"),
    ],
    ids=["an option that was not shown", "no option's number", "no answer", "another choice", "an entry's name"],
)
async def test_an_answer_that_names_what_was_not_shown_is_sent_back(
    verify: Verify, hostile: str, complaint: str
) -> None:
    def hears(request: Request) -> str:
        return naming(GOLDEN) if "not accepted" in request["messages"][-1]["content"] else hostile

    verified, asked, _ = await verify(solving(hears, ANY), ANY)
    assert [task.id for task in verified.kept] == [ANY.id]
    assert len(asked) == 2
    assert complaint in asked[1]["messages"][-1]["content"]


async def test_where_the_solver_never_answers_in_the_form_nobody_vouches_for_the_task(verify: Verify) -> None:
    verified, asked, attempted = await verify(solving(lambda _: naming(99), ANY), ANY)
    (task,) = verified.rejected
    assert task.rejected_by == "ambiguous"
    assert (len(asked), attempted) == (3, [])
    assert task.gates[-1].reasons[0].startswith("not evaluated: nobody said which options satisfy the user")


def test_the_prompt_is_the_same_whichever_option_is_golden(context: GateContext) -> None:
    """So it gives nothing away."""
    prompts = []
    for hour in HOURS[:4]:
        task = asking("Any hour on Friday will do, and any kayak.", FRIDAY, hiring(hour))
        prompts.append(messages_for(task, choices(task, context), context))
    assert all(prompt == prompts[0] for prompt in prompts)
    assert str(HOURS[3]["starts"]) in prompts[0][1]["content"]


def test_what_goes_with_a_choice_does_not_tell_what_another_took(context: GateContext) -> None:
    task = asking("See to a kayak.", call("list_kayaks"), call("inspect", kayak_id="KY-2"))
    (choice,) = choices(task, context)
    other = replace(choice, function="hire", beside={"member": "MB-1", "kayak_id": "KY-2"})
    prompt = messages_for(task, [choice, other], context)[1]["content"]
    assert 'give to `hire` beside {"member": "MB-1"}' in prompt


def test_a_read_made_with_the_pick_is_not_shown_but_for_the_list_of_another_choice(context: GateContext) -> None:
    hires = call("find_hires", member="MB-1")
    task = asking(
        "Put a dry bag on one of my hires, and see to the kayak.",
        hires,
        call("find_hires", member="HI-1"),
        call("add_extra", hire_id="HI-1", extra="dry bag"),
        call("list_kayaks"),
        call("inspect", kayak_id=HIRES["HI-1"]["kayak_id"]),
    )
    prompt = messages_for(task, choices(task, context), context)[1]["content"]
    assert '"arguments": {"member": "MB-1"}' in prompt
    assert prompt.count('"name": "find_hires"') == 1
    assert "add_extra" not in prompt.partition("What the user says")[0]
    assert '"name": "list_kayaks"' in prompt


def test_where_every_option_was_looked_up_the_look_ups_are_shown(context: GateContext) -> None:
    task = asking(
        "Put a dry bag on one of my hires.",
        call("find_hires", member="MB-1"),
        call("find_hires", member="HI-1"),
        call("find_hires", member="HI-2"),
        call("add_extra", hire_id="HI-1", extra="dry bag"),
    )
    prompt = messages_for(task, choices(task, context), context)[1]["content"]
    assert '"arguments": {"member": "HI-1"}' in prompt
    assert '"arguments": {"member": "HI-2"}' in prompt


async def test_an_estimate_counts_the_question_and_the_attempts_behind_it(tmp_path: Path) -> None:
    settings = Settings(data_root=str(tmp_path), attempts=2)
    with Store(f"sqlite:///{tmp_path}/store.db") as store:
        async with Rehearsal(settings, store) as gateway:
            with contextlib.suppress(Unanswerable):
                run = DomainRun(KAYAKS, gateway, store, settings, 2)
                await ahead._attempt(run, environment(), [ANY, CHEAPEST], ahead.Ahead())
    assert Counter(call.purpose.stage for call in gateway.missing) == {"openness": 1, "episode": 4}
