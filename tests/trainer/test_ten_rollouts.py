"""M, P and R of ten recorded rollouts are those of a calculation by hand, which stands beside them as data."""

import asyncio
import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from tests.orchestration.orchestra import Told
from toolscale.artifacts import CallOutcome, EnvironmentSpec, Task, Trajectory, Verdict
from toolscale.catalogue.catalogue import CatalogueModel
from toolscale.catalogue.configuration import OfferedTool, Terms, ToolConfiguration
from toolscale.catalogue.model_tools import Asker, ModelTool
from toolscale.episodes.loop import Answers, Ending, Episode, Spoken, play
from toolscale.instances import Instance
from toolscale.messages import Message
from toolscale.orchestration.turns import make_calls
from toolscale.preferences.preference import Preference
from toolscale.rewards.toolrl import TrainingProgress
from toolscale.settings import Price
from toolscale.tools.tool import Tool, ToolAnswer
from trainer.config import Rewarding
from trainer.rollout.scoring import reward_vector
from trainer.sequence import Group, Rollout, TokenSequence
from trainer.tasks.exercise import Exercise
from trainer.tasks.preferences import wanted_at

from .earned import totals

RECORDED = yaml.safe_load((Path(__file__).parents[1] / "fixtures" / "rewards" / "ten_rollouts.yaml").read_text())
ROLLOUTS, USERS, PRICES = RECORDED["rollouts"], RECORDED["users"], RECORDED["prices"]
FUNCTIONS, MODELS = ("find_coat", "hang_coat"), ("tiny", "expert")
REWARDING = Rewarding(
    dollars_per_million_prompt_tokens=PRICES["policy"]["read"],
    dollars_per_million_sampled_tokens=PRICES["policy"]["wrote"],
)
PARAMETERS = {"type": "object", "properties": {"question": {"type": "string"}}, "required": ["question"]}
OFFERED = [
    OfferedTool(
        name=name,
        kind="model",
        description=f"The {name} one.",
        parameters=PARAMETERS,
        terms=Terms(price=Price(input=PRICES[name]["read"], output=PRICES[name]["wrote"])),
    )
    for name in MODELS
]


class Asked:
    """A gateway whose models answer with the recorded tokens and seconds, one call after the other."""

    def __init__(self, calls: Sequence[dict[str, Any]]) -> None:
        self._left = list(calls)

    def with_model(self, *_: Any) -> "Asked":
        return self

    async def chat(self, *_: Any, **__: Any) -> Any:
        call = self._left.pop(0)
        return SimpleNamespace(
            text="Hook 31.",
            finish_reason="stop",
            prompt_tokens=call["read"],
            completion_tokens=call["wrote"],
            seconds=call["took"],
        )


class Recorded:
    """Agent and setting of a recorded episode: the policy's messages and the functions' answers as they were."""

    def __init__(self, turns: Sequence[dict[str, Any]]) -> None:
        self._left = list(turns)
        self.made: list[CallOutcome] = []
        calls = [call for turn in turns for call in turn.get("calls", ())]
        self._tools: dict[str, Tool] = {}
        for name in FUNCTIONS:
            own = iter([call for call in calls if call["tool"] == name])
            answer = lambda arguments, own=own: self._answer(next(own))  # noqa: E731
            self._tools[name] = Told(name, answer, writes=name == "hang_coat")
        for offered in OFFERED:
            asked: Any = Asked([call for call in calls if call["tool"] == offered.name])
            model = CatalogueModel(name=offered.name, model=f"openai/{offered.name}", description="A model.")
            assert offered.terms.price is not None
            self._tools[offered.name] = ModelTool(offered, Asker(model, asked, offered.terms.price), "generalist")

    @staticmethod
    def _answer(call: dict[str, Any]) -> ToolAnswer:
        return ToolAnswer(content="{}", error=call.get("error"), seconds=call["took"])

    def hears(self, messages: Sequence[Message]) -> None:
        """Nothing that it says depends on it."""

    async def speaks(self) -> Spoken | Ending:
        turn = self._left.pop(0)
        asked = [
            {"id": str(place), "function": {"name": call["tool"], "arguments": json.dumps({"question": "?"})}}
            for place, call in enumerate(turn.get("calls", ()))
        ]
        message = {"role": "assistant", "content": "So.", **({"tool_calls": asked} if asked else {})}
        return Spoken(message, seconds=turn["took"], prompt_tokens=turn["read"], completion_tokens=turn["wrote"])

    async def answers(self, message: Message) -> Answers:
        made, seconds = await make_calls(0, message, self._tools, lambda call: None)
        self.made += [CallOutcome(name=call.tool, arguments=call.arguments, error=call.answer.error) for call in made]
        return Answers([call.answer.shown for call in made], sum(call.answer.dollars for call in made), seconds)

    async def replies(self, message: Message) -> Answers:
        return Answers(ending="done")


@pytest.fixture
def exercise(environment: EnvironmentSpec, tasks: list[Task]) -> Exercise:
    return Exercise(tasks[0], environment, FUNCTIONS, instance_of(None))


def instance_of(wants: dict[str, float] | None) -> Instance:
    configuration = ToolConfiguration(id="c", schedule="together", tools=OFFERED)
    if wants is None:
        return Instance(configuration=configuration)
    vector = [wants.get(name, 0.0) for name in (*MODELS, "outcome", "compute", "latency")]
    said = "This is how I would like to have it."
    return Instance(
        configuration=configuration,
        preference=Preference(id="p", theme="t", instruction=said, tools=list(MODELS), vector=vector),
    )


def replayed(recorded: dict[str, Any], exercise: Exercise) -> Rollout:
    episode, both = Episode(), Recorded(recorded["turns"])
    ending = asyncio.run(play(both, both, episode, max_turns=50))
    verdict = Verdict(execution=True, fidelity=recorded["solved"], completeness=True)
    trajectory = Trajectory(
        task_id=exercise.id,
        calls=both.made,
        termination="done",
        prompt_tokens=episode.prompt_tokens,
        completion_tokens=episode.completion_tokens,
    )
    vector = reward_vector(trajectory, verdict.solved, exercise, episode.dollars, episode.seconds, REWARDING)
    return Rollout(exercise.id, TokenSequence.of_prompt([0]), trajectory, verdict, ending, vector)


def test_there_are_ten() -> None:
    assert len(ROLLOUTS) == 10


@pytest.mark.parametrize("recorded", ROLLOUTS, ids=lambda each: each["about"])
def test_m_is_that_of_the_calculation_by_hand(recorded: dict[str, Any], exercise: Exercise) -> None:
    rollout = replayed(recorded, exercise)
    assert rollout.ending == "done"
    assert rollout.vector.tools == (*FUNCTIONS, *MODELS)
    assert rollout.vector.as_array().tolist() == pytest.approx(recorded["M"], rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("user", USERS, ids=lambda each: str(each["wants"]))
def test_p_and_r_are_those_of_the_calculation_by_hand(
    user: dict[str, Any], environment: EnvironmentSpec, tasks: list[Task]
) -> None:
    exercise = Exercise(tasks[0], environment, FUNCTIONS, instance_of(user["wants"]))
    assert wanted_at(exercise, REWARDING).tolist() == user["P"]
    group = Group(exercise.id, tuple(replayed(recorded, exercise) for recorded in ROLLOUTS))
    expected = [float(Fraction(str(value))) for value in user["R"]]
    assert totals(group, exercise, REWARDING, TrainingProgress(0, 10)) == pytest.approx(expected, rel=1e-12)
