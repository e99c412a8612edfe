"""Instances that do not fit, or are not those that a training began with, are refused before a model is loaded."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest
import torch

from toolscale.artifacts import EnvironmentSpec, Task
from toolscale.errors import UserError
from trainer.checks import check_exercises
from trainer.config import Config, Model
from trainer.grpo import Standing, train
from trainer.output.checkpoint import Checkpoints
from trainer.tasks.data import Exercises, read_exercises

from .instanced import EXPERT, TINY, one_of, preferences_at, settings, write_catalogue, write_instances
from .schooling import write_taught_dataset


@pytest.fixture
def catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TOOLSCALE_DATA_ROOT", str(tmp_path / "data"))
    return write_catalogue(tmp_path)


@pytest.fixture
def dataset(tmp_path: Path, catalogue: Path, environment: EnvironmentSpec, tasks: list[Task]) -> Path:
    return write_instances(tmp_path, catalogue, environment, tasks)


def test_what_does_not_fit_is_said_before_a_model_is_loaded(
    dataset: Path, catalogue: Path, tmp_path: Path, environment: EnvironmentSpec, tasks: list[Task]
) -> None:
    plain = write_taught_dataset(tmp_path / "plain", environment, tasks)
    text = catalogue.read_text()
    (tmp_path / "none.toml").write_text(text.replace("generalist =", "code_writer ="))
    (tmp_path / "fewer.toml").write_text(text.replace('math = ["ours/tiny"]\n', ""))
    unpriced = text.replace("price = { input = 1.0, output = 2.0 }\n", "").replace("Qwen/Qwen3-32B", "ours/large")
    (tmp_path / "unpriced.toml").write_text(unpriced)
    preferences = str(preferences_at(tmp_path))
    for folder, tools, said in (
        (plain, {"catalogue": "none.toml"}, "has no generalist"),
        (
            plain,
            {"catalogue": "fewer.toml", "preferences": preferences},
            "",
        ),
        (plain, {"catalogue": "unpriced.toml"}, "of the catalogue .*unpriced.toml: there is no price for ours/large"),
        (plain, {"preferences": "nowhere.json"}, "cannot read the preferences nowhere.json"),
        (dataset, {"catalogue": "fewer.toml"}, f"tasks offer {TINY}, which the catalogue"),
    ):
        named = tmp_path / tools.pop("catalogue", catalogue.name)
        config = settings(named, **tools)
        if not said:
            read_exercises(folder, config.data, 0, config.tools)
            continue
        with pytest.raises(UserError, match=said):
            check_exercises(read_exercises(folder, config.data, 0, config.tools), config)
    wants_tiny = json.loads(Path(preferences).read_text())
    for one in wants_tiny["kept"]:
        one["vector"][0] = 1.0
    Path(preferences).write_text(json.dumps(wants_tiny))
    config = settings(tmp_path / "fewer.toml", preferences=preferences)
    with pytest.raises(UserError, match=f"preference train-0 wants {TINY}, which the catalogue .* does not offer"):
        read_exercises(plain, config.data, 0, config.tools)
    free = settings(catalogue).model_copy(
        update={
            "rewarding": Config.of(
                {"model": {"path": "x"}, "rewarding": {"priced_as": "Qwen/Qwen3-8B"}}, "here"
            ).rewarding
        }
    )
    with pytest.raises(UserError, match="the schedule `nebius` lists no Qwen/Qwen3-8B"):
        check_exercises(read_exercises(dataset, free.data, 0, free.tools), free)


def test_a_row_that_offers_a_model_without_a_price_is_refused(dataset: Path, catalogue: Path) -> None:
    config = settings(catalogue)
    exercises = read_exercises(dataset, config.data, 0, config.tools)
    exercise = one_of(exercises.train, "train-0")
    assert exercise.instance is not None
    (tiny, expert), configuration = exercise.instance.configuration.tools, exercise.instance.configuration
    free = expert.model_copy(update={"terms": expert.terms.model_copy(update={"price": None})})
    changed = configuration.model_copy(update={"tools": [tiny, free]})
    instance = exercise.instance.model_copy(update={"configuration": changed})
    with pytest.raises(UserError, match=f"offers {EXPERT} without a price under the schedule"):
        check_exercises(Exercises((replace(exercise, instance=instance),), (), "v"), config)


def test_a_tool_that_cannot_be_had_here_ends_a_training_before_a_model_is_loaded(
    tmp_path: Path, environment: EnvironmentSpec, tasks: list[Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLSCALE_DATA_ROOT", str(tmp_path / "data"))
    for key in ("TAVILY_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(key, raising=False)
    dataset = write_taught_dataset(tmp_path / "plain", environment, tasks)
    config = settings(Path("training")).model_copy(update={"model": Model(path=str(tmp_path / "no model here"))})
    with pytest.raises(UserError, match=r"tasks offer tools that cannot be had here") as refused:
        train(config, dataset, tmp_path / "out")
    said = str(refused.value)
    assert "web_search: web search by tavily needs a key: set TAVILY_API_KEY" in said
    assert "local_search: there is no index" in said
    assert "name it with --set tools.index=DIR" in said, "the trainer has no --index"
    assert said.count("openai/gpt-5 needs a key") == 1, "one reason is said once, whatever roles the model has"
    assert not (tmp_path / "out").exists()


def test_what_was_drawn_is_part_of_the_version_so_that_a_training_is_not_resumed_with_other_draws(
    catalogue: Path, dataset: Path, tmp_path: Path, environment: EnvironmentSpec, tasks: list[Task]
) -> None:
    plain = write_taught_dataset(tmp_path / "plain", environment, tasks)
    config = settings(catalogue, preferences=str(preferences_at(tmp_path)))
    before = read_exercises(plain, config.data, 0, config.tools)
    assert read_exercises(plain, config.data, 0, config.tools).version == before.version
    in_rows = read_exercises(dataset, config.data, 0, config.tools).version
    catalogue.write_text(catalogue.read_text().replace("input = 1.0", "input = 1.5"))
    after = read_exercises(plain, config.data, 0, config.tools)
    assert after.train != before.train
    assert after.version != before.version
    assert read_exercises(dataset, config.data, 0, config.tools).version == in_rows, "rows have theirs already"


@pytest.mark.parametrize("changed", ["catalogue", "preferences", "rows"])
def test_a_training_that_would_go_on_with_other_draws_names_the_files_that_they_come_from(
    catalogue: Path, tmp_path: Path, environment: EnvironmentSpec, tasks: list[Task], changed: str
) -> None:
    preferences = preferences_at(tmp_path)
    plain = write_taught_dataset(tmp_path / "plain", environment, tasks)
    config = settings(catalogue, preferences=str(preferences))
    drawn = read_exercises(plain, config.data, 0, config.tools)
    progress = asdict(Standing(drawn.version, drawn.released))
    Checkpoints(tmp_path / "out" / "checkpoints").save(1, {"weight": torch.zeros(1)}, progress)
    if changed == "catalogue":
        catalogue.write_text(catalogue.read_text().replace("input = 1.0", "input = 1.5"))
    elif changed == "preferences":
        preferences.write_text(preferences.read_text().replace("wish number", "wish no."))
    else:
        plain = write_taught_dataset(tmp_path / "fewer", environment, tasks[:12])
    with pytest.raises(UserError) as refused:
        train(config, plain, tmp_path / "out", resume=True)
    said = str(refused.value)
    names_files = f"tools.catalogue ({catalogue}), tools.preferences ({preferences})" in said
    assert names_files == (changed != "rows"), said
    assert ("resume with the same dataset" in said) == (changed == "rows"), said
