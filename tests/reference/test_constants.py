"""A fee, a limit or a number of days stands once: in the functions, from which the policy's text is rendered."""

import ast
from pathlib import Path
from typing import Any

import pytest

from toolscale.reference.domain import ReferenceDomain, reference_domain, reference_domains
from toolscale.reference.source import read_constants


@pytest.fixture(params=reference_domains())
def domain(request: pytest.FixtureRequest) -> ReferenceDomain:
    """Each of the domains."""
    return reference_domain(request.param)


def _constants(module: Path) -> dict[str, Any]:
    """The module's literal constants, by their names without leading underscores."""
    found = {}
    for node in ast.parse(module.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            try:
                found[node.targets[0].id.lstrip("_")] = ast.literal_eval(node.value)
            except ValueError:
                continue
    return found


def test_the_policy_names_no_constant_that_the_functions_lack(domain: ReferenceDomain) -> None:
    assert "{{" in (domain.folder / "policy.md").read_text(encoding="utf-8")
    assert "{{" not in domain.policy


def test_the_policy_follows_the_functions(tmp_path: Path) -> None:
    restaurant = reference_domain("restaurant")
    (tmp_path / "functions").mkdir()
    (tmp_path / "functions" / "fees.py").write_text("FULL_DAYS = 7\nRATES = {'late': 0.5}\nNOW = len('no literal')\n")
    assert read_constants(tmp_path / "functions") == {"FULL_DAYS": 7, "RATES": {"late": 0.5}}
    assert "at most 60 days ahead" in restaurant.policy
    assert "until seven days before the evening" in restaurant.policy


def test_no_other_module_of_a_domain_says_the_same_again(domain: ReferenceDomain) -> None:
    """The rules do: they judge the functions, and are written to the dataset by themselves."""
    known = {name.lstrip("_"): value for name, value in read_constants(domain.folder / "functions").items()}
    for module in sorted(domain.folder.glob("*.py")):
        if module.name != "rules.py":
            again = {name for name, value in _constants(module).items() if name in known and known[name] == value}
            assert not again, f"{module}: {again} stands in the functions"


def test_the_rules_own_copies_are_those_of_the_functions() -> None:
    folder = reference_domain("restaurant").folder
    known, copied = read_constants(folder / "functions"), _constants(folder / "rules.py")
    assert copied["DISCOUNTS"] == known["DISCOUNT"]
    assert copied["REWARDS"] == {size: points for size, (points, _) in known["REWARDS"].items()}
    assert copied["DAYS"] == known["WEEKDAYS"]
