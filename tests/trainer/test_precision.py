"""Weights kept so that bfloat16 sees what they learn."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from trainer.precision import scattered


@given(
    st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False, min_value=-(2.0**126), max_value=2.0**126)),
    st.text(max_size=9),
    st.integers(0, 2**34),
)
def test_bfloat16_sees_the_same_weights(values, name, first):
    weight = torch.tensor(values, dtype=torch.float32)
    found = scattered(weight, name, first)
    assert found.dtype == torch.float32
    assert torch.equal(found.bfloat16().view(torch.int16), weight.bfloat16().view(torch.int16))


@given(st.integers(0, 40), st.integers(0, 40), st.integers(1, 50), st.integers(0, 2**34))
def test_a_part_is_that_part_of_the_whole_however_it_is_cut(start, length, at_once, first):
    weight = torch.linspace(-1, 1, 80).view(8, 10)
    whole = scattered(weight, "name", first)
    assert torch.equal(scattered(weight, "name", first, at_once), whole)
    part = weight.view(-1)[start : start + length]
    assert torch.equal(scattered(part, "name", first + start), whole.view(-1)[start : start + length])


def test_where_a_weight_goes_is_known_once_and_for_all():
    """Not what a version of a library, or a device, happens to draw."""
    found = scattered(torch.ones(6), "model.embed_tokens.weight")
    assert (found.view(torch.int32) - 0x3F800000).tolist() == [29329, 1128, 20908, -22964, -10452, -20788]
    assert not torch.equal(found, scattered(torch.ones(6), "lm_head.weight"))


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="wants a GPU")
def test_a_gpu_scatters_to_the_same_places():
    weight = torch.randn(1000, 3001)
    assert torch.equal(scattered(weight.cuda(), "name").cpu(), scattered(weight, "name"))


def test_offsets_are_even_and_know_nothing_of_their_neighbours():
    bits = scattered(torch.ones(1_000_000), "name").view(torch.int32) - 0x3F800000
    counts = torch.bincount((bits + 0x7FFF) // 257, minlength=255).double()
    assert bits.abs().max() <= 0x7FFF
    assert ((counts - counts.mean()) ** 2 / counts.mean()).sum() == pytest.approx(254, abs=6 * (2 * 254) ** 0.5)
    spread = bits.double() / bits.double().std()
    for lag in (1, 2, 64, 576, 4096):
        assert (spread[:-lag] * spread[lag:]).mean().abs() < 6e-3, lag


def test_zeros_stay_zeros():
    weight = torch.tensor([0.0, -0.0])
    assert torch.equal(scattered(weight, "name").view(torch.int32), weight.view(torch.int32))


@pytest.mark.parametrize("update", [3e-6, 1e-4, -2e-5])
def test_what_bfloat16_sees_moves_by_the_update_on_average_and_from_its_grid_not_at_all(update):
    # Evenly spaced between a quarter and a half: bfloat16 has a value every 2^-9 there.
    weight = torch.linspace(0.26, 0.49, 1_000_000).bfloat16().float()

    def moved(start: torch.Tensor) -> float:
        return (start + update).bfloat16().float().sub(weight).mean(dtype=torch.float64).item()

    assert moved(weight) == 0
    # A share of update / 2^-9 of a million weights crosses over, each by 2^-9.
    spread = (abs(update) * 2**-9 / len(weight)) ** 0.5
    assert moved(scattered(weight, "name")) == pytest.approx(update, abs=5 * spread + 2e-7)
