"""The columns of a file of rollouts, with their types and what they hold. The files say it too, and so do the docs.

A column keeps its name and its meaning; what is added comes last, and is null in older files.
"""

from collections.abc import Iterator

import pyarrow as pa

from toolscale.dataset.columns import Column

VERSION = "1"
"""Rises only where a column changes its meaning."""

_FUNCTION = pa.struct([("name", pa.string()), ("arguments", pa.string())])
_TOOL_CALL = pa.struct([("id", pa.string()), ("type", pa.string()), ("function", _FUNCTION)])
_MESSAGE = pa.struct(
    [
        ("role", pa.string()),
        ("content", pa.string()),
        ("tool_calls", pa.list_(_TOOL_CALL)),
        ("tool_call_id", pa.string()),
    ]
)
_CALL = pa.struct([(name, pa.string()) for name in ("name", "arguments", "result", "error", "error_type")])
_BY_NAME = pa.map_(pa.string(), pa.float64())

COLUMNS = (
    Column("step", pa.int32(), "The step that learnt from it, from 1."),
    Column("task_id", pa.string(), "The task, question or step that was played."),
    Column("domain", pa.string(), "The task's domain; null for questions and single steps."),
    Column("group", pa.int32(), "The group's number in its step; a task that came twice in a step has two groups."),
    Column("attempt", pa.int32(), "The rollout's number in its group."),
    Column(
        "messages",
        pa.list_(_MESSAGE),
        "The conversation as OpenAI has it: `role`, `content`, `tool_calls` (`id`, `type`, `function` with `name` and "
        "`arguments` as JSON), `tool_call_id`. Thoughts are in `tokens` alone.",
    ),
    Column(
        "calls",
        pa.list_(_CALL),
        "The calls that were made: `name`, `arguments` and `result` as JSON, or `error` and `error_type`.",
    ),
    Column("ending", pa.string(), "Why it ended: `done`, a limit, `malformed`, or whoever broke it."),
    Column("fault", pa.string(), "What breaks the format of calls; null where nothing does."),
    Column(
        "solved",
        pa.bool_(),
        "Whether all three criteria hold, and the episode came to an end of its own.",
    ),
    Column("execution", pa.bool_(), "The verdict's first criterion."),
    Column("fidelity", pa.bool_(), "The second."),
    Column("completeness", pa.bool_(), "The third."),
    Column("reasons", pa.list_(pa.string()), "A sentence for each thing that the verdict found wrong."),
    Column("reward", pa.float64(), "R."),
    Column(
        "reward_parts",
        _BY_NAME,
        "What R is the sum of, by name, each with its weight: `preference`; or `format`, `correctness` and `length` of "
        "ToolRL; or those of `rewarding.parts`.",
    ),
    Column("measured", _BY_NAME, "M: calls of each tool that was offered, `outcome`, minus dollars, minus seconds."),
    Column("wanted", _BY_NAME, "P, by the same names; null where no preference counts."),
    Column(
        "preference_parts",
        _BY_NAME,
        "What M . P is the sum of: each element of M, normalized over the group, times P; 0 if unsolved.",
    ),
    Column(
        "advantage", pa.float64(), "In its group; null where the group's rewards hardly differ, or it does not count."
    ),
    Column(
        "left_out",
        pa.string(),
        "Why nothing was learnt from it: `homogeneous_group`, `broken_group`, `malformed`, `unanswered`, "
        "`environment_error`, `user_error`, `nothing_sampled`; null where something was.",
    ),
    Column("dollars", pa.float64(), "What it cost, at the task's prices."),
    Column(
        "seconds", pa.float64(), "What it took; the one column that depends on the clock, with what follows from it."
    ),
    Column("policy_versions", pa.list_(pa.int32()), "Steps that the weights behind each message had taken."),
    Column("prompt_tokens", pa.int32(), "Tokens before the first sampled one; the first so many of `ids`."),
    Column(
        "ids", pa.list_(pa.int32()), "Every token of the sequence, as the model read it. The lists below are as long."
    ),
    Column("sampled", pa.list_(pa.bool_()), "Which of them the policy chose: the mask of the loss."),
    Column(
        "tokens",
        pa.list_(pa.string()),
        "What each spells after the prompt; null within it. A character of several tokens stands at the last of them.",
    ),
    Column(
        "engine_logprobs",
        pa.list_(pa.float32()),
        "Log-probability of each sampled token when the engine sampled it; null elsewhere, as in the lists below.",
    ),
    Column(
        "trainer_logprobs",
        pa.list_(pa.float32()),
        "The same by the trainer, before the update; the list is null where nothing was learnt.",
    ),
    Column(
        "updated_logprobs",
        pa.list_(pa.float32()),
        "The same after the update; the list is null but in every `logging.rescore_every`-th step.",
    ),
    Column(
        "token_advantages",
        pa.list_(pa.float32()),
        "What each token's loss was weighted with; PPO's differ in a rollout.",
    ),
)

SCHEMA = pa.schema([column.field for column in COLUMNS], metadata={"toolscale_rollouts": VERSION})


def dictionary() -> Iterator[str]:
    """The columns as the lines of a Markdown table."""
    yield "| column | type | |"
    yield "| --- | --- | --- |"
    for column in COLUMNS:
        yield f"| `{column.name}` | {_short(column.type)} | {column.says} |"


def _short(kind: pa.DataType) -> str:
    if pa.types.is_map(kind):
        return "map of text to double"
    if pa.types.is_list(kind):
        return f"list of {_short(kind.value_type)}"
    if pa.types.is_struct(kind):
        return "struct"
    return "text" if pa.types.is_string(kind) else str(kind)
