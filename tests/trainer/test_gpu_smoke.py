"""The program that a GPU is tried with works: what needs none runs, and a section that fails costs only itself."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

ROOT = Path(__file__).parents[2]
SECTIONS = {"environment", "tests", "update-1.7b", "rollouts", "training", "update-8b", "nccl", "training-adapter"}


def smoke(folder: Path, *arguments: str) -> tuple[int, dict[str, dict], str]:
    """Its status, what each section came to, and what it printed."""
    command = ["benchmarks/gpu_smoke.sh", sys.executable, "--cpu", "--folder", str(folder), *arguments]
    ended = subprocess.run(
        command,
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        capture_output=True,
        text=True,
        check=False,
    )
    summary = folder / "summary.json"
    assert summary.exists(), ended.stderr
    return ended.returncode, json.loads(summary.read_text()), ended.stdout


def test_what_fails_or_cannot_be_run_is_named_and_the_rest_goes_on(tmp_path):
    status, found, said = smoke(tmp_path, "--backend", "transformers", "--only", "tests", "nccl", "--patience", "0.001")
    assert status == 1
    assert found.keys() == SECTIONS
    assert (found["tests"]["outcome"], found["tests"]["why"]) == ("failed", "it took more than 0 s")
    assert found["environment"] == {"outcome": "left out", "why": "not in --only", "seconds": 0.0}
    assert "nccl" in said.splitlines()[-3]
    status, found, _ = smoke(tmp_path, "--backend", "transformers", "--only", "nccl", "--patience", "10")
    assert (status, found["nccl"]["outcome"], found["nccl"]["why"]) == (
        0,
        "left out",
        "it wants rollouts by vLLM, and they are transformers' here",
    )
    status, found, _ = smoke(tmp_path, "--only", "nccl", "--deadline", "1")
    assert (status, found["nccl"]["why"]) == (0, "the 1 s are over")


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_every_section_that_needs_no_gpu_runs_without_one(tmp_path):
    status, found, said = smoke(tmp_path, "--backend", "transformers", "--patience", "8", "--deadline", "3400")
    assert status == 0, said
    left_out = {name for name, each in found.items() if each["outcome"] == "left out"}
    assert left_out == {"nccl", "training-adapter"}
    for name in ("update-1.7b", "update-8b"):
        for size in found[name]["figures"]["sizes"].values():
            assert size["tokens_per_second"] > 0
            assert size["memory"]["update"]["plan_gib"] >= 0
    assert found["rollouts"]["figures"]["sampling"]["mismatch_max"] < 1e-3
    trained = found["training"]["figures"]
    assert (trained["steps"], trained["updates"]) == (2, 2)
    assert 0 <= trained["engine_idle"] <= 1
    assert trained["mismatch_max"] < 1e-3


@pytest.mark.vllm
@pytest.mark.timeout(3600)
def test_the_sections_with_an_engine_run_with_vllm(tmp_path):
    wanted = ("rollouts", "training", "training-adapter")
    status, found, said = smoke(
        tmp_path, "--backend", "vllm", "--only", *wanted, "--patience", "8", "--deadline", "3400"
    )
    assert status == 0, said
    assert {found[name]["outcome"] for name in wanted} == {"ok"}
    assert found["rollouts"]["figures"]["sampling"]["mismatch_max"] < 1e-3
