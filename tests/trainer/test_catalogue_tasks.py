"""Questions with a catalogue's tools: played, judged, paid for to the last token, rewarded by what users want."""

import asyncio
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import pytest

from tests.openai_server import OpenAIServer
from tests.orchestration.orchestra import Told, gateway_to
from toolscale.catalogue.configuration import OfferedTool, Terms, ToolConfiguration
from toolscale.catalogue.prices import schedule
from toolscale.errors import UserError
from toolscale.preferences.preference import Preference
from toolscale.questions.step_sets import steps_in
from toolscale.questions.task import QuestionTask
from toolscale.rewards.toolrl import TrainingProgress
from toolscale.settings import Price
from toolscale.tools.tool import ToolAnswer
from trainer.config import Rewarding, Rollouts
from trainer.rollout.bench import Bench
from trainer.rollout.chat import Chat
from trainer.rollout.collect import Collector
from trainer.rollout.engine import Completion
from trainer.sequence import Group
from trainer.tasks.exercise import QuestionExercise, StepExercise
from trainer.tasks.preferences import check_preferences, wanted_at

from .earned import totals

LIMITS = Rollouts(
    backend="transformers", max_turns=4, max_prompt_tokens=2000, max_sampled_tokens=900, context_tokens=4000, at_once=1
)
FREE = Rewarding(preference={"outcome": 1.0, "compute": 1.0})
START = TrainingProgress(0, 10)
CHEAP = ToolAnswer(content="It is 42.", dollars=0.001, seconds=500.0)
DEAR = ToolAnswer(content="It is 42.", dollars=0.101, seconds=4000.0)
ASKS_CHEAP = '<tool_call>\n{"name": "cheap", "arguments": {"question": "6 times 7?"}}\n</tool_call>'
ASKS_DEAR = ASKS_CHEAP.replace("cheap", "dear")


class Recites:
    """An engine that says one message after the other, whatever it is asked."""

    context_limit = 4000

    def __init__(self, chat: Chat, messages: Sequence[str]) -> None:
        self._chat, self._left = chat, list(messages)

    def seat(self) -> Any:
        return nullcontext()

    async def sample(self, prompt: Sequence[int], sampling: Any) -> Completion:
        ids = [*self._chat.tokenizer.encode(self._left.pop(0), add_special_tokens=False), self._chat.end_of_turn]
        return Completion(ids, [-0.5] * len(ids), "stop", 0)


class Opens:
    """Gives every episode the same two tools."""

    def __init__(self) -> None:
        self.opened: list[tuple[str, int]] = []

    def open(self, configuration: ToolConfiguration, *, task: str = "", seed: int = 0, sample: int = 0) -> list[Any]:
        assert configuration.names == ("cheap", "dear")
        self.opened.append((task, sample))
        return [Told("cheap", CHEAP, kind="model"), Told("dear", DEAR, kind="model")]


def question(preference: Preference | None = None, schedule_name: str = "together", answer: str = "42") -> Any:
    tools = [
        OfferedTool(
            name=name,
            kind="model",
            description=f"A {name} model.",
            parameters={"type": "object", "properties": {"question": {"type": "string"}}, "required": ["question"]},
            terms=Terms(price=Price(input=1, output=2), seconds=1.0),
        )
        for name in ("cheap", "dear")
    ]
    configuration = ToolConfiguration(id="c1", schedule=schedule_name, tools=tools)
    task = QuestionTask(
        id="q1", question="What is 6 times 7?", answer=answer, configuration=configuration, preference=preference
    )
    return QuestionExercise(task, "Ask one tool.")


def prefers(instruction: str = "Please ask the dear model.", **wants: float) -> Preference:
    vector = [wants.get(name, 0.0) for name in ("cheap", "dear", "outcome", "compute", "latency")]
    return Preference(id="p1", theme="one tool", instruction=instruction, tools=["cheap", "dear"], vector=vector)


@pytest.fixture
def chat(tokenizer: Any) -> Chat:
    return Chat(tokenizer)


def played(
    chat: Chat, exercise: Any, episodes: Sequence[Sequence[str]], prices: Rewarding = FREE, bench: Bench | None = None
) -> Group:
    engine = Recites(chat, [message for episode in episodes for message in episode])
    with Collector(engine, chat, LIMITS, prices, bench or Bench(Opens())) as collector:
        (group,) = asyncio.run(collector.groups([exercise], len(episodes), "0"))
    return group


def test_an_episode_calls_the_tools_and_is_judged_by_its_last_message(chat: Chat) -> None:
    opens = Opens()
    episodes = [
        [ASKS_CHEAP, "Answer: 42"],
        [f"Let me ask both. {ASKS_CHEAP}\n{ASKS_DEAR}", "It told me.\nAnswer: 42.0"],
        [ASKS_CHEAP, "Answer: 43"],
        [ASKS_DEAR.replace("dear", "none"), "Answer: 42"],
        [ASKS_CHEAP, f"Answer: 42 {ASKS_CHEAP}", ASKS_CHEAP, ASKS_CHEAP],
    ]
    group = played(chat, question(), episodes, bench=Bench(opens))
    assert [rollout.verdict.solved for rollout in group.rollouts] == [True, True, False, True, False]
    assert [rollout.vector.calls for rollout in group.rollouts] == [(1, 0), (1, 1), (1, 0), (0, 0), (4, 0)]
    assert [rollout.ending for rollout in group.rollouts] == ["done"] * 4 + ["turn_limit"]
    assert opens.opened == [("q1", attempt) for attempt in range(5)], "each episode has tools of its own"
    assert "43" not in group.rollouts[2].verdict.reasons[0]
    assert "42" in group.rollouts[2].verdict.reasons[0]
    brought = [message for message in group.rollouts[1].trajectory.messages if message["role"] == "tool"]
    assert [message["content"] for message in brought] == ["It is 42.", "It is 42."]
    assert [message["tool_call_id"] for message in brought] == ["call_0", "call_1"]
    (refused,) = group.rollouts[3].trajectory.calls
    assert not refused.ok
    assert "there is no tool `none`: use cheap, dear" in str(refused.error)


def test_the_prompt_shows_tools_with_their_prices_and_the_preference_after_the_question(chat: Chat) -> None:
    exercise = question(prefers(dear=1, outcome=1))
    group = played(chat, exercise, [["Answer: 42"]])
    system, user = group.rollouts[0].trajectory.messages[:2]
    assert system["content"] == "Ask one tool."
    assert user["content"] == "What is 6 times 7?\n\nPlease ask the dear model."
    prompt = chat.tokenizer.decode(group.rollouts[0].sequence.ids[: group.rollouts[0].sequence.prompt_length])
    assert "A dear model. Price: $1.00 per million tokens read, $2.00 written." in prompt


def test_every_token_is_paid_for_and_the_final_answer_is_not_free(chat: Chat) -> None:
    """The official code leaves the final answer out of the cost: the second rollout would cost what the first does."""
    prices = Rewarding(dollars_per_million_prompt_tokens=1.0, dollars_per_million_sampled_tokens=10.0)
    longer = "Let me say it slowly, and say it again, so that nobody can miss what it is. Answer: 42"
    group = played(chat, question(), [[ASKS_CHEAP, "Answer: 42"], [ASKS_CHEAP, longer]], prices)
    for rollout in group.rollouts:
        ids, sampled = rollout.sequence.ids, rollout.sequence.sampled
        starts = [place for place in range(1, len(ids)) if sampled[place] and not sampled[place - 1]]
        assert len(starts) == 2
        assert rollout.vector.dollars == pytest.approx(0.001 + (sum(starts) + 10 * sum(sampled)) / 1e6)
    brief, wordy = group.rollouts
    more = wordy.sequence.sampled_count - brief.sequence.sampled_count
    assert more > 5
    assert wordy.vector.dollars - brief.vector.dollars == pytest.approx(10 * more / 1e6)
    wanted = Rewarding(preference={"outcome": 1.0, "compute": 1.0})
    assert totals(group, question(), wanted, START) == [1.0, 0.0]


def test_the_reward_is_the_one_computed_by_hand_and_a_dear_success_earns_less(chat: Chat) -> None:
    """The official code adds cost with the wrong sign: the dearest success would earn most."""
    episodes = [
        [ASKS_CHEAP, "Answer: 42"],
        [ASKS_DEAR, "Answer: 42"],
        [ASKS_CHEAP, "Answer: 41"],
        [f"{ASKS_CHEAP}\n{ASKS_DEAR}", "Answer: 42"],
    ]
    exercise = question()
    group = played(chat, exercise, episodes)
    assert [rollout.vector.dollars for rollout in group.rollouts] == pytest.approx([0.001, 0.101, 0.001, 0.102])
    # compute, normalized: (-d + 0.102) / 0.101; outcome: 1 but for the third.
    expected = [1 + 1, 1 + 0.001 / 0.101, 0, 1 + 0]
    assert totals(group, exercise, FREE, START) == pytest.approx(expected)
    cheap, dear, _, both = totals(group, exercise, FREE, START)
    assert cheap > dear > both
    # A preference for the dear tool: m_dear normalized is 0, 1, 0, 1.
    wants_dear = Rewarding(preference={"outcome": 1.0, "dear": 0.5})
    assert totals(group, exercise, wants_dear, START) == pytest.approx([1, 1.5, 0, 1.5])
    # Outcome alone, where nothing is said.
    assert totals(group, exercise, Rewarding(), START) == [1, 1, 0, 1]


def test_seconds_are_the_tools_own_and_calls_of_one_message_go_side_by_side(chat: Chat) -> None:
    episodes = [[ASKS_CHEAP, "Answer: 42"], [f"{ASKS_CHEAP}\n{ASKS_DEAR}", "Answer: 42"]]
    quick, slow = (rollout.vector.seconds for rollout in played(chat, question(), episodes).rollouts)
    assert 500 <= quick < 4000
    assert 4000 <= slow < 4500
    group = played(chat, question(), episodes)
    assert totals(group, question(), Rewarding(preference={"latency": 1.0}), START) == [1.0, 0.0]


def test_the_preference_of_a_question_goes_before_the_configured_one(chat: Chat) -> None:
    own = question(prefers(dear=1, outcome=0.5))
    assert wanted_at(own, FREE).tolist() == [0, 1, 0.5, 0, 0]
    assert wanted_at(question(), FREE).tolist() == [0, 0, 1, 1, 0]
    group = played(chat, own, [[ASKS_CHEAP, "Answer: 42"], [ASKS_DEAR, "Answer: 42"]])
    assert totals(group, own, FREE, START) == [0.0, 1.0]


def test_a_preference_for_what_no_task_offers_is_refused() -> None:
    check_preferences([question()], FREE)
    with pytest.raises(UserError, match="no task offers chaep; there are cheap, compute, dear"):
        check_preferences([question()], Rewarding(preference={"chaep": 1.0}))
    with pytest.raises(UserError, match="3 values; 5 are needed"):
        check_preferences([question()], Rewarding(preference=[1.0, 1.0, 1.0]))


def test_the_policys_tokens_cost_what_the_questions_schedule_says_of_the_named_model(chat: Chat) -> None:
    told = Rewarding(priced_as="Qwen/Qwen3-32B")
    listed = schedule("nebius").price("Qwen/Qwen3-32B")
    assert listed is not None
    ((rollout,),) = [played(chat, question(schedule_name="nebius"), [["Answer: 42"]], told).rollouts]
    tokens = len(rollout.sequence) - rollout.sequence.sampled_count
    paid = (tokens * listed.input + rollout.sequence.sampled_count * listed.output) / 1e6
    assert rollout.vector.dollars == pytest.approx(paid)
    with pytest.raises(UserError, match="lists no nobody/knows"):
        played(chat, question(), [["Answer: 42"]], Rewarding(priced_as="nobody/knows"))


def test_what_a_program_cannot_decide_is_wrong_unless_a_judge_is_asked(chat: Chat, store: Any) -> None:
    exercise = question(answer="forty-two")
    ((without,),) = [played(chat, exercise, [["Answer: 42, that is forty two"]]).rollouts]
    assert not without.verdict.solved

    async def judged(server: OpenAIServer) -> Any:
        async with gateway_to(server, store, prices={"openai/anything": Price(input=0, output=0)}) as gateway:
            engine = Recites(chat, ["Answer: 42, that is forty two"])
            with Collector(engine, chat, LIMITS, FREE, Bench(Opens(), gateway)) as collector:
                return await collector.groups([exercise], 1, "0")

    with OpenAIServer(lambda request: '{"reason": "the same number", "correct": true}') as server:
        (group,) = asyncio.run(judged(server))
    assert group.rollouts[0].verdict.solved


def test_questions_without_a_catalogue_are_refused(chat: Chat) -> None:
    with (
        Collector(Recites(chat, []), chat, LIMITS, FREE) as collector,
        pytest.raises(UserError, match="q1 has no tools"),
    ):
        asyncio.run(collector.groups([question()], 1, "0"))


@pytest.fixture
def step() -> StepExercise:
    tool = '[{"name": "add", "parameters": {"a": {"type": "int"}, "b": {"type": "int"}}}]'
    answers = '[{"name": "add", "arguments": {"a": 1, "b": 2}}]'
    (one,), _ = steps_in([{"query": "Add 1 and 2.", "tools": tool, "answers": answers}], "here")
    return StepExercise(one)


def test_a_step_is_one_message_and_earns_toolrls_reward(chat: Chat, step: StepExercise) -> None:
    right = '<think>Add.</think>\n<tool_call>\n{"name": "add", "parameters": {"a": 1, "b": 2}}\n</tool_call>'
    episodes = [
        [right],
        [right.replace('"b": 2', '"b": 3')],
        ["I will not."],
        [right.replace("<think>Add.</think>", "")],
    ]
    group = played(chat, step, episodes)
    # 6 R / S - 3 with S = 1 + 1 + 2: all right 3; one of two values wrong 1.5; nothing -3. Format: 1, 1, 0, 0.
    assert totals(group, step, Rewarding(), START) == pytest.approx([4.0, 2.5, -3.0, 3.0])
    assert [rollout.verdict.solved for rollout in group.rollouts] == [True, False, False, False]
    assert {rollout.ending for rollout in group.rollouts} == {"done"}
    assert {len(rollout.sequence.versions) for rollout in group.rollouts} == {1}
    assert all(rollout.fault is None for rollout in group.rollouts), "the format is the reward's affair"


@pytest.mark.parametrize(
    ("settings", "share_right", "half_right"),
    [
        # p = 5 / 10. All right has format 1 and share 1; one wrong value of two has share 3/4, 1/2 where the
        # parameters count as one, 0 where the calls do. Two words of thought are 2/512, or 2/768 at p = 1/2.
        ({"schedule": "constant"}, 1 + 3, 1 + 1.5),
        ({"schedule": "equal_maxima"}, 1 + 1, 1 + 0.5),
        ({"schedule": "two_stage"}, 1 + 1, 1 + 0.5),
        ({"schedule": "dynamic"}, 1.5 + 2.5, 1.5 + 1.25),
        ({"granularity": "finegrained"}, 4, 1 + 1.5),
        ({"granularity": "intermediate"}, 4, 1 + 0),
        ({"granularity": "coarse"}, 4, 1 - 3),
        ({"length": "fixed"}, 4 + 2 / 512, 2.5 + 2 / 512),
        ({"length": "dynamic"}, 4 + 2 / 768, 2.5 + 2 / 768),
    ],
)
def test_every_design_of_toolrl_reaches_the_reward_of_a_step(
    chat: Chat, step: StepExercise, settings: dict[str, Any], share_right: float, half_right: float
) -> None:
    right = '<think>Add them.</think>\n<tool_call>\n{"name": "add", "parameters": {"a": 1, "b": 2}}\n</tool_call>'
    group = played(chat, step, [[right], [right.replace('"b": 2', '"b": 3')]])
    earned = totals(group, step, Rewarding(**settings), TrainingProgress(5, 10))
    assert earned == pytest.approx([share_right, half_right])


def test_the_second_stage_comes_with_the_thirtieth_step(chat: Chat, step: StepExercise) -> None:
    right = '<think>Add.</think>\n<tool_call>\n{"name": "add", "parameters": {"a": 1, "b": 2}}\n</tool_call>'
    group, staged = played(chat, step, [[right]]), Rewarding(schedule="two_stage")
    assert totals(group, step, staged, TrainingProgress(29, 100)) == [2.0]
    assert totals(group, step, staged, TrainingProgress(30, 100)) == [3.5]


def test_a_message_that_was_cut_is_rewarded_for_what_it_holds(chat: Chat, step: StepExercise) -> None:
    right = '<think>Add.</think>\n<tool_call>\n{"name": "add", "parameters": {"a": 1, "b": 2}}\n</tool_call>'

    class Cuts(Recites):
        async def sample(self, prompt: Sequence[int], sampling: Any) -> Completion:
            return replace(await super().sample(prompt, sampling), finished="length")

    with Collector(Cuts(chat, [right, "<tool_call>\n{"]), chat, LIMITS, FREE) as collector:
        (group,) = asyncio.run(collector.groups([step], 2, "0"))
    assert [rollout.ending for rollout in group.rollouts] == ["length_limit"] * 2
    assert not any(rollout.verdict.solved for rollout in group.rollouts)
    assert totals(group, step, Rewarding(), START) == [4.0, -3.0]
