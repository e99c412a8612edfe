"""One list of stages: whatever else names them agrees with it."""

import re
from pathlib import Path
from typing import get_args

import pytest

from pipelines.tags import SYNTHESIS
from toolscale.settings import Settings, Stage
from toolscale.stages import OF_A_DOMAIN, ROLES, Role
from toolscale.synthesis.chain import CHAIN

DOCS = Path(__file__).parents[2] / "docs"


def test_each_purpose_of_a_call_has_a_role_and_a_stage_that_makes_it():
    assert tuple(ROLES) == get_args(Stage)
    assert set(ROLES.values()) == set(get_args(Role))
    assert {purpose for stage in CHAIN for purpose in stage.asks} == set(OF_A_DOMAIN)


def test_what_may_wait_for_a_batch_is_such_a_purpose():
    assert Settings.load(batch_stages=list(ROLES)).batch_stages == list(ROLES)
    with pytest.raises(ValueError, match="functions_planned"):
        Settings(batch_stages=["functions_planned"])


def test_a_stage_reads_only_what_stands_before_it_in_the_form_in_which_it_was_made():
    made = {}
    for stage in CHAIN:
        for name, form in stage.reads.items():
            assert name == "domain" or form in (made[name], list[made[name]]), f"{stage.name} reads {name}"
        made[stage.name] = stage.kind


def test_the_page_on_pipelines_has_the_stages_in_their_order():
    rows = re.findall(
        r"^\| (\w*) ?\| `(\w+)` \| .*`(?:assets|environments)[/<]", (DOCS / "pipelines.md").read_text(), re.M
    )
    groups, group = {}, ""
    for named, asset in rows:
        group = named or group
        groups[asset] = group
    chain = {"domain": SYNTHESIS["environment"], **{stage.name: SYNTHESIS[stage.group] for stage in CHAIN}}
    assert [asset for asset in groups if asset in chain] == list(chain)
    assert {asset: groups[asset] for asset in chain} == chain


def test_the_page_on_batches_says_of_every_purpose_how_many_rounds_it_takes():
    table = (DOCS / "budget.md").read_text().partition("| stages | rounds |")[2].partition("\n\n")[0]
    assert sorted(re.findall(r"`(\w+)`", table)) == sorted(ROLES)
