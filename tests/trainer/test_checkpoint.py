"""A training that is killed at any point goes on as if it had not been, and its checkpoints are whole."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from toolscale.errors import UserError  # noqa: E402
from trainer.output.checkpoint import Checkpoints  # noqa: E402

from .chance import learner, policy, write_model  # noqa: E402
from .killed import STEPS  # noqa: E402

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    return write_model(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def killed(tmp_path_factory) -> tuple[Path, dict[str, list[tuple[int, str]]]]:
    folder = tmp_path_factory.mktemp("killed")
    write_model(folder / "model")
    done = subprocess.run(
        [sys.executable, "-m", "tests.trainer.killed", str(folder)],
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return folder, json.loads((folder / "found.json").read_text())


def test_killed_at_any_step_and_resumed_every_step_is_that_of_the_uninterrupted_training(killed):
    _, found = killed
    whole = dict(found.pop("whole"))
    assert list(whole) == list(range(1, STEPS + 1))
    assert len(set(whole.values())) == STEPS, "every step changes something"
    for way, digests in found.items():
        assert dict(digests)[STEPS] == whole[STEPS], f"{way}: came to another end"
        assert all(whole[step] == digest for step, digest in digests), f"{way}: a step differs"


def test_every_point_of_a_save_was_one_to_die_at(killed):
    _, found = killed
    ways = [way.rsplit("-", 1)[0] for way in found]
    assert ways.count("update") == STEPS
    assert ways.count("fsync") >= 4 * STEPS, "data, its index, the random state, the progress, in every save"
    assert ways.count("rename") >= 2 * STEPS - 2, "the checkpoint's own, and that of the one it replaces"


def test_after_whatever_death_the_newest_checkpoints_are_left_and_all_that_are_left_are_whole(killed):
    folder, found = killed
    for way in found:
        left = sorted((folder / way / "saved").glob("step-*"))
        assert [path.name for path in left[-2:]] == [f"step-{step:08d}" for step in (STEPS - 1, STEPS)], way
        for path in left:
            assert {".metadata", "progress.json", "random-0.json"} < {each.name for each in path.iterdir()}, path


def test_what_a_death_left_behind_is_gone_after_the_next_save_and_so_is_what_is_too_old(model, tmp_path):
    pupil, checkpoints = learner(policy(model)), Checkpoints(tmp_path, keep=2)
    for left in (".making-step-00000003", ".old-step-00000001"):
        (tmp_path / left).mkdir()
        (tmp_path / left / "half").write_text("written")
    assert checkpoints.latest() is None
    for step in (3, 5, 9):
        checkpoints.save(step, pupil.tensors(), {})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["step-00000005", "step-00000009"]


def test_a_folder_without_checkpoints_has_no_latest(tmp_path):
    assert Checkpoints(tmp_path / "absent").latest() is None


def test_progress_and_weights_come_back(model, tmp_path):
    pupil, checkpoints = learner(policy(model)), Checkpoints(tmp_path)
    saved = checkpoints.save(7, pupil.tensors(), {"position": [3, 4], "order": "seeded"})
    before = {name: each.clone() for name, each in pupil.policy.weights()}
    with torch.no_grad():
        for parameter in pupil.policy.parameters():
            parameter.zero_()
    assert checkpoints.latest() == saved
    assert checkpoints.load(saved, pupil.tensors()) == {"position": [3, 4], "order": "seeded"}
    assert all(torch.equal(before[name], each) for name, each in pupil.policy.weights())


def test_a_step_is_never_written_over(model, tmp_path):
    pupil, checkpoints = learner(policy(model)), Checkpoints(tmp_path)
    checkpoints.save(1, pupil.tensors(), {})
    with pytest.raises(UserError, match="there already"):
        checkpoints.save(1, pupil.tensors(), {})


def test_a_checkpoint_of_another_model_is_an_error_of_one_line(model, tmp_path):
    pupil = learner(policy(model))
    saved = Checkpoints(tmp_path / "saved").save(1, pupil.tensors(), {})
    other = learner(policy(write_model(tmp_path / "other", tied=False)))
    with pytest.raises(UserError, match="does not fit") as raised:
        Checkpoints(tmp_path / "saved").load(saved, other.tensors())
    assert "\n" not in str(raised.value)


def test_a_folder_that_is_no_checkpoint_is_an_error_of_one_line(model, tmp_path):
    pupil = learner(policy(model))
    (tmp_path / "step-00000001").mkdir()
    checkpoints = Checkpoints(tmp_path)
    with pytest.raises(UserError, match=r"is not whole: progress\.json is missing or broken; there is no") as raised:
        checkpoints.load(tmp_path / "step-00000001", pupil.tensors())
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("name", ["random-0.json", ".metadata", "progress.json", "__0_0.distcp"])
@pytest.mark.parametrize("how", ["missing", "cut off"])
def test_a_broken_checkpoint_names_its_file_and_the_one_that_is_whole(model, tmp_path, name, how):
    pupil, checkpoints = learner(policy(model)), Checkpoints(tmp_path)
    checkpoints.save(1, pupil.tensors(), {})
    saved = checkpoints.save(2, pupil.tensors(), {})
    checkpoints.check(saved)
    if how == "missing":
        (saved / name).unlink()
    else:
        os.truncate(saved / name, (saved / name).stat().st_size // 2)
    for refuses in (checkpoints.load, checkpoints.read):
        with pytest.raises(UserError) as raised:
            refuses(saved, pupil.tensors())
        assert str(raised.value) == (
            f"{saved} is not whole: {name} is missing or broken; step-00000001 beside it is whole: remove the broken "
            "folder and go on with --resume"
        )
