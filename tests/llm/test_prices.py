"""Every call has a price: the settings', the list's, or an error before anything is asked."""

import re
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.llm.conftest import FOR, HELLO, Connect
from tests.openai_server import OpenAIServer
from toolscale.errors import UserError
from toolscale.llm import UnknownPrice
from toolscale.llm.prices import Prices
from toolscale.settings import Price, Settings
from toolscale.store import ModelCall, Store

UNPRICED = "openai/nobody-prices-this"


async def test_a_model_without_a_price_is_an_error_before_the_first_request(connect: Connect, store: Store) -> None:
    with OpenAIServer(lambda request: "x") as server, pytest.raises(UnknownPrice, match=UNPRICED):
        await connect(server, default_model=UNPRICED).text("teacher", HELLO, **FOR)
    assert server.requests == []
    assert store.rows(ModelCall) == []


def complaint() -> str:
    with pytest.raises(UserError) as caught:
        Prices({}).look_up(UNPRICED)
    return str(caught.value)


def test_the_errors_lines_can_be_copied_as_they_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    said = complaint()
    assert "\n" not in said
    variable = re.search(r"TOOLSCALE_PRICES='(.*?)'", said)
    line = re.search(r"prices = \{.*\}\}", said)
    assert variable
    assert line
    monkeypatch.setenv("TOOLSCALE_PRICES", variable[1])
    assert Prices(Settings.load().prices).dollars(UNPRICED, 1000, 1000) == 0
    assert tomllib.loads(line[0])["prices"] == {UNPRICED: {"input": 0, "output": 0}}


def test_the_settings_price_wins_over_the_list() -> None:
    listed = Prices({}).dollars("openai/gpt-4o-mini", 1_000_000, 0)
    assert 0 < listed < 1
    assert Prices({"openai/gpt-4o-mini": Price(input=7, output=9)}).dollars("openai/gpt-4o-mini", 1e6, 2e6) == 25


def test_a_batch_costs_half() -> None:
    prices = Prices({"openai/m": Price(input=2, output=8)})
    assert prices.dollars("openai/m", 300, 50, batch=True) == prices.dollars("openai/m", 300, 50) / 2 > 0


@given(*[st.floats(0, 1e6)] * 4, st.floats(0, 1), st.floats(0, 1))
def test_no_call_costs_more_than_was_held_for_it_whatever_is_cached(
    fresh: float, cached: float, written: float, output: float, hit: float, wrote: float
) -> None:
    prices = Prices({"openai/m": Price(input=fresh, output=output, cached_input=cached, cache_write=written)})
    hit, wrote = 1000 * hit, 1000 * (1 - hit) * wrote
    held = prices.at_most("openai/m", 1000, 50)
    assert prices.dollars("openai/m", 1000, 50, hit, wrote) <= held * (1 + 1e-9)


def test_cached_input_without_a_price_of_its_own_costs_the_full_price() -> None:
    prices = Prices({"openai/m": Price(input=2, output=8)})
    assert prices.dollars("openai/m", 300, 50, 200, 100) == prices.dollars("openai/m", 300, 50)


def test_litellms_price_of_cached_input_is_taken_from_its_list() -> None:
    price = Prices({}).look_up("openai/gpt-4o-mini")
    assert price.cached_input is not None
    assert 0 < price.cached_input < price.input
    claude = Prices({}).look_up("anthropic/claude-sonnet-4-5")
    assert claude.cached_input
    assert claude.cache_write
    assert claude.cached_input < claude.input < claude.cache_write


def test_the_offline_model_is_free_unless_a_price_is_set_for_it() -> None:
    assert Prices({}).dollars("offline/reference", 1e6, 1e6) == 0
    assert Prices({"offline/reference": Price(input=1, output=1)}).dollars("offline/reference", 1e6, 1e6) == 2
