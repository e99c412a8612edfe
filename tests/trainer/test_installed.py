"""Without the trainer's packages, each command that needs them says how to get them."""

import subprocess
import sys
from pathlib import Path

import pytest

from trainer.installed import PACKAGES, its_packages

SCRIPT = """
import runpy, sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {packages}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
for command in {commands}:
    sys.argv = command
    try:
        runpy.run_module(command[0], run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        print("status", ended.code)
"""


def test_a_command_without_torch_is_one_sentence_that_says_how_to_install_it(tmp_path: Path) -> None:
    configured = ["--config", "smollm2-cpu"]
    placed = ["--dataset", str(tmp_path / "none"), "--out", str(tmp_path / "out")]
    commands = [
        ["trainer", "train", *configured, *placed],
        ["trainer", "sft", *configured, *placed],
        ["trainer", "evaluate", *configured, *placed[:2]],
        ["trainer", "plan", *configured],
        ["trainer", "export", str(tmp_path), "--to", str(tmp_path / "model")],
        *([f"trainer.{demo}demo", "--out", str(tmp_path / f"{demo}demo")] for demo in ("", "route_", "orchestrator_")),
    ]
    script = SCRIPT.format(packages=PACKAGES, commands=commands)
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    said = [line for line in ended.stderr.splitlines() if "not installed here" in line]
    assert [line.partition(":")[0] for line in said] == [command[0] for command in commands], ended.stderr
    assert all("make setup-trainer" in line and "make setup-gpu" in line for line in said)
    assert "Traceback" not in ended.stderr
    assert ended.stdout.count("status 2") == len(commands)


def test_a_module_that_is_missing_for_another_reason_is_no_users_mistake() -> None:
    with pytest.raises(ModuleNotFoundError, match="no_such_module"), its_packages():
        import no_such_module  # type: ignore[import-not-found] # noqa: F401
