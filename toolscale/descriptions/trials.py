"""Sampled tasks, tried by a model that is to be described, as it is asked for them when it works."""

import asyncio
from collections.abc import Mapping, Sequence

from toolscale.artifacts import Call, EnvironmentSpec, Task
from toolscale.catalogue.catalogue import CatalogueModel
from toolscale.checkers import judge
from toolscale.descriptions.description import TRIAL_CHARACTERS, Trial, shortened
from toolscale.descriptions.sampling import Sampled, kind_of, topic_of
from toolscale.environment import Sandbox
from toolscale.episodes.episode import run_episode
from toolscale.llm import Gateway, Unanswerable
from toolscale.llm.json_text import after_thoughts
from toolscale.messages import Message
from toolscale.prompts import render
from toolscale.questions.outcome import outcome
from toolscale.questions.steps import Step
from toolscale.questions.tables import DOMAIN
from toolscale.questions.task import QuestionTask


async def try_tasks(
    model: CatalogueModel,
    tasks: Sequence[Sampled],
    environments: Mapping[str, EnvironmentSpec],
    gateway: Gateway,
    *,
    seed: int = 0,
) -> list[Trial]:
    """One attempt of a model at each task, in the tasks' order.

    At a task of a domain it is the agent; a question is put to it as an orchestrator puts it; a step it goes on with in
    ToolRL's format. Answers that a program cannot decide are judged by the model in the role `judge`.

    Args:
        model: who tries.
        tasks: those of domains are of domains in `environments`.
        environments: by domain.
        gateway: every call goes through it; attempts that were made before are free.
        seed: another seed tries anew.

    Raises:
        GatewayError: the model, or the judge, cannot be had.
    """
    agent = gateway.with_model("agent", model.settings())

    async def in_domain(domain: str) -> list[Trial]:
        with Sandbox(environments[domain]) as sandbox:
            own = [task for task in tasks if isinstance(task, Task) and task.domain == domain]
            return list(await asyncio.gather(*(_played(task, sandbox, agent, seed) for task in own)))

    async def alone() -> list[Trial]:
        own = [
            _answered(task, agent, seed) if isinstance(task, QuestionTask) else _gone_on(task, agent, seed)
            for task in tasks
            if not isinstance(task, Task)
        ]
        return list(await asyncio.gather(*own))

    domains = sorted({task.domain for task in tasks if isinstance(task, Task)})
    tried = [trial for trials in await asyncio.gather(alone(), *map(in_domain, domains)) for trial in trials]
    order = {task.id: position for position, task in enumerate(tasks)}
    return sorted(tried, key=lambda trial: order[trial.task])


async def _played(task: Task, sandbox: Sandbox, agent: Gateway, seed: int) -> Trial:
    trajectory = await run_episode(task, sandbox, agent, seed=seed)
    calls = [Call(name=made.name, arguments=made.arguments) for made in trajectory.calls]
    verdict = await asyncio.to_thread(judge, sandbox, task, calls, trajectory.agent_messages)
    did = shortened(trajectory.messages)
    return _trial(task, task.instruction, did, solved=verdict.solved, reasons=verdict.reasons)


async def _answered(task: QuestionTask, agent: Gateway, seed: int) -> Trial:
    messages = render("expert", role="generalist", question=task.question)
    try:
        said = await _said(messages, task, agent, seed)
    except Unanswerable as error:
        return _trial(task, task.question, "", solved=False, reasons=[str(error)])
    found = await outcome(task.asks, said, agent)
    reasons = [] if found.solved else [found.reason]
    return _trial(task, task.question, _alone(said), solved=found.solved, reasons=reasons)


async def _gone_on(step: Step, agent: Gateway, seed: int) -> Trial:
    messages = step.messages()
    asked = "\n".join(message["content"] for message in messages if message["role"] == "user")
    try:
        said = await _said(messages, step, agent, seed, with_thoughts=True)
    except Unanswerable as error:
        return _trial(step, asked, "", solved=False, reasons=[str(error)])
    reward = step.reward(said)
    wrong = f"format {reward.format:g} of 1, calls {reward.correctness:.2f} of 3; the right step is:\n"
    wrong += step.golden_output or "a response, no call"
    solved = step.makes_its_calls(said)
    return _trial(step, asked, _alone(said), solved=solved, reasons=[] if solved else [wrong])


async def _said(
    messages: list[Message], task: QuestionTask | Step, agent: Gateway, seed: int, *, with_thoughts: bool = False
) -> str:
    said = await agent.text("agent", messages, stage="episode", domain=DOMAIN, task=task.id, seed=seed)
    return said if with_thoughts else after_thoughts(said).strip()


def _alone(said: str) -> str:
    """All that a model did, in one message."""
    return shortened([{"role": "assistant", "content": said}], TRIAL_CHARACTERS)


def _trial(task: Sampled, instruction: str, did: str, *, solved: bool, reasons: Sequence[str]) -> Trial:
    return Trial(
        task=task.id,
        kind=kind_of(task),
        topic=topic_of(task),
        instruction=instruction,
        did=did,
        solved=solved,
        reasons=list(reasons),
    )
