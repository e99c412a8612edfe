"""Audit of what cannot be audited as it stands names the command to use; imports say what they left out."""

import json

import pytest

from toolscale.errors import UserError
from toolscale.exchange.audit import audit_anything
from toolscale.exchange.report import LEFT_OUT, LeftOut, Report


def test_a_domain_without_its_tools_is_told_the_command(tmp_path):
    (tmp_path / "tasks.json").write_text("[]")
    (tmp_path / "db.toml").write_text("")
    with pytest.raises(UserError, match=r"toolscale import .* --tools FOLDER_OF_TOOLS_PY --out ENVIRONMENT"):
        audit_anything(tmp_path)


def test_a_file_of_runs_is_told_the_command(tmp_path):
    (tmp_path / "results.json").write_text('{"simulations": []}')
    with pytest.raises(UserError, match=r"toolscale import .*results\.json --format tau2 .* and `toolscale check`"):
        audit_anything(tmp_path / "results.json")


def test_what_is_left_out_is_a_line_a_reason_and_a_whole_list_in_a_file(tmp_path):
    left_out = [LeftOut("task 1", "it is odd"), *(LeftOut(f"task {number}", "it has none") for number in (2, 3, 4))]
    report = Report({"tasks": 5}, left_out)
    assert report.lines() == [
        "5 tasks written",
        "left out: task 2 and 2 more: it has none",
        "left out: task 1: it is odd",
    ]
    assert report.list_in(tmp_path) == [f"4 things were left out, all listed in {tmp_path / LEFT_OUT}"]
    listed = [json.loads(line) for line in (tmp_path / LEFT_OUT).read_text().splitlines()]
    assert listed == [{"what": one.what, "reason": one.reason} for one in left_out]
    assert Report({"tasks": 1}).list_in(tmp_path / "nowhere") == []
