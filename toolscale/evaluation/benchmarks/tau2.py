"""tau2-bench through its own package: its domains, simulated user and evaluator, and our orchestrator as its agent.

``--data`` names domains instead of a path: ``retail,airline``; by default all three of the paper's. tau2-bench asks two
models by itself, past the gateway: that of the role `user` plays the user, and that of the role `judge` decides on
assertions in words, which retail has.
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from toolscale.errors import UserError
from toolscale.evaluation.benchmarks.conversation import Conversation
from toolscale.evaluation.problem import BenchmarkAttempt, Problem, Score
from toolscale.evaluation.solver import Solver
from toolscale.llm.endpoints import base_url
from toolscale.llm.providers import litellm
from toolscale.prompts import render
from toolscale.settings import ModelSettings

DOMAINS = ("retail", "airline", "telecom")
RELEASE = "v1.0.1"
"""The release of tau2-bench that this was tried with."""
_SPLIT = "base"
_STEPS_A_TURN = 4
"""Room in tau2-bench's own limit for what user and environment say between two turns; the turns are what ends it."""


@dataclass(frozen=True)
class ServiceProblem:
    """A task of a domain: solved when tau2-bench gives the full reward."""

    id: str
    topic: str
    task: Any

    async def attempt(self, solver: Solver) -> BenchmarkAttempt:
        """Serve its user, and have tau2-bench judge the conversation."""
        build, simulation = _package("tau2.runner.build"), _package("tau2.runner.simulation")
        orchestrator = _package("tau2.orchestrator.orchestrator")
        _judged_by(solver.judge)
        environment = build.build_environment(self.topic)
        preference = solver.preferences.get(self.id)
        offered = solver.open(self.id)
        instructions = render(
            "service_agent",
            policy=environment.get_policy(),
            tools=bool(offered),
            preference=preference.instruction if preference else "",
        )
        functions = [tool.openai_schema["function"] for tool in environment.get_tools()]
        conversation = Conversation(self.id, solver, instructions, functions, _package("tau2.data_model.message"))
        user = build.build_user(
            "user_simulator", environment, self.task, llm=solver.user.model, llm_args=_arguments(solver.user)
        )
        run = orchestrator.Orchestrator(
            domain=self.topic,
            agent=conversation.agent(asyncio.get_running_loop()),
            user=user,
            environment=environment,
            task=self.task,
            max_steps=_STEPS_A_TURN * solver.max_turns + 10,
            seed=solver.seed,
        )
        # A thread of its own: the default pool's few threads are what tools run in while this one waits for them.
        pool = ThreadPoolExecutor(max_workers=1)
        done: Any = None
        failed: Exception | None = None
        try:
            done = await asyncio.get_running_loop().run_in_executor(pool, simulation.run_simulation, run)
        except Exception as error:
            failed = error
        finally:
            pool.shutdown(wait=False)
        await conversation.close()
        if conversation.failure is not None:
            raise conversation.failure from None
        if failed is not None and not isinstance(failed, ValueError):
            raise UserError(f"tau2-bench could not run {self.id}: {type(failed).__name__}: {failed}") from failed
        score = self._broken_off(failed) if failed else self._score(done, conversation)
        return BenchmarkAttempt(conversation.trace(), conversation.tools, score)

    def _broken_off(self, error: Exception) -> Score:
        """A task that tau2-bench breaks off, as when its user says nothing or its judge writes no JSON.

        It would do so again, so the run goes on; the reason tells whose fault it was.
        """
        return Score(False, f"tau2-bench broke it off: {type(error).__name__}: {error}")

    def _score(self, done: Any, conversation: Conversation) -> Score:
        ending = conversation.trace().ending
        if ending != "answered":
            return Score(False, f"the conversation did not come to its end: {ending}")
        reward = done.reward_info.reward
        parts = {getattr(part, "value", part): each for part, each in (done.reward_info.reward_breakdown or {}).items()}
        told = ", ".join(f"{part} {each:g}" for part, each in parts.items())
        ended = getattr(done.termination_reason, "value", done.termination_reason)
        return Score(reward >= 1 - 1e-6, f"reward {reward:g}{f' ({told})' if told else ''}; {ended}")


def read_tau2(place: Path, stack: ExitStack) -> list[Problem]:
    """The tasks of the domains that `place` names."""
    domains = DOMAINS if str(place) == "." else tuple(name.strip() for name in str(place).split(","))
    litellm()  # as it is set up here: imported by tau2-bench first, it fetches a price list
    _package("tau2")
    _package("loguru").logger.disable("tau2")  # it logs every message to standard error
    registry = _package("tau2.registry").registry
    if unknown := sorted(set(domains) - set(registry.get_domains())):
        raise UserError(f"tau2-bench has no domain `{unknown[0]}`: --data names some of {registry.get_domains()}")
    problems: list[Problem] = []
    for domain in domains:
        splits = registry.get_task_splits_loader(domain)
        load = registry.get_tasks_loader(domain)
        for task in load(_SPLIT) if splits is not None and _SPLIT in splits() else load():
            problems.append(ServiceProblem(f"{domain}-{task.id}", domain, task))
    return problems


def _judged_by(judge: ModelSettings) -> None:
    """Have its assertions in words judged by this model. Unasked, tau2-bench goes to OpenAI for one of its choice."""
    assertions = _package("tau2.evaluator.evaluator_nl_assertions")
    assertions.DEFAULT_LLM_NL_ASSERTIONS = judge.model
    assertions.DEFAULT_LLM_NL_ASSERTIONS_ARGS = _arguments(judge)


def _arguments(asked: ModelSettings) -> dict[str, Any]:
    if asked.model.startswith("offline/"):
        raise UserError(
            "tau2-bench asks the models of the roles `user` and `judge` by itself, and cannot reach the offline model "
            "in this process: name others, as in TOOLSCALE_MODELS__USER__MODEL=openai/gpt-5-mini"
        )
    address = base_url(asked.model, asked.api_base)  # tau2-bench asks by itself, past the gateway
    return {
        "temperature": 0.0 if asked.temperature is None else asked.temperature,
        "_skip_mcp_handler": True,  # it wants a package of its own where there are tools, as telecom's users have
        **({"api_base": address} if address else {}),
        **({"max_tokens": asked.max_tokens} if asked.max_tokens else {}),
    }


def _package(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise UserError(
            f"tau2-bench is not installed here ({error}): `pip install 'toolscale[tau2]'`, `git clone --branch "
            f"{RELEASE} https://github.com/sierra-research/tau2-bench`, and put that folder's `src` on PYTHONPATH"
        ) from None
