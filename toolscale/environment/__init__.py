"""A domain made executable: its folder, the sandbox that runs its functions, and what calls did to its state."""

from toolscale.environment.folder import load_environment, write_environment
from toolscale.environment.inside.modules import MODULES_ON_DEMAND, PRELOADED_MODULES
from toolscale.environment.limits import Limits
from toolscale.environment.replay import FATAL, Replay, state_differences
from toolscale.environment.rules import NOT_CHECKABLE, BrokenRule, Trail, not_checkable_in, rules_in
from toolscale.environment.sandbox import Sandbox
from toolscale.environment.session import Session
from toolscale.environment.structure import ABSENT, EntryChange, FieldChange, diff, equal

__all__ = [
    "ABSENT",
    "FATAL",
    "MODULES_ON_DEMAND",
    "NOT_CHECKABLE",
    "PRELOADED_MODULES",
    "BrokenRule",
    "EntryChange",
    "FieldChange",
    "Limits",
    "Replay",
    "Sandbox",
    "Session",
    "Trail",
    "diff",
    "equal",
    "load_environment",
    "not_checkable_in",
    "rules_in",
    "state_differences",
    "write_environment",
]
