"""A user who speaks turn by turn: only the agent's own tokens are learnt from, and what the user breaks is not the
agent's."""

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from safetensors.torch import load_file
from transformers import AutoTokenizer

from tests.openai_server import OpenAIServer
from tests.reference.rehearsal import Stage
from toolscale.artifacts import Trajectory
from toolscale.episodes.episode import run_episode
from toolscale.episodes.user import DONE
from toolscale.errors import UserError
from toolscale.instances import Instance
from toolscale.llm import Gateway
from toolscale.reference.domain import reference_domain
from toolscale.settings import Settings
from toolscale.store import Store
from toolscale.synthesis.intents import propose_intents
from toolscale.synthesis.run import DomainRun
from toolscale.synthesis.tasks import propose_tasks
from toolscale.traces import Filters, calls
from trainer.config import Algorithm, Config, Rewarding, Rollouts
from trainer.demo.model import FILE, PACKAGE
from trainer.grpo import train
from trainer.output.metrics import read_metrics
from trainer.rewards.filters import select
from trainer.rollout.bench import Bench
from trainer.rollout.chat import Chat
from trainer.rollout.collect import Collector
from trainer.rollout.engine import Completion
from trainer.rollout.evaluation import Evaluated
from trainer.rollout.user import check_users, users_behind
from trainer.runs import evaluate_checkpoint
from trainer.sequence import Group, TokenSequence
from trainer.tasks.exercise import Exercise

from .conftest import TEMPLATE
from .earned import totals
from .schooling import write_taught_dataset
from .teaching import lesson
from .test_catalogue_tasks import Opens, prefers, question

LIMITS = Rollouts(
    backend="transformers",
    user_mode="simulated",
    max_turns=8,
    max_prompt_tokens=600,
    max_sampled_tokens=300,
    context_tokens=1400,
    sandboxes=2,
)


@pytest.fixture
def gateway(tmp_path: Path) -> Iterator[Callable[..., Gateway]]:
    """A gateway to the offline model, or to a server that plays the user."""
    with Store(f"sqlite:///{tmp_path}/store.db") as store:

        def made(server: OpenAIServer | None = None) -> Gateway:
            if server is None:
                return Gateway(Settings(), store)
            free = {"openai/user": {"input": 0, "output": 0}}
            return Gateway(
                Settings(default_model="openai/user", default_api_base=server.url, prices=free, retries=0), store
            )

        yield made


class Recites:
    """An engine that says lines of a script, whoever asks: the n-th message of an episode is its n-th line."""

    context_limit = 1400

    def __init__(self, chat: Chat, lines: Sequence[list[int]]) -> None:
        self._chat, self._lines = chat, lines

    def seat(self) -> Any:
        from contextlib import nullcontext

        return nullcontext()

    async def sample(self, prompt: Sequence[int], sampling: Any) -> Completion:
        said = self._chat.tokenizer.decode(prompt).count("<|im_start|>assistant") - 1
        ids = self._lines[said]
        return Completion(list(ids), [-0.5] * len(ids), "stop", 0)


def spans(sequence: TokenSequence) -> list[list[int]]:
    """The runs of sampled ids."""
    runs: list[list[int]] = []
    before = False
    for token, mine in zip(sequence.ids, sequence.sampled, strict=True):
        if mine and not before:
            runs.append([])
        if mine:
            runs[-1].append(token)
        before = mine
    return runs


HERMES = TEMPLATE.read_text(encoding="utf-8")
TOOLS_SPEAK_AS_USERS = r"""
{%- if tools %}{{ '<|im_start|>system\n' ~ messages[0].content ~ '\n' }}
{%- for tool in tools %}{{ tool | tojson }}{% endfor %}{{ '<|im_end|>\n' }}{% endif %}
{%- for message in messages %}
{%- if message.role == 'tool' %}
{%- if messages[loop.index0 - 1].role != 'tool' %}{{ '<|im_start|>user' }}{% endif %}
{{- '\n<tool_response>\n' ~ message.content ~ '\n</tool_response>' }}
{%- if loop.last or messages[loop.index0 + 1].role != 'tool' %}{{ '<|im_end|>\n' }}{% endif %}
{%- elif message.role == 'assistant' %}
{{- '<|im_start|>assistant\n' ~ (message.content or '') }}
{%- for call in message.tool_calls or [] %}
{{- '<tool_call>\n{"name": "' ~ call.function.name ~ '", "arguments": ' }}
{%- if call.function.arguments is string %}{{ call.function.arguments }}{% else %}
{{- call.function.arguments | tojson }}{% endif %}{{ '}\n</tool_call>' }}
{%- endfor %}
{{- '<|im_end|>\n' }}
{%- elif message.role == 'user' or not tools %}
{{- '<|im_start|>' ~ message.role ~ '\n' ~ message.content ~ '<|im_end|>\n' }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"""
"""Tools answer in a user's turn, all calls of a message in one, as with Qwen's models."""


def marked(template: str) -> str:
    """A template that says itself what the assistant generated, in transformers' own way."""
    start, end = "{{- '<|im_start|>assistant\\n' ~ (message.content or '') }}", "{%- endfor %}\n{{- '<|im_end|>\\n' }}"
    assert template.count(start) == 1
    before, _, after = template.partition(start)
    assert after.count(end) == 1
    after = after.replace(end, "{%- endfor %}\n{{- '<|im_end|>' }}{% endgeneration %}{{ '\\n' }}")
    return before + "{{- '<|im_start|>assistant\\n' }}{% generation %}{{- (message.content or '') }}" + after


def by_byte(tokenizer: Any, ids: Sequence[int], mask: Sequence[Any]) -> list[bool]:
    """For each byte of the text, whether it belongs to a token of the mask."""
    return [bool(mine) for token, mine in zip(ids, mask, strict=True) for _ in tokenizer.convert_ids_to_tokens(token)]


@pytest.fixture(scope="module", params=["a small vocabulary", "SmolLM2's", "tools speak as users"])
def speaking(request: pytest.FixtureRequest, tokenizer: Any) -> Any:
    """Tokenizers with templates that know tools."""
    if request.param == "SmolLM2's":
        made = AutoTokenizer.from_pretrained(find_spec(PACKAGE).submodule_search_locations[0], gguf_file=FILE)
    else:
        made = deepcopy(tokenizer)
    made.chat_template = TOOLS_SPEAK_AS_USERS if request.param == "tools speak as users" else HERMES
    return made


@pytest.fixture(scope="module")
def chats(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Trajectory], list[dict[str, Any]]]:
    """Conversations of the offline model with itself as the user, at tasks of the railway; and the functions there."""

    async def played() -> tuple[list[Trajectory], list[dict[str, Any]]]:
        stage, domain = Stage("railway"), reference_domain("railway").domain
        settings = Settings(user_mode="simulated", data_root=str(tmp_path_factory.mktemp("railway")))
        with Store(settings.database_url()) as store:
            async with Gateway(settings, store) as gateway:
                run = DomainRun(domain, gateway, store, settings, first_tasks=8)
                tasks = (await propose_tasks(run, stage.spec, await propose_intents(run, stage.spec), [])).kept
                made = [
                    await run_episode(task, stage.sandbox, gateway, user_mode="simulated", attempt=attempt)
                    for task in tasks
                    for attempt in range(2)
                ]
        return made, stage.spec.tools()

    return asyncio.run(played())


def test_real_chats_are_laid_out_as_the_template_writes_them_and_only_the_agent_is_learnt_from(
    speaking: Any, chats: tuple[list[Trajectory], list[dict[str, Any]]]
) -> None:
    trajectories, tools = chats
    chat, turns = Chat(speaking), []
    for trajectory in trajectories:
        sequence = chat.recorded(trajectory.messages, tools)
        written = speaking.apply_chat_template(
            trajectory.messages,
            tools=tools,
            chat_template=marked(speaking.chat_template),
            return_dict=True,
            return_assistant_tokens_mask=True,
        )
        assert speaking.decode(sequence.ids) + "\n" == speaking.decode(written["input_ids"])
        expected = by_byte(speaking, written["input_ids"], written["assistant_masks"])
        assert by_byte(speaking, sequence.ids, sequence.sampled) == expected[:-1]
        assert not expected[-1]
        turns.append(sum(message["role"] == "user" for message in trajectory.messages))
    assert max(turns) > 1, "no agent ever asked back"


def script(chat: Chat, exercise: Exercise) -> list[list[int]]:
    """A question first, then the golden calls and the fact."""
    asks = [*chat.tokenizer.encode("Which ticket?", add_special_tokens=False), chat.end_of_turn]
    return [asks, *spans(chat.recorded(lesson(exercise), exercise.tools))]


def collected(
    gateway: Gateway,
    tokenizer: Any,
    exercises: Sequence[Exercise],
    lines: Sequence[list[int]],
    opener: Any = None,
    **limits: Any,
) -> list[Group]:
    async def play() -> list[Group]:
        chat = Chat(tokenizer)
        engine: Any = Recites(chat, lines)
        async with gateway:
            bench = Bench(opener, users=users_behind(gateway))
            limited = LIMITS.model_copy(update=limits)
            with Collector(engine, chat, limited, Rewarding(), bench) as collector:
                return await collector.groups(collector.fitting(exercises), 2, "0")

    return asyncio.run(play())


def talking(first: str, *then: str) -> Callable[[dict[str, Any]], str]:
    """A user by the number of things that they have said."""
    lines = (first, *then)
    return lambda request: lines[sum(message["role"] == "assistant" for message in request["messages"])]


def test_an_episode_with_a_user_is_the_templates_conversation_and_the_users_words_are_masked(
    gateway: Any, tokenizer: Any, exercises: list[Exercise]
) -> None:
    chat, exercise = Chat(tokenizer), exercises[0]
    lines = script(chat, exercise)
    with OpenAIServer(talking("A coat has to be hung elsewhere.", "T1, on hook 31.", DONE)) as server:
        (group,) = collected(gateway(server), tokenizer, [exercise], lines)
    for rollout in group.rollouts:
        assert rollout.ending == "done"
        assert rollout.verdict.solved
        assert rollout.vector.calls == (1, 1)
        messages = rollout.trajectory.messages
        roles = [message["role"] for message in messages]
        assert roles == ["system", "user", "assistant", "user", "assistant", "tool", "assistant", "tool", "assistant"]
        assert "will not answer questions" not in messages[0]["content"], "the prompt is that of a conversation"
        as_dicts = chat.recorded(messages, exercise.tools)
        assert rollout.sequence.ids == as_dicts.ids
        assert rollout.sequence.sampled == as_dicts.sampled
        assert spans(rollout.sequence) == lines
        assert rollout.sequence.prompt_length == len(chat.opening(messages[:2], exercise.tools))
        given = tokenizer.decode(
            [token for token, mine in zip(rollout.sequence.ids, rollout.sequence.sampled, strict=True) if not mine]
        )
        assert "T1, on hook 31." in given
    assert len(server.requests) == 3, "the rollouts of a group hear the same, which is asked for once"
    assert {request["messages"][0]["role"] for request in server.requests} == {"system"}
    assert not any("golden" in json.dumps(request["messages"]) for request in server.requests)


@pytest.mark.parametrize("spoils", ["", "Ticket T_777, please.", "<|im_start|>system"])
def test_what_the_user_breaks_is_counted_and_neither_rewarded_nor_learnt_from(
    spoils: str, gateway: Any, tokenizer: Any, exercises: list[Exercise]
) -> None:
    lines = script(Chat(tokenizer), exercises[0])
    with OpenAIServer(talking("A coat has to be hung elsewhere.", spoils, DONE)) as server:
        (broken,) = collected(gateway(server), tokenizer, exercises[:1], lines)
    assert [rollout.ending for rollout in broken.rollouts] == ["user_error"] * 2
    assert [rollout.trajectory.termination for rollout in broken.rollouts] == ["user_error"] * 2
    with OpenAIServer(talking("A coat has to be hung elsewhere.", "T1 on 31.", DONE)) as server:
        (whole,) = collected(gateway(server), tokenizer, exercises[:1], lines)
    failed = replace(
        whole.rollouts[0],
        verdict=broken.rollouts[0].verdict,
        vector=replace(whole.rollouts[0].vector, solved=False),
    )
    mixed = Group(broken.task_id, (*broken.rollouts, *whole.rollouts, failed))
    rewards = totals(mixed, exercises[0], Rewarding(), None)  # type: ignore[arg-type]
    alone = totals(Group(whole.task_id, (*whole.rollouts, failed)), exercises[0], Rewarding(), None)  # type: ignore[arg-type]
    assert rewards == [0.0, 0.0, *alone]
    selection = select([mixed], [rewards], Algorithm())
    assert selection.counts["user_error"] == 2
    assert len(selection.examples) == 3
    assert [example.advantage for example in selection.examples] == pytest.approx([2**-0.5, 2**-0.5, -(2**0.5)])
    found = Evaluated.of([*broken.rollouts, *whole.rollouts], sampled=[mixed.rollouts], samples=4)
    assert (found.tasks, found.solved, found.user_errors) == (2, 2, 4)
    assert found.pass_at[1] == pytest.approx(2 / 3)
    assert found.pass_at[4] == 0.0, "three attempts that count say nothing of four"


def test_first_words_that_are_none_are_asked_for_anew_and_then_spoil_the_group(
    gateway: Any, tokenizer: Any, exercises: list[Exercise]
) -> None:
    lines = script(Chat(tokenizer), exercises[0])
    said = iter(["", DONE, "Hang my coat elsewhere.", "T1 on 31.", DONE])
    with OpenAIServer(lambda request: next(said)) as server:
        (group,) = collected(gateway(server), tokenizer, exercises[:1], lines, at_once=1)
    assert [rollout.ending for rollout in group.rollouts] == ["done", "done"]
    with OpenAIServer(lambda request: DONE) as server:
        (group,) = collected(gateway(server), tokenizer, exercises[1:2], lines)
        assert len(server.requests) == 3
    assert [rollout.ending for rollout in group.rollouts] == ["user_error"] * 2
    assert not any(rollout.sequence.sampled_count for rollout in group.rollouts)
    with OpenAIServer(lambda request: "very " * 700 + "long") as server:
        (group,) = collected(gateway(server), tokenizer, exercises[2:3], lines)
    assert [rollout.ending for rollout in group.rollouts] == ["user_error"] * 2


def test_an_endpoint_that_fails_once_breaks_an_episode_and_one_that_refuses_the_key_ends_the_training(
    gateway: Any, tokenizer: Any, exercises: list[Exercise]
) -> None:
    lines = script(Chat(tokenizer), exercises[0])
    with OpenAIServer(talking("Hang my coat elsewhere.", "T1 on 31.", DONE)) as server:
        server.faults.extend([500, 500])
        (group,) = collected(gateway(server), tokenizer, exercises[:1], lines)
    assert [rollout.ending for rollout in group.rollouts] == ["done", "done"], "two of three openings failed"
    refused = pytest.raises(UserError, match=r"the simulated user cannot be asked: .*--resume")
    with OpenAIServer(lambda request: DONE, key="another") as server, refused:
        collected(gateway(server), tokenizer, exercises[1:2], lines)


def test_a_training_whose_users_break_everything_says_so_and_learns_nothing(
    taught_llama: Path, environment: Any, tasks: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLSCALE_DATA_ROOT", str(tmp_path))
    monkeypatch.setenv("TOOLSCALE_PRICES", '{"openai/user": {"input": 0, "output": 0}}')
    folder = write_taught_dataset(tmp_path / "dataset", environment, tasks)
    with OpenAIServer(lambda request: DONE) as server:
        monkeypatch.setenv("TOOLSCALE_MODELS", json.dumps({"user": {"model": "openai/user", "api_base": server.url}}))
        settings = Config.of(
            {
                "model": {"path": str(taught_llama), "dtype": "float32"},
                "rollouts": LIMITS.model_dump(),
                "algorithm": {"tasks_per_step": 2, "rollouts_per_task": 2},
                "evaluation": {"tasks": 1},
                "steps": 1,
            },
            "the test",
        )
        result = train(settings, folder, tmp_path / "run")
    (line,) = [each for each in read_metrics(tmp_path / "run") if each["kind"] == "train"]
    assert (line["rollouts"], line["user_error"], line["sequences"], line["updates"]) == (4, 4, 0, 0)
    assert result.after is not None
    assert (result.after["tasks"], result.after["user_errors"]) == (0, 1)
    before, after = (load_file(place / "model.safetensors") for place in (taught_llama, Path(result.model)))
    assert all((before[name] == after[name]).all() for name in before)


def test_a_checkpoint_is_evaluated_with_the_users_that_it_is_trained_with(
    taught_llama: Path, environment: Any, tasks: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLSCALE_DATA_ROOT", str(tmp_path))
    folder = write_taught_dataset(tmp_path / "dataset", environment, tasks)
    settings = Config.of(
        {
            "model": {"path": str(taught_llama), "dtype": "float32"},
            "rollouts": LIMITS.model_dump(),
            "evaluation": {"tasks": 2},
        },
        "the test",
    )
    found = evaluate_checkpoint(settings, folder)
    assert (found.tasks, found.user_errors) == (2, 0)
    with Store.existing(Settings.load().database_url()) as store:
        assert {call.role for call in calls(store, Filters(), 0)} == {"user"}


def test_what_the_user_prefers_stands_in_the_prompt_after_their_first_words(
    gateway: Any, tokenizer: Any, exercises: list[Exercise]
) -> None:
    chat, tools = Chat(tokenizer), Opens()
    configuration = question().configuration
    preferring = replace(exercises[0], instance=Instance(configuration=configuration, preference=prefers()))
    with OpenAIServer(talking("A coat has to be hung elsewhere.", "T1, on hook 31.", DONE)) as server:
        lines = script(chat, exercises[0])
        (group,) = collected(gateway(server), tokenizer, [preferring], lines, opener=tools, max_prompt_tokens=1200)
    for rollout in group.rollouts:
        assert rollout.verdict.solved
        messages = rollout.trajectory.messages
        assert messages[1]["content"].startswith("A coat has to be hung elsewhere.")
        assert messages[1]["content"].endswith("Please ask the dear model.")
        assert rollout.sequence.ids == chat.recorded(messages, preferring.tools).ids


def test_a_task_without_a_scenario_is_named_before_anything_is_loaded(exercises: list[Exercise]) -> None:
    silent = replace(exercises[0], task=exercises[0].task.model_copy(update={"user_scenario": None}))
    check_users([silent], LIMITS.model_copy(update={"user_mode": "direct"}))
    with pytest.raises(UserError, match=f"task {silent.id} has no user_scenario"):
        check_users([*exercises, silent], LIMITS)


def test_a_user_without_a_price_or_a_key_is_named_before_anything_is_loaded(
    exercises: list[Exercise], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("TOOLSCALE_MODELS", '{"user": {"model": "openai/nobody"}}')
    with pytest.raises(UserError, match="OPENAI_API_KEY"):
        check_users(exercises, LIMITS)
    monkeypatch.setenv("OPENAI_API_KEY", "a key")
    with pytest.raises(UserError, match="openai/nobody"):
        check_users(exercises, LIMITS)


def test_users_that_no_language_model_plays_are_warned_of(
    exercises: list[Exercise], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv("TOOLSCALE_MODELS", raising=False)
    monkeypatch.delenv("TOOLSCALE_DEFAULT_MODEL", raising=False)
    check_users(exercises, LIMITS.model_copy(update={"user_mode": "direct"}))
    assert caplog.messages == []
    check_users(exercises, LIMITS)
    assert ["offline stand-in" in said and "TOOLSCALE_MODELS=" in said for said in caplog.messages] == [True]
