"""The tables of the store."""

from datetime import datetime

from sqlmodel import Field, SQLModel, Text


class ModelCall(SQLModel, table=True):
    """One call that an endpoint answered or refused. An answered one is the cache's entry for its key."""

    __tablename__ = "model_call"

    key: str = Field(primary_key=True, description="Hash of all that the answer depends on.")
    created_at: datetime
    role: str
    stage: str = Field(index=True)
    domain: str = Field(index=True)
    endpoint: str
    model: str
    sample: int
    tools: str | None = Field(default=None, description="The `ToolList` that was offered.")
    request: str = Field(sa_type=Text, description="JSON: messages and parameters.")
    response: str | None = Field(default=None, sa_type=Text, description="JSON: message and finish reason; else null.")
    prompt_tokens: int
    completion_tokens: int
    dollars: float | None = Field(default=None, description="Null where the price is not known.")
    seconds: float
    status: str = Field(index=True, description="`ok`, or the error's class.")
    error: str | None = Field(default=None, description="What the endpoint said, in one line.")


class ToolList(SQLModel, table=True):
    """Tools that an agent was offered, kept once however many calls repeat them."""

    __tablename__ = "tool_list"

    hash: str = Field(primary_key=True)
    tools: str = Field(sa_type=Text, description="JSON: OpenAI tools.")


class GateResult(SQLModel, table=True):
    """How a task fared at one gate."""

    __tablename__ = "gate_result"

    task_id: str = Field(primary_key=True)
    gate: str = Field(primary_key=True)
    domain: str = Field(index=True)
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
