"""Every rollout is written down as it was, once a step, whole or not at all; anything that reads Parquet reads it."""

import json
import math
import random
from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from toolscale.artifacts import CallOutcome, Trajectory, Verdict  # noqa: E402
from toolscale.errors import UserError  # noqa: E402
from toolscale.rewards import RewardVector  # noqa: E402
from toolscale.rewards.toolrl import TrainingProgress  # noqa: E402
from trainer.config import Algorithm, Rewarding  # noqa: E402
from trainer.learning.batches import Played  # noqa: E402
from trainer.learning.watch import Watch  # noqa: E402
from trainer.record.columns import SCHEMA, dictionary  # noqa: E402
from trainer.record.files import RolloutFiles  # noqa: E402
from trainer.record.pieces import Pieces  # noqa: E402
from trainer.record.rows import table_of  # noqa: E402
from trainer.rewards.filters import select  # noqa: E402
from trainer.rewards.rewarding import group_rewards  # noqa: E402
from trainer.sequence import Group, TokenSequence  # noqa: E402

from .chance import groups, learner, plain_logprobs, policy, rollout, sequence, write_model  # noqa: E402

FREE = Rewarding()
HOSTILE = (
    "</script><script>document.title='broken'</script><img src=x onerror=\"document.title='broken'\">"
    "<!--{{ 7 * 7 }}{% raw %}\u202e\x1b[2J\x00"
)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return write_model(tmp_path_factory.mktemp("model"))


@pytest.mark.parametrize(
    "algorithm",
    [
        {},
        {"old_policy": "recompute"},
        {"minibatches": 2, "epochs_per_batch": 2},
        {"old_policy": "recompute", "minibatches": 2, "epochs_per_batch": 2},
    ],
    ids=str,
)
def test_each_token_is_told_as_the_policy_had_it_before_and_after(model, algorithm):
    pupil = learner(policy(model), algorithm, {"tokens_per_microbatch": 40, "learning_rate": 1e-2})
    batch, rewards = groups(random.Random(0), 3)
    every = [each.sequence for group in batch for each in group.rollouts]
    before = [plain_logprobs(pupil.policy.model, each).detach() for each in every]
    watch = Watch(rescores=True)
    pupil.update(batch, rewards, 0, watch)
    after = [plain_logprobs(pupil.policy.model, each).detach() for each in every]
    # With minibatches the later ones begin where the earlier ones left the policy.
    first = every if algorithm.get("minibatches", 1) == 1 else every[:4]
    for each, old, new in zip(every, before, after, strict=True):
        figures = watch.tokens(each)
        assert figures is not None
        assert figures.updated is not None
        if any(each is one for one in first):
            np.testing.assert_allclose(figures.trainer, old, atol=1e-4)
        np.testing.assert_allclose(figures.updated, new, atol=1e-4)
        assert figures.advantages == pytest.approx([watch.advantage(each)] * each.sampled_count)
    assert max(np.abs(old - new).max() for old, new in zip(before, after, strict=True)) > 1e-3


def test_what_is_not_asked_for_is_not_scored_again(model):
    watch = Watch()
    batch, rewards = groups(random.Random(0), 1)
    learner(policy(model)).update(batch, rewards, 0, watch)
    assert watch.tokens(batch[0].rollouts[0].sequence).updated is None


def test_a_watched_update_is_the_same_update(model):
    batch, rewards = groups(random.Random(1), 2)
    watched, alone = (learner(policy(model), optimization={"learning_rate": 1e-2}) for _ in range(2))
    assert watched.update(batch, rewards, 0, Watch(rescores=True)) == alone.update(batch, rewards, 0)
    for name, tensor in watched.tensors().items():
        assert torch.equal(tensor, alone.tensors()[name])


def test_who_is_left_out_has_its_reason():
    draw = random.Random(3)
    endings = ["done", "malformed", "turn_limit", "environment_error", "done"]
    members = [rollout(sequence(draw, [1]), ending) for ending in endings]
    members.append(rollout(TokenSequence.of_prompt([1])))
    alike = [rollout(sequence(draw, [2])) for _ in range(2)]
    watch = Watch()
    watch.selected(
        select(
            [Group("a", tuple(members)), Group("b", tuple(alike))],
            [[0.0, 0.0, 0.0, 0.0, 1.0, 0.0], [1.0, 1.0]],
            Algorithm(drop_malformed=True),
        )
    )
    reasons = [watch.left_out(each.sequence) for each in (*members, *alike)]
    assert reasons == [
        *[None, "malformed", "unanswered", "environment_error", None, "nothing_sampled"],
        *["homogeneous_group", "homogeneous_group"],
    ]
    advantages = [watch.advantage(each.sequence) for each in (*members, *alike)]
    assert [each is None for each in advantages] == [False, False, False, True, False, False, True, True]
    assert advantages[0] == pytest.approx(-0.5)


def named(task_id, calls, *, solved, dollars=0.0, seconds=0.0, ending="done", attempt=0):
    """An episode of which the calls, the outcome and the price matter."""
    return replace(
        rollout(TokenSequence([1, 2, 3], [False, True, True], [0.0, -1.0, -2.0], 1, [4]), ending),
        trajectory=Trajectory(task_id=task_id, attempt=attempt, calls=[CallOutcome(name=name) for name in calls]),
        verdict=Verdict(execution=solved, fidelity=solved, completeness=solved),
        vector=RewardVector.of(
            Trajectory(task_id=task_id, calls=[CallOutcome(name=name) for name in calls]),
            ("find_coat", "hang_coat"),
            solved=solved,
            dollars=dollars,
            seconds=seconds,
        ),
    )


OUTCOMES = st.lists(
    st.tuples(st.lists(st.sampled_from(["find_coat", "hang_coat"]), max_size=3), st.booleans(), st.floats(0, 2)),
    min_size=1,
    max_size=5,
)


@given(OUTCOMES, st.lists(st.floats(0, 1), min_size=5, max_size=5))
@settings(deadline=None, max_examples=60)
def test_the_parts_add_up_to_the_reward_by_preference(exercises, tokenizer, drawn, wanted):
    members = [
        named("a", calls, solved=solved, dollars=paid, attempt=place)
        for place, (calls, solved, paid) in enumerate(drawn)
    ]
    broken = named("a", [], solved=True, ending="user_error", attempt=len(drawn))
    rewarding = Rewarding(parts={"preference": 0.5, "matched_calls": 2.0}, preference=wanted)
    rows = rows_of(Group("a", (*members, broken)), exercises[0], tokenizer, rewarding)
    for row in rows[:-1]:
        assert sum(row["reward_parts"].values()) == pytest.approx(row["reward"])
        assert 0.5 * sum(row["preference_parts"].values()) == pytest.approx(row["reward_parts"]["preference"])
        assert list(row["wanted"].values()) == wanted
    assert (rows[-1]["reward"], rows[-1]["reward_parts"], rows[-1]["preference_parts"]) == (0.0, {}, None)


def test_the_parts_of_toolrls_reward_are_its_own(exercises, tokenizer):
    group = Group("a", (named("a", ["find_coat"], solved=False),))
    (row,) = rows_of(group, exercises[0], tokenizer, Rewarding(kind="toolrl"))
    assert set(row["reward_parts"]) == {"format", "correctness"}
    assert sum(row["reward_parts"].values()) == pytest.approx(row["reward"])
    assert row["wanted"] is None


@pytest.mark.parametrize("text", ["Hang it up.", " leading space", "naïve 漢字 🧥🧥 mixed", "", "\n\n\t"])
def test_pieces_together_are_the_text(tokenizer, text):
    ids = tokenizer.encode(text, add_special_tokens=False)
    pieces = Pieces(tokenizer).of(ids)
    assert len(pieces) == len(ids)
    assert "".join(pieces) == text


@given(st.lists(st.integers(0, 600), max_size=30))
@settings(deadline=None, max_examples=50)
def test_any_ids_have_pieces(tokenizer, ids):
    assert len(Pieces(tokenizer).of(ids)) == len(ids)


def hostile(exercise, tokenizer, attempt=0):
    """A rollout whose every text wants out of where it is shown."""
    call = {"id": HOSTILE, "type": "function", "function": {"name": HOSTILE, "arguments": json.dumps({"a": HOSTILE})}}
    messages = [*exercise.messages, {"role": "assistant", "content": f"{HOSTILE}\ud800", "tool_calls": [call]}]
    messages += [{"role": "tool", "tool_call_id": HOSTILE, "content": HOSTILE}]
    ids = tokenizer.encode(HOSTILE, add_special_tokens=False)
    played = TokenSequence.of_prompt([1, 2, 3])
    played.append_sampled(ids, [-0.5] * len(ids), 7)
    return replace(
        named(exercise.id, ["find_coat"], solved=attempt == 0),
        task_id=exercise.id,
        sequence=played,
        trajectory=Trajectory(
            task_id=exercise.id,
            attempt=attempt,
            messages=messages,
            calls=[CallOutcome(name=HOSTILE, arguments={"a": "\ud800"}, result=HOSTILE)],
        ),
        verdict=Verdict(execution=attempt == 0, fidelity=True, completeness=True, reasons=[HOSTILE]),
        fault=HOSTILE,
    )


def table(group, exercise, tokenizer, rewarding=FREE, step=1):
    """The table of a step with one group."""
    rewards = group_rewards(group, exercise, rewarding, TrainingProgress())
    watch = Watch()
    watch.selected(select([group], [[reward.total for reward in rewards]], Algorithm()))
    return table_of(step, {0: Played(exercise, group, rewards, teaches=True)}, rewarding, watch, Pieces(tokenizer))


def rows_of(group, exercise, tokenizer, rewarding):
    return table(group, exercise, tokenizer, rewarding).to_pylist(maps_as_pydicts="strict")


def written(exercise, tokenizer, step=1):
    """The rows of a step with one group of two hostile rollouts."""
    group = Group(exercise.id, (hostile(exercise, tokenizer), hostile(exercise, tokenizer, 1)))
    return table(group, exercise, tokenizer, step=step)


def test_duckdb_and_pandas_read_the_columns_as_they_are_described(exercises, tokenizer, tmp_path):
    import duckdb
    import pandas as pd

    file = RolloutFiles(tmp_path).write(1, [written(exercises[0], tokenizer)])
    found = duckdb.sql(
        "select reward, preference_parts['outcome'], wanted['outcome'], measured['outcome'], messages[-1].content, "
        "calls[1].name, len(ids), len(sampled), len(tokens), len(engine_logprobs), trainer_logprobs, policy_versions "
        f"from '{file}' order by attempt"
    ).fetchall()
    assert [row[:4] for row in found] == [(1.0, 1.0, 1.0, 1.0), (0.0, 0.0, 1.0, 0.0)]
    assert found[0][4:6] == (HOSTILE, HOSTILE)
    assert len(set(found[0][6:10])) == 1
    assert found[0][10:] == (None, [7])
    frame = pd.read_parquet(file)
    assert list(frame.columns) == SCHEMA.names
    (row, _) = frame.to_dict("records")
    assert "".join(row["tokens"][row["prompt_tokens"] :]) == HOSTILE
    assert [math.isnan(each) for each in row["engine_logprobs"]] == [not each for each in row["sampled"]]


def test_half_a_character_of_a_models_is_written_as_a_question_mark(exercises, tokenizer, tmp_path):
    files = RolloutFiles(tmp_path)
    files.write(1, [written(exercises[0], tokenizer)])
    row = files.read(1)[0]
    assert row["messages"][-2]["content"] == f"{HOSTILE}?"
    assert json.loads(row["calls"][0]["arguments"]) == {"a": "?"}


def test_the_newest_files_are_kept_and_those_that_will_be_made_again_are_not(exercises, tokenizer, tmp_path):
    table = written(exercises[0], tokenizer)
    files = RolloutFiles(tmp_path, keep=2)
    for step in (1, 2, 3):
        files.write(step, [table])
    assert files.steps() == [2, 3]
    (tmp_path / ".step-00000004.parquet").write_bytes(b"half")
    files.forget_after(2)
    assert [file.name for file in tmp_path.iterdir()] == ["step-00000002.parquet"]


def test_a_step_that_could_not_be_written_leaves_what_was_there(exercises, tokenizer, tmp_path, monkeypatch):
    files = RolloutFiles(tmp_path)
    table = written(exercises[0], tokenizer)
    before = files.write(1, [table]).read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("trainer.record.files.os.fsync", full)
    with pytest.raises(UserError, match="No space left"):
        files.write(1, [table.slice(0, 1)])
    assert files.at(1).read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"PAR1 no", None])
def test_what_holds_no_rollouts_is_refused(content, exercises, tokenizer, tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = tmp_path / "step-00000001.parquet"
    if content is None:
        pq.write_table(pa.table({"a": [1]}), file)
    else:
        file.write_bytes(content)
    with pytest.raises(UserError, match="step-00000001"):
        RolloutFiles(tmp_path).read(1)


def test_the_docs_have_the_columns(request):
    page = (request.config.rootpath / "docs" / "training.md").read_text(encoding="utf-8")
    assert "\n".join(dictionary()) in page
