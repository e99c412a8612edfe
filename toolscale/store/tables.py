"""The tables of the store.

A new table needs nothing else: it is made when a store is opened. A new column needs a step in ``formats.py``, so that
the stores that are there already get it.
"""

from datetime import datetime

from sqlmodel import BigInteger, Field, Index, SQLModel, Text

_SUMMED = ("role", "model", "status", "prompt_tokens", "completion_tokens", "cached_tokens", "dollars")
"""What sums of the ledger need of a call. An index that has it spares them the rows, which are mostly answers."""


class ModelCall(SQLModel, table=True):
    """One call that an endpoint answered or refused. An answered one is the cache's entry for its key."""

    __tablename__ = "model_call"
    __table_args__ = (
        Index("ix_model_call_sums_by_domain", "domain", "stage", *_SUMMED),
        Index("ix_model_call_sums_by_run", "run", "stage", "domain", *_SUMMED),
        Index("ix_model_call_created_at", "created_at"),
    )

    key: str = Field(primary_key=True, description="Hash of all that the answer depends on.")
    created_at: datetime
    role: str
    stage: str = Field(index=True)
    domain: str
    task: str | None = Field(default=None, index=True, description="Id of the task on whose behalf; null = of none.")
    run: str | None = Field(default=None, description="Id of the run that paid for it: budgets sum by it.")
    endpoint: str
    model: str
    sample: int
    tools: str | None = Field(default=None, description="The `ToolList` that was offered.")
    request: str = Field(default="{}", sa_type=Text, description="JSON: messages and parameters by `RequestPart`.")
    response: str | None = Field(default=None, sa_type=Text, description="JSON: message and finish reason; else null.")
    checksum: int | None = Field(
        default=None, sa_type=BigInteger, description="CRC-32 of the key and the response as UTF-8."
    )
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int | None = Field(
        default=None, description="Of the prompt's, what the provider had cached; null in calls of older versions."
    )
    cache_write_tokens: int | None = Field(default=None, description="Of the prompt's, what it wrote to its cache.")
    dollars: float | None = Field(default=None, description="Null where the price is not known.")
    seconds: float
    status: str = Field(index=True, description="`ok`, or the error's class.")
    error: str | None = Field(default=None, description="What the endpoint said, in one line.")


class RequestPart(SQLModel, table=True):
    """A message or a long parameter, kept once however many calls repeat it: conversations grow turn by turn."""

    __tablename__ = "request_part"

    hash: str = Field(primary_key=True)
    body: str = Field(sa_type=Text, description="JSON.")


class ToolList(SQLModel, table=True):
    """Tools that an agent was offered, kept once however many calls repeat them."""

    __tablename__ = "tool_list"

    hash: str = Field(primary_key=True)
    tools: str = Field(sa_type=Text, description="JSON: OpenAI tools.")


class KnownMode(SQLModel, table=True):
    """How typed answers are asked for at an endpoint, as its first call found out."""

    __tablename__ = "known_mode"

    endpoint: str = Field(primary_key=True)
    model: str = Field(primary_key=True)
    form: str = Field(primary_key=True, description="Hash of the one schema that it holds for; empty = every other.")
    mode: str = Field(description="`schema`, `json` or `text`.")


class Wording(SQLModel, table=True):
    """A request as a model reworded it. It is asked for among others, and kept by itself."""

    __tablename__ = "wording"

    key: str = Field(primary_key=True, description="Hash of the request, who was asked, and with which prompt.")
    domain: str = Field(index=True)
    task: str = Field(description="Of the call that was answered with it.")
    said: str = Field(sa_type=Text, description="JSON: the text, with marks in place of its pieces.")


class BudgetShare(SQLModel, table=True):
    """What one process has drawn on a budget that several spend."""

    __tablename__ = "budget_share"

    run: str = Field(primary_key=True, description="Id of the run whose budget it is.")
    member: str = Field(primary_key=True, description="Id of the process's share; `paid` = of all who are done.")
    calls: int
    dollars: float
    calls_out: int = Field(description="Calls in flight.")
    dollars_out: float = Field(description="What these may cost.")


class BatchJob(SQLModel, table=True):
    """Calls that were sent together and are answered later: a batch of OpenAI's Batch API."""

    __tablename__ = "batch_job"

    id: str = Field(primary_key=True, description="Ours; the endpoint keeps it with the batch.")
    created_at: datetime
    endpoint: str
    api_base: str | None = None
    model: str
    batch: str | None = Field(default=None, description="The endpoint's id; null until it has said so.")
    status: str = Field(default="gathered", description="`gathered`, then the endpoint's own words.")
    calls: int
    answered: int = 0
    failed: int = 0
    closed: bool = Field(default=False, description="True once every answer is in `model_call`, or none will come.")
    error: str | None = None


class BatchCall(SQLModel, table=True):
    """A call that is answered by a batch."""

    __tablename__ = "batch_call"

    job: str = Field(primary_key=True)
    key: str = Field(primary_key=True, description="Of the `ModelCall` that it becomes.")
    purpose: str = Field(description="JSON: role, stage, domain and task.")
    sample: int
    tools: str | None = Field(default=None, description="The `ToolList` that was offered.")
    request: str = Field(sa_type=Text, description="JSON: messages and parameters; empty once the job is closed.")


class GateResult(SQLModel, table=True):
    """How a task fared at one gate."""

    __tablename__ = "gate_result"
    __table_args__ = (Index("ix_gate_result_by_task", "domain", "task_id", "gate", "passed"),)

    task_id: str = Field(primary_key=True)
    gate: str = Field(primary_key=True)
    domain: str
    passed: bool
    reasons: str = Field(default="[]", sa_type=Text, description="JSON: list of sentences.")


class AttemptRow(SQLModel, table=True):
    """One of the agent's attempts at a task, and its verdict."""

    __tablename__ = "attempt"

    task_id: str = Field(primary_key=True)
    index: int = Field(primary_key=True)
    domain: str = Field(index=True)
    execution: bool
    fidelity: bool
    completeness: bool
    solved: bool
    user_fault: bool = False
    turns: int = 0
    termination: str = ""
    reasons: str = Field(default="[]", sa_type=Text, description="JSON: list of sentences.")
