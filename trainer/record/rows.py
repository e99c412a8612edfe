"""The rollouts of a step as rows."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from toolscale.artifacts import CallOutcome
from toolscale.dataset.chats import message_row
from toolscale.rewards import normalized, stacked
from toolscale.rewards.preference import BEYOND_TOOLS
from trainer.config import Rewarding
from trainer.learning.batches import Played
from trainer.learning.watch import Watch
from trainer.record.columns import SCHEMA
from trainer.record.pieces import Pieces
from trainer.rewards.parts import weights_at
from trainer.sequence import Rollout, TokenSequence
from trainer.tasks.exercise import Exercise, Playable
from trainer.tasks.preferences import wanted_at

Row = dict[str, Any]


def table_of(step: int, played: Mapping[int, Played], rewarding: Rewarding, watch: Watch, pieces: Pieces) -> pa.Table:
    """The rollouts of these groups, in their order; each group's number is that over all processes."""
    rows = []
    for number, each in played.items():
        rewards = _rewards(each, rewarding)
        for rollout, rewarded in zip(each.group.rollouts, rewards, strict=True):
            own = {"step": step, "group": number, **rewarded, **_verdict(rollout), **_tokens(rollout, watch, pieces)}
            rows.append({**_episode(rollout, each.exercise), **own})
    return pa.Table.from_pylist(_writable(rows), schema=SCHEMA)


def _episode(rollout: Rollout, exercise: Playable) -> Row:
    trajectory = rollout.trajectory
    return {
        "task_id": rollout.task_id,
        "domain": exercise.environment.domain if isinstance(exercise, Exercise) else None,
        "attempt": trajectory.attempt,
        "messages": [message_row(message) for message in trajectory.messages],
        "calls": [_call(call) for call in trajectory.calls],
        "ending": rollout.ending,
        "fault": rollout.fault,
        "measured": _named(rollout, rollout.vector.as_array()),
        "dollars": rollout.vector.dollars,
        "seconds": rollout.vector.seconds,
    }


def _verdict(rollout: Rollout) -> Row:
    criteria = rollout.verdict.model_dump(include={"execution", "fidelity", "completeness", "reasons"})
    return {"solved": rollout.solved, **criteria}


def _rewards(played: Played, rewarding: Rewarding) -> list[Row]:
    """R of each rollout of a group, and what it is made of."""
    weights = weights_at(played.exercise, rewarding)
    shares = _shares(played, rewarding) if "preference" in weights else {}
    wanted = wanted_at(played.exercise, rewarding) if "preference" in weights else None
    return [
        {
            "reward": reward.total,
            "reward_parts": {name: weights[name] * value for name, value in reward.parts.items()},
            "wanted": None if wanted is None else _named(rollout, wanted),
            "preference_parts": shares.get(rollout.trajectory.attempt),
        }
        for rollout, reward in zip(played.group.rollouts, played.rewards, strict=True)
    ]


def _shares(played: Played, rewarding: Rewarding) -> dict[int, dict[str, float]]:
    """Attempt -> what each element of M, normalized over the rollouts that count, adds to M . P; 0 if unsolved."""
    counting = [rollout for rollout in played.group.rollouts if rollout.counts]
    if not counting:
        return {}
    vectors = [rollout.vector for rollout in counting]
    shares = normalized(stacked(vectors)) * wanted_at(played.exercise, rewarding)
    return {
        rollout.trajectory.attempt: _named(rollout, row * rollout.vector.solved)
        for rollout, row in zip(counting, shares, strict=True)
    }


def _tokens(rollout: Rollout, watch: Watch, pieces: Pieces) -> Row:
    """Lists as long as the sequence, null where there is nothing to say; and what the update made of it."""
    sequence = rollout.sequence
    after = sequence.ids[sequence.prompt_length :]
    figures = watch.tokens(sequence)
    own = [logprob for logprob, sampled in zip(sequence.logprobs, sequence.sampled, strict=True) if sampled]
    return {
        "advantage": watch.advantage(sequence),
        "left_out": watch.left_out(sequence),
        "policy_versions": sequence.versions,
        "prompt_tokens": sequence.prompt_length,
        "ids": sequence.ids,
        "sampled": sequence.sampled,
        "tokens": [*([None] * sequence.prompt_length), *pieces.of(after)],
        "engine_logprobs": _spread(sequence, own),
        "trainer_logprobs": _spread(sequence, figures.trainer if figures else None),
        "updated_logprobs": _spread(sequence, figures.updated if figures else None),
        "token_advantages": _spread(sequence, figures.advantages if figures else None),
    }


def _spread(sequence: TokenSequence, of_sampled: Sequence[float] | None) -> list[float | None] | None:
    """Figures of the sampled tokens, each at its place in the whole sequence."""
    if of_sampled is None:
        return None
    figures = iter(of_sampled)
    return [next(figures) if sampled else None for sampled in sequence.sampled]


def _call(call: CallOutcome) -> Row:
    return {
        "name": call.name,
        "arguments": json.dumps(call.arguments, ensure_ascii=False),
        "result": json.dumps(call.result, ensure_ascii=False) if call.error is None else None,
        "error": call.error,
        "error_type": call.error_type,
    }


def _named(rollout: Rollout, values: Iterable[float]) -> dict[str, float]:
    """Values in the order of M, by name."""
    names = (*rollout.vector.tools, *BEYOND_TOOLS)
    return {name: float(value) for name, value in zip(names, values, strict=True)}


def _writable(value: Any) -> Any:
    """The value with texts that can be written: a model may spell half a character (`\\ud800`), which UTF-8 lacks."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, Mapping):
        return {name: _writable(each) for name, each in value.items()}
    if isinstance(value, list) and value and isinstance(value[0], dict | str):
        return [_writable(each) for each in value]
    return value
