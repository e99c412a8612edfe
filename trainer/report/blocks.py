"""The rollouts of a step as the page has them: a line of the list for each, and all the rest group by group."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from toolscale.packed import packed
from trainer.report.packing import rounded, shown

Row = Mapping[str, Any]
"""Of a file of rollouts; see `trainer.record.columns`."""

COLUMNS = (
    *("step", "task_id", "domain", "group", "attempt", "messages", "calls", "ending", "fault", "solved", "execution"),
    *("fidelity", "completeness", "reasons", "reward", "reward_parts", "measured", "wanted", "preference_parts"),
    *("advantage", "left_out", "dollars", "seconds", "policy_versions", "prompt_tokens", "sampled", "tokens"),
    *("engine_logprobs", "trainer_logprobs", "updated_logprobs", "token_advantages"),
)
"""What of a file the page is made from."""

MOST_TOKENS = 10_000
"""Of one rollout, after its prompt."""
MOST_SAID = 140
"""Characters of what the user says, in the list."""
STEP_BYTES = 2**20
"""Of one step's groups, as the page has them; the other groups are in the list, and whole in the Parquet file."""


@dataclass(frozen=True)
class StepBlocks:
    """A step on the page."""

    step: int
    groups: list[dict[str, Any]]
    """For the list: each group, and each of its rollouts in a line."""
    blocks: dict[int, str]
    """Group -> everything about it, packed."""

    @property
    def size(self) -> int:
        """Bytes on the page, nearly."""
        return sum(map(len, self.blocks.values())) + 200 * sum(len(group["rollouts"]) for group in self.groups)


def step_blocks(step: int, rows: Sequence[Row]) -> StepBlocks:
    """A step from the rows of its file, which come group by group."""
    groups: list[dict[str, Any]] = []
    blocks: dict[int, str] = {}
    room = STEP_BYTES
    for number, members in groupby(rows, key=lambda row: int(row["group"])):
        rollouts = list(members)
        groups.append(_listed(rollouts))
        block = packed(_told(rollouts))
        if len(block) <= room or not blocks:
            blocks[number] = block
            room -= len(block)
    return StepBlocks(step, groups, blocks)


def _listed(rollouts: Sequence[Row]) -> dict[str, Any]:
    """A group in the list."""
    first = rollouts[0]
    said = next((message["content"] or "" for message in first["messages"] if message["role"] == "user"), "")
    return {
        "group": first["group"],
        "task": shown(first["task_id"]),
        "domain": first["domain"],
        "says": shown(" ".join(said[: 4 * MOST_SAID].split())[:MOST_SAID]),
        "rollouts": [
            {
                "attempt": row["attempt"],
                "solved": row["solved"],
                "ending": row["ending"],
                "reward": rounded(row["reward"]),
                "advantage": rounded(row["advantage"]),
                "left_out": row["left_out"],
                "calls": len(row["calls"]),
                "sampled": sum(row["sampled"]),
            }
            for row in rollouts
        ],
    }


def _told(rollouts: Sequence[Row]) -> dict[str, Any]:
    """Everything about a group. What all its conversations begin with stands there once."""
    common = _alike([row["messages"] for row in rollouts])
    words: dict[str, int] = {}
    return {
        "opening": [_message(message) for message in rollouts[0]["messages"][:common]],
        "rollouts": [_rollout(row, common, words) for row in rollouts],
        "words": list(words),
    }


def _rollout(row: Row, common: int, words: dict[str, int]) -> dict[str, Any]:
    return {
        "attempt": row["attempt"],
        "messages": [_message(message) for message in row["messages"][common:]],
        "calls": [{name: shown(text) for name, text in call.items()} for call in row["calls"]],
        "ending": row["ending"],
        "fault": shown(row["fault"]),
        "solved": row["solved"],
        "criteria": {name: row[name] for name in ("execution", "fidelity", "completeness")},
        "reasons": [shown(reason) for reason in row["reasons"]],
        "reward": rounded(row["reward"]),
        "parts": _named(row["reward_parts"]),
        "measured": _named(row["measured"]),
        "wanted": _named(row["wanted"]),
        "shares": _named(row["preference_parts"]),
        "advantage": rounded(row["advantage"]),
        "left_out": row["left_out"],
        "dollars": rounded(row["dollars"], 6),
        "seconds": rounded(row["seconds"], 2),
        "versions": row["policy_versions"],
        "prompt_tokens": row["prompt_tokens"],
        **_tokens(row, words),
    }


def _tokens(row: Row, words: dict[str, int]) -> dict[str, Any]:
    """The tokens after the prompt, by their place among `words`; figures of the sampled ones, in thousandths."""
    start = row["prompt_tokens"]
    end = min(len(row["tokens"]), start + MOST_TOKENS)
    sampled = row["sampled"][start:end]
    return {
        "tokens": [words.setdefault(shown(piece) or "", len(words)) for piece in row["tokens"][start:end]],
        "more_tokens": len(row["tokens"]) - end,
        "runs": [sum(1 for _ in run) for run in _runs(sampled)],
        **{
            name: None
            if row[column] is None
            else [_thousandths(row[column][start + place]) for place, mine in enumerate(sampled) if mine]
            for name, column in (
                ("engine", "engine_logprobs"),
                ("trainer", "trainer_logprobs"),
                ("updated", "updated_logprobs"),
                ("advantages", "token_advantages"),
            )
        },
    }


def _runs(sampled: Sequence[bool]) -> Iterator[Iterator[bool]]:
    """Stretches of tokens, given and sampled ones in turn; the first, of given ones, may be empty."""
    if sampled and sampled[0]:
        yield iter(())
    for _, run in groupby(sampled):
        yield run


def _thousandths(value: float | None) -> int | None:
    finite = rounded(value, 3)
    return None if finite is None else round(1000 * finite)


def _message(message: Row) -> dict[str, Any]:
    calls = message["tool_calls"] or []
    return {
        "role": shown(message["role"]),
        "content": shown(message["content"]),
        "calls": [[shown(call["function"]["name"]), shown(call["function"]["arguments"])] for call in calls],
    }


def _named(figures: Mapping[str, float] | None) -> dict[str, float | None] | None:
    return None if figures is None else {shown(name) or "": rounded(value, 6) for name, value in figures.items()}


def _alike(conversations: Sequence[Sequence[Any]]) -> int:
    """How many messages all conversations begin with in common, before the agent's first."""
    count = 0
    for together in zip(*conversations, strict=False):
        if together[0]["role"] == "assistant" or any(message != together[0] for message in together):
            break
        count += 1
    return count
