"""A fleet with real processes and a server: a domain that cannot be made, a budget that ends half-way, a kill."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pipelines.domains import write_domain
from pipelines.fates import noted_fate
from tests.openai_server import OpenAIServer
from toolscale.dataset import read_dataset
from toolscale.reference.domain import reference_domain
from toolscale.reference.model import OfflineRequest, answer
from toolscale.settings import Settings
from toolscale.store import ModelCall, Store

pytestmark = pytest.mark.slow

MODEL = "openai/m"
PRICES = {MODEL: {"input": 1.0, "output": 4.0}}
MADE, BROKEN, OFF = ("restaurant", "railway"), "weather", "finance"
CAP = 0.75
ENOUGH_FOR_ONE = 3.0
"""Dollars for one domain of those that are made, and not for another."""
ABOUT_THE_BROKEN = reference_domain(BROKEN).domain.description


def model(request):
    """The offline model, but for one domain, of which it makes nothing."""
    if any(ABOUT_THE_BROKEN in str(message["content"]) for message in request["messages"]):
        return "I would rather not."
    return answer(OfflineRequest(request["messages"], request.get("tools") or (), request.get("seed") or 0))


def command(server: OpenAIServer, *options: str) -> tuple[list[str], dict[str, str]]:
    """The command of a fleet, and its environment."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("TOOLSCALE_", "DAGSTER_"))}
    clean |= {"OPENAI_API_KEY": "none", "TOOLSCALE_PRICES": json.dumps(PRICES), "TOOLSCALE_ATTEMPTS": "2"}
    arguments = ("synthesize", "--all", "--at-once", "2", "--tasks", "2", "--model", MODEL, "--api-base", server.url)
    return [sys.executable, "-m", "toolscale.cli", *arguments, *options, "--json"], clean


def fleet(root: Path, server: OpenAIServer, *options: str) -> tuple[int, dict]:
    words, clean = command(server, *options)
    done = subprocess.run(words, cwd=root, env=clean, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, json.loads(done.stdout)


def paid(root: Path) -> list[float]:
    with Store(Settings(data_root=str(root / "data")).database_url()) as store:
        return [call.dollars or 0.0 for call in store.rows(ModelCall)]


def test_a_fleet_goes_on_where_its_budget_ended_passes_over_what_fails_and_pays_for_nothing_twice(tmp_path):
    for name in (*MADE, BROKEN):
        write_domain(str(tmp_path / "data"), reference_domain(name).domain)
    write_domain(str(tmp_path / "data"), reference_domain(OFF).domain, off=True)
    with OpenAIServer(model) as server:
        status, said = fleet(tmp_path, server, "--max-cost", str(CAP))
        assert (status, said["ended"], said["dataset"]) == (3, "the budget is spent", None)
        first = paid(tmp_path)
        assert CAP - 2 * max(first) < sum(first) <= CAP + 4 * max(first)
        status, said = fleet(tmp_path, server, "--max-cost", "50")
        assert (status, said["ended"]) == (4, "")
        assert (sorted(said["made"]), list(said["not_made"]), said["off"]) == (sorted(MADE), [BROKEN], [OFF])
        assert "no answer of the form that was asked for" in said["not_made"][BROKEN]["reason"]
        asked = [json.dumps(request, sort_keys=True) for request in server.requests]
        assert len(asked) == len(set(asked)) == len(paid(tmp_path))
        status, said = fleet(tmp_path, server, "--max-calls", "0")
        assert (status, said["unchanged"], list(said["not_made"])) == (4, sorted(MADE), [BROKEN])
        assert len(server.requests) == len(asked)
    report = said["fleet"]
    assert report["states"] == {"made": 2, "failed": 1, "off": 1}
    by_name = {line["name"]: line for line in report["domains"]}
    kept = {name: sum(task.domain == name for task, _ in read_dataset(tmp_path / "data" / "dataset")) for name in MADE}
    assert {name: by_name[name]["kept"] for name in MADE} == kept
    assert sum(line["dollars"] for line in report["domains"]) == pytest.approx(sum(paid(tmp_path)))
    assert by_name["railway"]["cents_per_kept_task"] == pytest.approx(
        100 * by_name["railway"]["dollars"] / kept["railway"]
    )
    assert report["diversity"]["function_names"] > 40
    assert noted_fate(str(tmp_path / "data"), BROKEN).stage == "subjects"
    assert noted_fate(str(tmp_path / "data"), MADE[0]) is None
    assert BROKEN in (tmp_path / "data" / "fleet.md").read_text()


def test_a_budget_releases_one_after_the_other_and_goes_on_after_a_kill_and_after_its_end(tmp_path):
    first, second = sorted(MADE)
    files = {name: tmp_path / "data" / "domains" / f"{name}.toml" for name in (first, second, OFF)}
    for name in (first, second):
        write_domain(str(tmp_path / "data"), reference_domain(name).domain, off="proposed")
    write_domain(str(tmp_path / "data"), reference_domain(OFF).domain, off=True)
    before = {name: file.read_text() for name, file in files.items()}
    releasing = ("--release-proposed", "--task-source", "drafts", "--at-once", "1", "--max-cost")
    with OpenAIServer(model) as server:
        words, clean = command(server, *releasing, "50")
        killed = subprocess.Popen(words, cwd=tmp_path, env=clean, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while killed.poll() is None and not server.requests:
            time.sleep(0.1)
        killed.send_signal(signal.SIGKILL)
        assert killed.wait() == -signal.SIGKILL
        assert 'released = "budget"' in files[first].read_text()
        assert {name: files[name].read_text() for name in (second, OFF)} == {
            name: before[name] for name in (second, OFF)
        }
        status, said = fleet(tmp_path, server, *releasing, str(ENOUGH_FOR_ONE))
        assert (status, said["made"], said["released"], said["ended"]) == (0, [first], [], "")
        assert (said["off"], sorted(said["left_off"])) == ([OFF, second], [OFF, second])
        assert "of the budget are left, and the next would take about" in said["left_off"][second]
        assert "by hand" in said["left_off"][OFF]
        assert files[second].read_text() == before[second]
        status, said = fleet(tmp_path, server, *releasing, "50")
        assert (status, said["made"], said["unchanged"], said["released"]) == (0, [second], [first], [second])
        asked = [json.dumps(request, sort_keys=True) for request in server.requests]
    assert len(set(asked)) == len(paid(tmp_path))
    assert files[OFF].read_text() == before[OFF]
    assert said["fleet"]["states"] == {"made": 2, "off": 1}
    assert {line["name"]: line["released"] for line in said["fleet"]["domains"]} == {
        first: "budget",
        second: "budget",
        OFF: "",
    }
