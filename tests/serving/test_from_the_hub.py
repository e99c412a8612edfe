"""`toolscale serve owner/name` plays a published dataset as the folder it was made of."""

import pytest

from tests.dataset.hub import hub
from tests.dataset.small import KEPT, OF_EVAL, write_small
from toolscale.dataset.push import push
from toolscale.dataset.release import release
from toolscale.errors import UserError
from toolscale.serving.sessions import Sessions
from toolscale.serving.tasks import load_tasks


@pytest.fixture
def server(monkeypatch, tmp_path):
    from huggingface_hub import close_session

    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_XET", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("huggingface_hub.constants.HF_TOKEN_PATH", str(tmp_path / "no-token"))
    monkeypatch.setenv("HF_TOKEN", "hf_writer")
    close_session()
    with hub() as started:
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", started.address)
        url = started.address + "/{repo_id}/resolve/{revision}/{filename}"
        monkeypatch.setattr("huggingface_hub.constants.HUGGINGFACE_CO_URL_TEMPLATE", url)
        yield started


def test_a_published_dataset_is_fetched_and_played(server, tmp_path):
    write_small(tmp_path / "d")
    push(release(tmp_path / "d"), "team/shop", endpoint=server.address)
    loaded = load_tasks("team/shop")
    assert (len(loaded), loaded.splits) == (len(KEPT), load_tasks(str(tmp_path / "d")).splits)
    got = [line for line in server.requests() if "/resolve/" in line]
    assert not any("trajectories" in line or "rejects" in line for line in got), "only what is served is fetched"
    with Sessions(loaded, most=1, idle_seconds=900) as sessions:
        play = sessions.open(OF_EVAL).play
        play.call("cancel_order", {"order_id": "O-1"})
        assert play.finish("It is cancelled.").reward == 1


def test_what_the_hub_does_not_have_is_one_line(server):
    with pytest.raises(UserError, match="the Hub has no dataset team/none"):
        load_tasks("team/none")
