"""What `--write-space` writes is an environment to OpenEnv's own command, and serves what was given."""

import importlib.util
import tomllib

import pytest
import yaml

from tests.dataset.small import KEPT, write_small
from tests.exchange.world import FINE, write_hotel
from toolscale.errors import UserError
from toolscale.serving.space import TOKEN, write_space
from toolscale.serving.tasks import load_tasks


@pytest.fixture(scope="module")
def space(tmp_path_factory):
    folder = tmp_path_factory.mktemp("space")
    write_hotel(folder / "hotel")
    assert write_space(str(folder / "hotel"), folder / "made") == 1
    return folder / "made"


def test_the_space_serves_the_tasks_that_were_given(space, tmp_path):
    assert load_tasks(str(space / "data")).ids() == [FINE.id]
    write_small(tmp_path / "d")
    write_space(str(tmp_path / "d"), tmp_path / "s")
    assert len(load_tasks(str(tmp_path / "s/data"))) == len(KEPT)
    assert not (tmp_path / "s/data/trajectories").exists()


def test_its_files_agree_with_each_other(space):
    manifest = yaml.safe_load((space / "openenv.yaml").read_text())
    front = yaml.safe_load((space / "README.md").read_text().split("---")[1])
    assert front["sdk"] == "docker"
    assert front["app_port"] == manifest["port"]
    assert "openenv" in front["tags"]
    assert f"EXPOSE {manifest['port']}" in (space / "Dockerfile").read_text()
    for name in ("server/app.py", "client.py", "models.py"):
        compile((space / name).read_text(), name, "exec")
    project = tomllib.loads((space / "pyproject.toml").read_text())["project"]
    assert project["scripts"]["server"].endswith("server.app:main")


def test_a_folder_that_is_there_is_left_alone(space):
    with pytest.raises(UserError, match="there already"):
        write_space(str(space / "data"), space)


def test_openenv_itself_takes_the_folder(space):
    pytest.importorskip("openenv")
    from openenv.cli._validation import get_deployment_modes, validate_multi_mode_deployment
    from openenv.cli.commands.push import _prepare_staging_directory, _validate_openenv_directory

    name, manifest = _validate_openenv_directory(space)
    assert (name, manifest["app"]) == ("toolscale", "server.app:app")
    assert get_deployment_modes(space)["docker"]
    _, issues = validate_multi_mode_deployment(space)
    assert [issue for issue in issues if "uv.lock" not in issue] == []
    staged = space.parent / "staged"
    _prepare_staging_directory(space, name, staged, [".*"], enable_interface=False)
    assert (staged / "Dockerfile").read_text() == (space / "Dockerfile").read_text()


def test_its_server_answers_who_has_the_secret_alone(space, monkeypatch):
    pytest.importorskip("openenv")
    from starlette.testclient import TestClient

    spec = importlib.util.spec_from_file_location("space_app", space / "server/app.py")
    monkeypatch.delenv(TOKEN, raising=False)
    with pytest.raises(UserError, match=TOKEN):
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
    monkeypatch.setenv(TOKEN, "secret")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    client = TestClient(module.app)
    assert client.get("/health").status_code == 200
    assert client.post("/reset", json={}).status_code == 401
    begun = client.post("/reset", json={}, headers={"Authorization": "Bearer secret"})
    assert begun.json()["observation"]["instruction"] == FINE.instruction
