"""A domain that a language model made from the prompts alone still goes through every stage and every gate.

Nobody wrote these answers against the gates, so what is refused here is refused wrongly until a reader says otherwise:
of twenty of its tasks a fresh reader found all sound (docs/benchmarks.md).
"""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_recorded_domain_of_a_language_model_is_kept_whole():
    command = [sys.executable, "benchmarks/strong_model.py", "play", "benchmarks/recorded/public_library.jsonl.xz"]
    said = "A town's public library: members, books and their copies, loans, holds, fines and branches."
    played = subprocess.run(
        [*command, "--name", "public_library", "--description", said],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "public_library: 30 kept" in played.stdout
    assert "drafts refused: {}" in played.stdout
    assert "tasks refused: {}" in played.stdout
    assert "pass rates: 1 to 1" in played.stdout, "an attempt that told all is judged otherwise"
    assert "questions without a recorded answer: none" in played.stdout
