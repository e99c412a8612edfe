"""A solution replayed from a conversation goes on where the conversation stopped."""

import pytest

from toolscale.artifacts import Call
from toolscale.reference.enact import CallResult, advance, strictly
from toolscale.reference.program import CallRefused, DeadEnd, Reply, choose, do


def cheapest_that_can_be_booked():
    offers = yield do("search", city="Bern", limit=None)
    offer = yield choose(offers, key=lambda each: each["price"])
    try:
        booked = yield do("book", offer=offer["id"])
    except CallRefused as refusal:
        return Reply(f"Sorry: {refusal}.", (str(refusal),))
    return Reply(f"Booked as {booked}.", (booked,))


OFFERS = [{"id": "b", "price": 30}, {"id": "a", "price": 20}]


def test_each_outcome_leads_to_the_next_call_and_the_last_to_the_reply():
    search = CallResult(OFFERS)
    assert advance(strictly(cheapest_that_can_be_booked()), []) == (
        Call(name="search", arguments={"city": "Bern"}),
        None,
    )
    assert advance(strictly(cheapest_that_can_be_booked()), [search])[0] == Call(name="book", arguments={"offer": "a"})
    call, reply = advance(strictly(cheapest_that_can_be_booked()), [search, CallResult("X-77")])
    assert call is None
    assert reply == Reply("Booked as X-77.", ("X-77",))


def test_a_refusal_is_thrown_into_the_policy():
    _, reply = advance(strictly(cheapest_that_can_be_booked()), [CallResult(OFFERS), CallResult(error="sold out")])
    assert reply == Reply("Sorry: sold out.", ("sold out",))


def test_a_refusal_that_the_policy_does_not_expect_comes_out():
    with pytest.raises(CallRefused, match="closed"):
        advance(strictly(cheapest_that_can_be_booked()), [CallResult(error="closed")])


@pytest.mark.parametrize("offers", [[], [{"id": "a", "price": 20}, {"id": "b", "price": 20}]])
def test_no_candidate_and_a_tie_are_dead_ends(offers):
    with pytest.raises(DeadEnd):
        advance(strictly(cheapest_that_can_be_booked()), [CallResult(offers)])


def test_a_reply_that_does_not_say_what_it_must_tell_is_a_mistake_of_its_author():
    with pytest.raises(ValueError, match="does not say"):
        Reply("All done.", ("X-77",))
