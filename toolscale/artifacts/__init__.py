"""What passes between the stages: frozen pydantic models, each named after its content."""

from toolscale.artifacts.base import Artifact, Json, Name, canonical_json, content_id
from toolscale.artifacts.domain import PRESENT, Domain, Intent, Subject
from toolscale.artifacts.entry import Database, Entry
from toolscale.artifacts.environment import EnvironmentSpec
from toolscale.artifacts.function import Function, FunctionSpec
from toolscale.artifacts.kinds import OPERATORS, FactKind, Operator
from toolscale.artifacts.program import (
    Bound,
    DrawnTwist,
    Fact,
    Facts,
    Goal,
    ProgramAnswer,
    ProgramTwist,
    ProgramWording,
    TaskProgram,
    Told,
)
from toolscale.artifacts.reject import Reject
from toolscale.artifacts.rule import Rule
from toolscale.artifacts.schema import DatabaseSchema, Reference, refers_elsewhere, schema_problems
from toolscale.artifacts.task import (
    DIFFICULTIES,
    GATES,
    MUST_PASS,
    Attempt,
    Difficulty,
    GateName,
    GateOutcome,
    GoldenCall,
    Instructions,
    Lineage,
    StatedLimit,
    Task,
    UserScenario,
    task_id,
)
from toolscale.artifacts.trajectory import Call, CallOutcome, EntryRef, Termination, Trajectory, Verdict

__all__ = [
    "DIFFICULTIES",
    "GATES",
    "MUST_PASS",
    "OPERATORS",
    "PRESENT",
    "Artifact",
    "Attempt",
    "Bound",
    "Call",
    "CallOutcome",
    "Database",
    "DatabaseSchema",
    "Difficulty",
    "Domain",
    "DrawnTwist",
    "Entry",
    "EntryRef",
    "EnvironmentSpec",
    "Fact",
    "FactKind",
    "Facts",
    "Function",
    "FunctionSpec",
    "GateName",
    "GateOutcome",
    "Goal",
    "GoldenCall",
    "Instructions",
    "Intent",
    "Json",
    "Lineage",
    "Name",
    "Operator",
    "ProgramAnswer",
    "ProgramTwist",
    "ProgramWording",
    "Reference",
    "Reject",
    "Rule",
    "StatedLimit",
    "Subject",
    "Task",
    "TaskProgram",
    "Termination",
    "Told",
    "Trajectory",
    "UserScenario",
    "Verdict",
    "canonical_json",
    "content_id",
    "refers_elsewhere",
    "schema_problems",
    "task_id",
]
