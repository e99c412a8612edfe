"""Figures of how alike words are: between one text said over and over, and texts that share nothing."""

import random

from hypothesis import given
from hypothesis import strategies as st

from toolscale.dataset.diversity import SAMPLED, Diversity, compared

WORDS = st.lists(
    st.sampled_from(["apple", "bread", "cloud", "drum", "elk", "fish", "gate", "hill"]), min_size=4, max_size=12
)


@given(WORDS, st.integers(2, 6))
def test_one_text_over_and_over_is_as_alike_as_can_be(words, count):
    found = Diversity.of([" ".join(words)] * count)
    assert found.nearest == 1
    assert found.openings == 1 / count
    assert found.distinct_3 <= 1 / count


@given(st.lists(WORDS, min_size=1, max_size=6), st.randoms())
def test_the_order_of_texts_does_not_matter(texts, rng):
    said = [" ".join(each) for each in texts]
    shuffled = rng.sample(said, len(said))
    one, other = Diversity.of(said), Diversity.of(shuffled)
    assert (one.texts, one.distinct_3, one.openings) == (other.texts, other.distinct_3, other.openings)
    assert abs(one.nearest - other.nearest) < 1e-9


def test_texts_that_share_nothing_differ_in_everything():
    assert Diversity.of(["one two three four", "five six seven eight"]) == Diversity(2, 1.0, 0.0, 1.0)


def test_another_id_makes_no_other_words():
    texts = [f"Please cancel booking BK-{random.Random(at).randrange(10_000)} for me" for at in range(5)]
    assert Diversity.of(texts).nearest == 1


def test_a_source_with_few_tasks_does_not_shrink_the_comparison():
    assert compared([1000, 300, 3]) == SAMPLED
    assert compared([1000, 60]) == 60
