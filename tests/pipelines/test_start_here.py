"""`make ui` opens on a page that says what to click first, and what it links to is there."""

import re
import socket
import sys
from contextlib import closing
from urllib.parse import parse_qs, urlsplit

import dagster as dg
import pytest

from pipelines import ui
from pipelines.assets.start_here import FIRST, start_here
from pipelines.definitions import definitions
from pipelines.factory import Factory
from pipelines.run_config import RunConfig
from toolscale.reference.domain import reference_domains
from toolscale.settings import Settings

LINKS = re.findall(r"\]\(([^)]+)\)", start_here.description or "")


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    return definitions(RunConfig(), str(tmp_path_factory.mktemp("root")))


def test_every_link_of_the_first_page_leads_to_a_job_or_an_asset_that_is_there(loaded):
    jobs = {job.name for job in loaded.get_repository_def().get_all_jobs()}
    assets = {spec.key.to_user_string(): spec for spec in loaded.resolve_all_asset_specs()}
    assert len(LINKS) >= 7
    for address in map(urlsplit, LINKS):
        room, *named = address.path.strip("/").split("/")
        if room == "guess":
            assert named[0] in jobs
            assert named[1:] in ([], ["playground"])
        elif room == "assets":
            (asset,) = named
            assert (assets[asset].partitions_def is not None) == ("partition" in parse_qs(address.query))
        else:
            assert address.path == "/runs"


def test_the_first_page_comes_first_and_nothing_materializes_it(loaded):
    specs = list(loaded.resolve_all_asset_specs())
    assert min(spec.group_name for spec in specs) == start_here.group_name
    assert not loaded.resolve_asset_graph().get(start_here.key).is_executable
    assert start_here.key not in loaded.resolve_implicit_global_asset_job_def().asset_layer.executable_asset_keys


def test_the_first_domain_is_one_that_needs_no_key():
    assert FIRST in reference_domains()


def test_a_second_server_is_refused_in_words_before_it_starts(monkeypatch, capsys):
    with closing(socket.socket()) as taken:
        taken.bind((ui.HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        monkeypatch.setattr(sys, "argv", ["ui", "--port", str(port)])
        assert ui.main() == 2
    assert capsys.readouterr().err.startswith(f"port {port} is taken")


def test_a_command_that_has_no_page_has_no_first_page(tmp_path):
    shown = definitions(Factory.of(Settings(data_root=str(tmp_path))), str(tmp_path)).resolve_all_asset_specs()
    assert dg.AssetKey("start_here") not in {spec.key for spec in shown}
