"""The foreign shop on disk, and what comes of calls on it once it is imported."""

import json

import pytest

from tests.exchange.foreign_shop import DATABASE, MODELS, PATHS, TOOLS, row
from toolscale.artifacts import Call
from toolscale.environment import Sandbox, load_environment
from toolscale.exchange.tau2_import import import_tau2


@pytest.fixture
def domain(tmp_path):
    """The folder of a domain, to be spoilt by tests."""
    folder = tmp_path / "shop"
    folder.mkdir()
    for name, text in {
        "data_model.py": MODELS,
        "paths.py": PATHS,
        "tools.py": TOOLS,
        "db.json": json.dumps(DATABASE),
        "tasks.json": json.dumps([row("t1", ["notify"])]),
        "policy.md": "Be kind.",
    }.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def outcomes(domain, tmp_path):
    """Runs calls, given as (name, arguments), on the imported environment."""
    import_tau2(domain, tmp_path / "out")

    def run(*calls):
        with Sandbox(load_environment(tmp_path / "out")) as sandbox:
            return sandbox.run([Call(name=name, arguments=arguments) for name, arguments in calls])

    return run
