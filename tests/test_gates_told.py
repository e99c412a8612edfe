"""Where a gate is told of, beside the code that decides: the docs, the prompt, and what a draft's author hears."""

import re
from pathlib import Path

import pytest

from toolscale.artifacts import GATES
from toolscale.synthesis.heard import MENDS

ROOT = Path(__file__).parents[1]
PROGRAM_GATES = GATES[: GATES.index("pass_at_8")]


def test_an_author_hears_what_would_satisfy_each_program_gate() -> None:
    assert tuple(MENDS) == PROGRAM_GATES
    assert all(MENDS.values())


def test_the_prompt_names_each_program_gate_in_brackets() -> None:
    prompt = (ROOT / "prompts/task_rules.j2").read_text(encoding="utf-8")
    assert set(re.findall(r"\((\w+)\)", prompt)) & set(GATES) == set(PROGRAM_GATES)


@pytest.mark.parametrize("heading", ["gate", "much is lost at"])
def test_the_tables_of_the_page_have_a_row_for_each_gate_in_order(heading: str) -> None:
    page = (ROOT / "docs/gates.md").read_text(encoding="utf-8")
    table = page.partition(f"\n| {heading} |")[2].partition("\n\n")[0]
    assert tuple(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == GATES
