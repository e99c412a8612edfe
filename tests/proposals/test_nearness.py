"""The same domain in other words is too near, a neighbour is not, however many others there are."""

from random import Random

import pytest

from tests.proposals.written import as_known, references, written
from toolscale.proposals.nearness import Known, Nearness

REWORDED = {name: each["same_as"] for name, each in written().items() if "same_as" in each and "unseen" not in each}
UNSEEN = {name: each["same_as"] for name, each in written().items() if "unseen" in each}
DIFFERENT = [name for name in written() if name not in {**REWORDED, **UNSEEN}]


def found_near(domains):
    """Each domain that is too near to one before it -> what it is too near to."""
    nearness = Nearness(domains)
    nearest = [nearness.nearest(at, range(at)) for at in range(len(domains))]
    return {domain.name: near.to for domain, near in zip(domains, nearest, strict=True) if near}


def test_of_all_domains_those_in_other_words_are_too_near_and_no_others():
    assert found_near([*references(), *map(as_known, DIFFERENT), *map(as_known, REWORDED)]) == REWORDED


@pytest.mark.xfail(strict=True, reason="words are all that is compared")
def test_a_domain_in_synonyms_throughout_is_too_near():
    assert found_near([*references(), *map(as_known, [*DIFFERENT, *UNSEEN])]) == UNSEEN


@pytest.mark.parametrize("seed", range(20))
def test_so_it_is_where_only_a_handful_is_compared(seed):
    some = Random(seed).sample(DIFFERENT, 4)
    again = [name for name, same in REWORDED.items() if same in some]
    assert found_near([*references(), *map(as_known, [*some, *again])]) == {name: REWORDED[name] for name in again}


def test_the_same_tables_are_too_near_whatever_the_description_says():
    twin = as_known("hotel_front_desk")._replace(name="lodgings", description="Somewhere to stay, of which no more.")
    nearness = Nearness([*references(), as_known("hotel_front_desk"), twin])
    near = nearness.nearest(11, range(11))
    assert (near.to, near.by) == ("hotel_front_desk", "schema")
    assert near.figure > 0.99


def test_the_reason_names_the_domain_and_the_words_that_weigh_most():
    nearness = Nearness([*references(), as_known("waste_collection"), as_known("household_refuse_service")])
    near = nearness.nearest(11, range(11))
    assert near.reason.startswith("too near to `waste_collection`: their ")
    assert {"bin", "bins", "waste", "bulky"} & set(near.shared)


def test_a_domain_that_says_nothing_is_near_to_none():
    empty = Known("nothing", "", {})
    assert Nearness([empty, empty._replace(name="nothing_either")]).nearest(1, [0]) is None
    assert Nearness([as_known("funeral_home")]).nearest(0, []) is None
