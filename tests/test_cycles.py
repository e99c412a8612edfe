"""Whoever makes tasks has the collector look rarely; who merely imports the package does not."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("code", "rarely"),
    [
        ("import toolscale", False),
        ("import pipelines", True),
        ("import toolscale.cli as c, sys; sys.argv = ['toolscale', 'schema']; c.app = lambda: None; c.main()", True),
    ],
)
def test_the_collector_looks_rarely_in_the_command_and_in_dagster_alone(code: str, rarely: bool) -> None:
    told = f"import gc; at_first = gc.get_threshold(); {code}; print(gc.get_threshold()[0] > 10 * at_first[0])"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(rarely)
