"""`toolscale audit`, whatever it is given: a dataset or environment of ours, a tau2-bench domain, published rows."""

import tempfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from toolscale.dataset.audit import audit
from toolscale.dataset.hidden_inputs import hidden_inputs_below
from toolscale.errors import UserError
from toolscale.exchange.published import is_published
from toolscale.exchange.report import Report
from toolscale.exchange.row_audit import audit_rows
from toolscale.exchange.tau2_import import import_tau2, is_tau2_folder
from toolscale.exchange.tau_bench import import_tau_bench, is_tau_bench

OnProgress = Callable[[int, int], None]


def audit_anything(path: Path, progress: OnProgress | None = None) -> dict[str, Any]:
    """The report on whatever lies at `path`; `progress` hears how many of how many tasks are done.

    A domain of tau2-bench or tau-bench is imported for it, and what could not be imported stands in the report under
    `left_out`. Rows without an environment are checked without running anything, and the report says what that leaves
    open.

    Raises:
        UserError: the path holds nothing that can be audited, or what it holds is malformed.
    """
    if path.is_dir() and is_tau2_folder(path):
        return _imported(path, import_tau2, progress)
    if path.is_dir() and is_tau_bench(path):
        return _imported(path, import_tau_bench, progress)
    if path.exists() and not _is_ours(path) and is_published(path):
        return audit_rows(path)
    if command := _command_for(path):
        raise UserError(f"{path}: {command}")
    return _audited(path, progress)


def _audited(path: Path, progress: OnProgress | None) -> dict[str, Any]:
    """The gates' report, and which functions take in what no call says, which is information and no fault."""
    report = audit(path, progress).as_json()
    return {**report, "hidden_inputs": [found.as_json() for found in hidden_inputs_below(path)]}


def _is_ours(path: Path) -> bool:
    return any((path / name).exists() for name in ("functions.json", "database.json", "tasks"))


def _command_for(path: Path) -> str | None:
    """What to do with something of others that is no set of tasks by itself; None for anything else."""
    if path.is_file() and path.suffix == ".json":
        return (
            "no tasks to audit; runs of tau2-bench or tau-bench become trajectories by `toolscale import "
            f"{path} --format tau2 (or tau-bench) --out RUNS`, and `toolscale check` judges them"
        )
    if (path / "tasks.json").is_file() and any((path / name).is_file() for name in ("db.json", "db.toml")):
        return (
            "a tau2-bench domain without its tools: first `toolscale import "
            f"{path} --tools FOLDER_OF_TOOLS_PY --out ENVIRONMENT`, then audit that"
        )
    return None


def _imported(path: Path, bring_in: Callable[[Path, Path], Report], progress: OnProgress | None) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / path.resolve().name
        imported = bring_in(path, folder)
        report = _audited(folder, progress)
    return {**report, "left_out": [asdict(one) for one in imported.left_out]}
