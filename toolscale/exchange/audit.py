"""`toolscale audit`, whatever it is given: a dataset or environment of ours, a tau2-bench domain, published rows."""

import tempfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from toolscale.dataset.audit import audit
from toolscale.dataset.hidden_inputs import hidden_inputs_below
from toolscale.exchange.published import is_published
from toolscale.exchange.row_audit import audit_rows
from toolscale.exchange.tau2_import import import_tau2, is_tau2_folder

OnProgress = Callable[[int, int], None]


def audit_anything(path: Path, progress: OnProgress | None = None) -> dict[str, Any]:
    """The report on whatever lies at `path`; `progress` hears how many of how many tasks are done.

    A tau2-bench domain is imported for it, and what could not be imported stands in the report under `left_out`. Rows
    without an environment are checked without running anything, and the report says what that leaves open.

    Raises:
        UserError: the path holds nothing that can be audited, or what it holds is malformed.
    """
    if path.is_dir() and is_tau2_folder(path):
        return _imported(path, progress)
    if path.exists() and not _is_ours(path) and is_published(path):
        return audit_rows(path)
    return _audited(path, progress)


def _audited(path: Path, progress: OnProgress | None) -> dict[str, Any]:
    """The gates' report, and which functions take in what no call says, which is information and no fault."""
    report = audit(path, progress).as_json()
    return {**report, "hidden_inputs": [found.as_json() for found in hidden_inputs_below(path)]}


def _is_ours(path: Path) -> bool:
    return any((path / name).exists() for name in ("functions.json", "database.json", "tasks"))


def _imported(path: Path, progress: OnProgress | None) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / path.resolve().name
        imported = import_tau2(path, folder)
        report = _audited(folder, progress)
    return {**report, "left_out": [asdict(one) for one in imported.left_out]}
