"""The dictionary of columns: of every config each column, its Arrow type and what it holds, in one place.

The Parquet files carry it as the metadata of their fields, the card and the docs as tables. Arguments are JSON strings:
one struct over all functions would be padded with nulls, and passing such arguments on fails.
"""

from collections.abc import Mapping
from typing import NamedTuple

import pyarrow as pa


class Column(NamedTuple):
    """A column of a config."""

    name: str
    type: pa.DataType
    says: str
    """What it holds, and what the fields inside of it do."""

    @property
    def field(self) -> pa.Field:
        """The column as Arrow has it, which says what it holds too."""
        return pa.field(self.name, self.type, metadata={"description": self.says})


_TEXT, _COUNT, _SHARE, _TRUTH = pa.string(), pa.int64(), pa.float64(), pa.bool_()
_TEXTS = pa.list_(_TEXT)


def _texts(*names: str) -> list[tuple[str, pa.DataType]]:
    return [(name, _TEXT) for name in names]


_INSTRUCTIONS = pa.struct(
    _texts("domain", "reason_for_call", "known_info", "unknown_info", "task_instructions"),
)
_CRITERIA = pa.struct(
    [
        ("actions", pa.list_(pa.struct(_texts("action_id", "name", "arguments")))),
        ("communicate_info", _TEXTS),
        ("nl_assertions", _TEXTS),
    ]
)
_VERDICT = [("execution", _TRUTH), ("fidelity", _TRUTH), ("completeness", _TRUTH), ("reasons", _TEXTS)]
_ATTEMPT = pa.struct(
    [
        ("index", _COUNT),
        ("model", _TEXT),
        ("solved", _TRUTH),
        *_VERDICT,
        ("user_fault", _TRUTH),
        ("turns", _COUNT),
        ("termination", _TEXT),
    ]
)
_LIMIT = pa.struct(
    [("says", _TEXT), ("call", _COUNT), ("field", _TEXT)]
    + [(bound, _SHARE) for bound in ("at_most", "at_least", "equal")]
)
_FACT_KIND = pa.struct(_texts("fact", "kind"))
_PASS_RATE = pa.struct(
    [
        *_texts("model", "user_model"),
        ("temperature", _SHARE),
        ("max_turns", _COUNT),
        ("attempts", _COUNT),
        ("solved", _COUNT),
        ("rate", _SHARE),
    ]
)
_GOAL = pa.struct([*_texts("program", "draw", "drawn"), ("twists", _TEXTS)])
_LINEAGE = pa.struct(
    {
        "parent": _TEXT,
        "depth": _COUNT,
        "added": _TEXT,
        "goals": pa.list_(_GOAL),
        "reworded": _TRUTH,
        "pruned": _TEXTS,
    }
)
_TOOL_CALL = pa.struct([*_texts("id", "type"), ("function", pa.struct(_texts("name", "arguments")))])
_MESSAGE = pa.struct([*_texts("role", "content"), ("tool_calls", pa.list_(_TOOL_CALL)), ("tool_call_id", _TEXT)])

TERMS: list[tuple[str, pa.DataType]] = [
    ("price", pa.struct([("input", _SHARE), ("output", _SHARE)])),
    ("listed_by", _TEXT),
    ("fee", _SHARE),
    ("seconds", _SHARE),
]
"""What an offered tool costs and how long it takes."""
_TOOL = pa.struct([*_texts("name", "kind", "description", "parameters"), *TERMS, ("shown", _TEXT)])
_PREFERENCE = pa.struct([*_texts("id", "theme", "instruction", "explanation"), ("vector", pa.list_(_SHARE))])

_ENDING = (
    Column("prompt_tokens", _COUNT, "Tokens that the agent read."),
    Column("completion_tokens", _COUNT, "Tokens that the agent wrote."),
)
_CHAT = (
    Column("task_id", _TEXT, "The task that was attempted."),
    Column("domain", _TEXT, "The domain."),
    Column("attempt", _COUNT, "Which of the attempts at the task it is: its `index` in the task's `attempts`."),
    Column("prompt_id", _TEXT, "The row of the config `prompts` with the system prompt and the tools."),
    Column(
        "messages",
        pa.list_(_MESSAGE),
        "The chat from the user's first message on, as OpenAI has it: `role`, `content`, `tool_calls` (`id`, `type`, "
        "`function` with `name` and `arguments` as JSON), and the `tool_call_id` that a tool's message answers.",
    ),
    Column("calls", _TEXT, "The calls and what came of each, in order, as JSON."),
)

COLUMNS: Mapping[str, tuple[Column, ...]] = {
    "tasks": (
        Column("id", _TEXT, "Follows from the content: the same task has the same id."),
        Column("prompt", _TEXT, "All that the user says, as the first message to the agent; empty if nothing is said."),
        Column(
            "description",
            pa.struct(_texts("purpose", "notes")),
            "In short: `purpose` is what the user wants, `notes` what made the task harder than its parent.",
        ),
        Column(
            "user_scenario",
            pa.struct([("persona", _TEXT), ("instructions", _INSTRUCTIONS)]),
            "Who the user is (`persona`) and what the user may say (`instructions`), in parts: `domain`, "
            "`reason_for_call`, `known_info`, `unknown_info`, `task_instructions`.",
        ),
        Column(
            "evaluation_criteria",
            _CRITERIA,
            "What is right: the golden calls (`actions`: `action_id`, `name`, `arguments` as JSON; null where the "
            "database is not judged), what the user must be told (`communicate_info`), and statements for a judge "
            "(`nl_assertions`), which programs do not read.",
        ),
        Column(
            "fact_kinds",
            pa.list_(_FACT_KIND),
            "What `kind` of value each `fact` of `communicate_info` is: amount, count, quantity, number, date, time, "
            "name, id, address or words.",
        ),
        Column(
            "asked",
            pa.list_(pa.struct(_texts("fact", "words"))),
            "The `words` of the user that ask for a `fact`, where the teacher named them.",
        ),
        Column(
            "limits",
            pa.list_(_LIMIT),
            "What the user limits, where the teacher named it: what the user `says`, and the `field` of the result or "
            "the arguments of a golden `call` (by its place) that is `at_most`, `at_least` or `equal` to a number.",
        ),
        Column("domain", _TEXT, "The domain."),
        Column("intent", _TEXT, "The purpose that the task serves, one of the domain's list."),
        Column("user", _TEXT, "The record of the database that says who the user is; null where no record does."),
        Column("tools_used", _TEXTS, "The functions that the golden calls use, each once, in order."),
        Column("call_count", _COUNT, "How many golden calls there are."),
        Column("write_count", _COUNT, "How many of them change the database."),
        Column(
            "lineage",
            _LINEAGE,
            "Where it comes from: `parent` is the task that it was made of, null for a first task; `depth` how often "
            "it was made harder; `added` what was added last; `pruned` the calls of the draft that nothing needed and "
            "that were taken out. `goals` are what task programs drew, one for each thing the user wants: the "
            "`program`, the seed of the `draw`, the names of its `twists`, and as JSON the facts and how they are "
            "joined (`drawn`); empty if it was drafted whole. `reworded`: whether a model put it into other words.",
        ),
        Column(
            "operator",
            _TEXT,
            "What its author put in last to make it hard, by name: constraint, condition, entities, change_of_mind, "
            "second_goal, lookup, missing, refusal, distractor, computed, dependent or recovery; null for most first "
            "tasks.",
        ),
        Column(
            "ancestors",
            pa.list_(pa.struct(_texts("id", "added"))),
            "The whole chain that it evolved from, the first task first: the `id` of each ancestor, kept or not, and "
            "what it `added` to the one before, null where that is not known.",
        ),
        Column(
            "difficulty",
            _TEXTS,
            "What makes it hard, read from what its calls and facts do: any of look-up, multi-hop, arithmetic, "
            "conditional, refusal, recovery, dependent.",
        ),
        Column(
            "attempts",
            pa.list_(_ATTEMPT),
            "The builder's own attempts: `index`, `model`, whether it `solved` the task, by the criteria `execution`, "
            "`fidelity` and `completeness`, and the `reasons` if not; `user_fault` where the simulated user broke it "
            "off; `turns` of the agent; `termination`, what ended it.",
        ),
        Column(
            "attempts_ended",
            _TEXT,
            "Why no further attempts were made: `first_success`, or `certain` that the pass rate of all would lie in a "
            "wanted band or outside it; null if all were.",
        ),
        Column("pass_rate", _SHARE, "The share of these that solved it; null if the first success was to end them."),
        Column(
            "pass_rates",
            pa.list_(_PASS_RATE),
            "The same by `model`, the builder's own first, with its settings (`user_model`, null where the instruction "
            "was the first message; `temperature`, null where the provider decided; `max_turns`): `attempts` that "
            "count, how many of them `solved` it, and the `rate`, null if the first success was to end them.",
        ),
        Column("environment", _TEXT, "The row of the config `environments` in which it plays."),
        Column("split", _TEXT, "`train` or `eval`, as the file's name says."),
        Column("unseen_domain", _TRUTH, "`eval` only: no task of `train` is of the domain."),
        Column("unseen_intent", _TRUTH, "`eval` only: no task of the domain in `train` has the intent."),
        Column("unseen_user", _TRUTH, "`eval` only: a record is the user (`user`), and of no task in `train`."),
        Column(
            "unseen_entities",
            _TRUTH,
            "`eval` only: the golden calls name records, and none that a golden call of the domain in `train` names.",
        ),
    ),
    "environments": (
        Column("id", _TEXT, "What tasks name in `environment`; it follows from the content."),
        Column("domain", _TEXT, "The domain."),
        Column("now", _TEXT, "The present, as ISO 8601: the clock stands still."),
        Column("policy", _TEXT, "The rules that an agent must follow."),
        Column("functions", _TEXT, "What an agent may call: name, kind, description, parameters; as JSON."),
        Column("source", _TEXT, "The functions as Python."),
        Column("rules", _TEXT, "The rules that programs check, as Python; empty = none."),
        Column("database", _TEXT, "The database where every task begins, as JSON."),
        Column("json_schema", _TEXT, "The JSON Schema of the database, or JSON's null."),
        Column("seed", _COUNT, "What the functions draw by."),
    ),
    "prompts": (
        Column("id", _TEXT, "What attempts name in `prompt_id`; it follows from the content."),
        Column("domain", _TEXT, "The domain."),
        Column("system_prompt", _TEXT, "What the agent was told first: how to work, the present, and the policy."),
        Column("tools", _TEXT, "The functions on offer in OpenAI's form, as JSON."),
    ),
    "trajectories": (*_CHAT, *_ENDING),
    "failed_attempts": (
        *_CHAT,
        Column("execution", _TRUTH, "Whether the database ended as it should."),
        Column("fidelity", _TRUTH, "Whether the user was told what must be told."),
        Column("completeness", _TRUTH, "Whether everything was looked up that had to be."),
        Column("reasons", _TEXTS, "What was wrong, a sentence each."),
        *_ENDING,
    ),
    "rejects": (
        Column("domain", _TEXT, "The domain."),
        Column("stage", _TEXT, "The stage that refused it."),
        Column("check", _TEXT, "The check or gate that it failed."),
        Column("reasons", _TEXTS, "Why, a sentence each."),
        Column("raw", _TEXT, "What was refused, as JSON."),
    ),
    "preferences": (
        Column("id", _TEXT, "Follows from the content."),
        Column("theme", _TEXT, "What it is about."),
        Column("instruction", _TEXT, "What the user says, after a task's own instruction."),
        Column("explanation", _TEXT, "What is meant, for people."),
        Column("tools", _TEXTS, "The tools that it is about."),
        Column("vector", pa.list_(_SHARE), "One figure from 0 to 1 for each tool, then outcome, compute, latency."),
        Column("split", _TEXT, "`train` or `eval`."),
    ),
}
"""Config -> its columns, in their order."""

INSTANCE_COLUMNS: tuple[Column, ...] = (
    Column("configuration", _TEXT, "The id of the tool configuration: what `schedule` and `tools` are the whole of."),
    Column("schedule", _TEXT, "The price schedule of this task's tools."),
    Column(
        "tools",
        pa.list_(_TOOL),
        "The catalogue's tools that the task offers beside its functions: `name`, `kind`, `description`, `parameters` "
        "(JSON), `price` of a model's tokens in dollars per million (`input`, `output`; `listed_by` whom, empty = the "
        "catalogue itself), `fee` of a call, typical `seconds` where known, and `shown`, the description as the agent "
        "reads it.",
    ),
    Column(
        "preference",
        _PREFERENCE,
        "What the task's user prefers, null where that is nothing: `id`, `theme`, the `instruction` that is put after "
        "the task's own, `explanation`, and `vector`, P of `tools` in their order, then outcome, compute, latency.",
    ),
)
"""Columns of `tasks` in a dataset with instances, after the others; questions have them too."""

SCHEMAS: Mapping[str, pa.Schema] = {
    config: pa.schema([column.field for column in columns]) for config, columns in COLUMNS.items()
}
"""Config -> its Arrow schema. Written down, so that an empty column has the same type as a full one."""

LATER: Mapping[str, frozenset[str]] = {
    "tasks": frozenset(
        {
            "prompt",
            "fact_kinds",
            "asked",
            "limits",
            "difficulty",
            "operator",
            "user",
            "tools_used",
            "call_count",
            "write_count",
            "ancestors",
            "pass_rates",
        }
        | {"unseen_domain", "unseen_user"}
    ),
    "trajectories": frozenset({"prompt_id"}),
}
"""Config -> the columns that datasets of earlier versions lack, which are read all the same."""
