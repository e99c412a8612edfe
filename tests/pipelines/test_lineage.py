"""What was made of different versions of one thing is never put together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.lineage import Made, StepLineage, as_text, made_of, refuse_unfit
from toolscale.errors import UserError

CHAIN = ("domain", "schema", "entries", "environment", "intents", "tasks")


def made_in_turn(versions, lineage, stored):
    """Make assets one after the other, each of all that came before it."""
    for asset, version in sorted(versions.items(), key=lambda item: CHAIN.index(item[0])):
        for other, made in stored.items():
            if CHAIN.index(other) < CHAIN.index(asset):
                lineage.read(asset, "zoo", other, made)
        stored[asset] = lineage.wrote(asset, "zoo", asset, version)
    return stored


texts = st.fixed_dictionaries({asset: st.sampled_from("ab") for asset in CHAIN})


@given(texts)
def test_what_one_run_made_fits_together(versions):
    refuse_unfit("zoo", made_in_turn(versions, StepLineage(), {}))


@given(texts, texts, st.integers(1, len(CHAIN) - 1))
def test_what_two_runs_made_fits_only_where_they_made_the_same(first, second, cut):
    """The second run makes the assets up to a cut again; those after it are still the first's."""
    stored = made_in_turn(first, StepLineage(), {})
    again = {asset: second[asset] for asset in CHAIN[:cut]}
    made_in_turn(again, StepLineage(), stored)
    if all(first[asset] == version for asset, version in again.items()):
        refuse_unfit("zoo", stored)
    else:
        with pytest.raises(UserError, match=r"materialize what follows from .* again"):
            refuse_unfit("zoo", stored)


def test_the_refusal_names_what_to_make_again():
    environment, tasks = Made(version="new"), Made(version="t", of={"environment": "old"})
    said = r"^zoo: `tasks` made of another `environment` than .*; materialize what follows from `environment` again$"
    with pytest.raises(UserError, match=said):
        refuse_unfit("zoo", {"environment": environment, "tasks": tasks})


def test_what_says_nothing_of_itself_is_refused():
    with pytest.raises(UserError, match="`tasks` does not say what it was made of"):
        refuse_unfit("zoo", {"tasks": made_of(b"{}")})


def test_outputs_of_one_step_belong_together():
    lineage = StepLineage()
    lineage.read("verify", "zoo", "tasks", Made(version="t"))
    verified, rejected = (lineage.wrote("verify", "zoo", name, "v") for name in ("verified_tasks", "rejected_tasks"))
    assert rejected.of == {"tasks": "t", "verified_tasks": "v"}
    refuse_unfit("zoo", {"verified_tasks": verified, "rejected_tasks": rejected})
    with pytest.raises(UserError, match="`rejected_tasks` made of another `verified_tasks`"):
        refuse_unfit("zoo", {"verified_tasks": Made(version="w", of=verified.of), "rejected_tasks": rejected})


@given(st.dictionaries(st.sampled_from(CHAIN), st.text(max_size=3)))
def test_a_record_comes_back_as_it_was_and_is_the_same_text_in_any_order(of):
    made = Made(version="v", of=of)
    assert made_of(as_text(made)) == made
    assert as_text(Made(version="v", of=dict(reversed(of.items())))) == as_text(made)
