"""The version of a stage holds all that its rows follow from, and nothing that they do not."""

import re
from pathlib import Path

import pytest

import toolscale
from pipelines.assets.stage import OVER_ALL, STAGES
from pipelines.definitions import definitions
from pipelines.factory import Factory
from pipelines.reach import PACKAGES, UNSEEN, files_of, hash_of_code, reach
from toolscale.environment import Sandbox
from toolscale.settings import Settings
from toolscale.synthesis.filtering import verify_tasks
from toolscale.synthesis.schema import design_schema
from toolscale.synthesis.tasks import propose_tasks

ROOT = Path(toolscale.__file__).parents[1]
INSIDE = sorted((ROOT / "toolscale/environment/inside").glob("*.py"))
GATES = sorted((ROOT / "toolscale/checkers/gates").glob("*.py"))


def places(*roots):
    return {file.relative_to(ROOT).as_posix() for file in reach(*roots)}


@pytest.mark.parametrize("file", INSIDE, ids=lambda file: file.stem)
@pytest.mark.parametrize("stage", [propose_tasks, verify_tasks, Sandbox], ids=lambda stage: stage.__name__)
def test_each_file_that_runs_in_the_sandbox_is_reached_by_what_runs_there(file, stage):
    assert file in reach(stage)


@pytest.mark.parametrize("file", GATES, ids=lambda file: file.stem)
def test_each_gate_is_reached_by_the_stage_that_runs_it(file):
    assert file in reach(verify_tasks)


@pytest.mark.parametrize("room", ["cli", "estimate", "evaluation", "exchange", "dataset", "rewards"])
def test_a_stage_does_not_reach_what_only_shows_or_comes_after(room):
    reached = places(design_schema, propose_tasks, verify_tasks)
    assert not [place for place in reached if place.startswith((f"toolscale/{room}/", "trainer/"))]
    assert "toolscale/checkers/gates/replay.py" not in places(design_schema)


def test_a_changed_file_changes_what_reaches_it_and_nothing_else(tmp_path, monkeypatch):
    from pipelines import reach as looked_at

    changed = ROOT / "toolscale/environment/inside/clock.py"
    before = {stage: hash_of_code(stage) for stage in (verify_tasks, design_schema)}
    content = looked_at._content
    monkeypatch.setattr(looked_at, "_content", lambda file: content(file) + "#" * (file == changed))
    assert hash_of_code(verify_tasks) != before[verify_tasks]
    assert hash_of_code(design_schema) == before[design_schema]


def test_every_stage_of_a_domain_has_a_version_of_its_own_code(tmp_path):
    specs = definitions(Factory.of(Settings(data_root=str(tmp_path))), str(tmp_path)).resolve_all_asset_specs()
    with_verified = {*STAGES, "rejected_tasks", "trajectories", "later_rejects", *OVER_ALL}
    assert {spec.key.to_user_string() for spec in specs} == with_verified
    codes = {name: stage.code for name, stage in STAGES.items()}
    assert len(set(codes.values())) == len(codes)


def test_every_file_that_is_no_module_is_declared_beside_what_reads_it():
    folders = [ROOT / package for package in PACKAGES]
    data = {file for folder in folders for file in folder.rglob("*") if file.is_file() and file.suffix != ".py"}
    data = {file for file in data if not {"__pycache__", "_data"} & set(file.parts)}
    assert data <= files_of(UNSEEN.keys())


def test_every_module_that_imports_by_name_says_what():
    """`import_module`, or a program of ours that is started: no graph of imports shows what these reach."""
    elsewhere = {
        "toolscale/llm/providers.py",  # a model of our own counts where the settings name it (pipelines/recipe.py)
        "toolscale/environment/inside/modules.py",  # modules of the standard library
        "toolscale/environment/inside/pydantic_ready.py",  # modules of the standard library that pydantic uses
        "toolscale/environment/inside/serving.py",  # what an environment's functions import
    }
    declared = {f"{module.replace('.', '/')}" for module in UNSEEN}
    for file in sorted(reach(*(stage for stage in (design_schema, propose_tasks, verify_tasks)), "trainer.__main__")):
        place = file.relative_to(ROOT).as_posix()
        by_name = re.search(r"import_module\(|__import__\(|\"-m\", ", file.read_text(encoding="utf-8"))
        if by_name and place not in elsewhere and file.suffix == ".py":
            assert place.removesuffix(".py").removesuffix("/__init__") in declared, place
