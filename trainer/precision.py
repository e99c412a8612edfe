"""What a machine computes fast in, and how weights are kept so that what they learn is seen in bfloat16."""

import zlib
from typing import Literal

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensor


def native() -> Literal["float32", "bfloat16"]:
    """bfloat16 where the device has arithmetic for it; a CPU without it is far slower in it than in float32."""
    if torch.cuda.is_available():
        able = torch.cuda.is_bf16_supported(including_emulation=False)
    else:
        able = any(torch.cpu.get_capabilities().get(name) for name in ("amx_bf16", "avx512_bf16", "bf16"))
    return "bfloat16" if able else "float32"


def as_on_a_gpu(tensor: Tensor) -> bool:
    """Whether it is on a GPU; or has no data, since memory is measured as a GPU has it."""
    return tensor.is_cuda or isinstance(tensor, FakeTensor)


def scattered(weight: Tensor, name: str, first: int = 0, at_once: int | None = None) -> Tensor:
    """float32 weights that bfloat16 rounds to what it makes of `weight`, each anywhere in reach of that value.

    A weight that lies on a value of bfloat16 has half a step of its grid to go before an update is seen at all, by the
    forward pass or by an engine: at a learning rate of 1e-4 that is most of them. From a point drawn evenly between
    where rounding begins and ends, as many weights cross over as the update is long, and what is seen moves by the
    update on average.

    Where an element goes depends on the name and on the element's place in the whole parameter, and on nothing else: it
    is the same on every device, and whether one process has the whole or each has a part.

    Args:
        weight: of any shape, finite.
        name: the parameter's; another name, other points.
        first: the place of its first element, where it is a part of the parameter that begins there.
        at_once: elements that are computed at a time; None takes what suits the device.
    """
    made = weight.bfloat16().float().contiguous()
    bits, key = made.view(-1).view(torch.int32), zlib.crc32(name.encode())
    # What fits a core's cache; on a GPU some 200 MiB in all.
    at_once = at_once or (2**24 if as_on_a_gpu(weight) else 2**17)
    for start in range(0, bits.numel(), at_once):
        piece = bits[start : start + at_once]
        offsets = _offsets(key, first + start, len(piece), piece.device)
        # Below zero there are other numbers than below the bits of zero.
        piece += offsets.masked_fill_(piece & 0x7FFFFFFF == 0, 0)
    return made


def _offsets(key: int, first: int, count: int, device: torch.device) -> Tensor:
    """The sixteen bits that bfloat16 has not, from just above one tie to just below the next, for elements from a
    place on. By integers of 32 bits alone, whose every operation is the same everywhere."""
    # Counted around at 2^32; no parameter is as large.
    mixed = torch.arange(count, device=device, dtype=torch.int32).add_(_signed(first)).bitwise_xor_(_signed(key))
    # triple32 of https://github.com/skeeto/hash-prospector, which takes places in a row for as many chances.
    for shift, factor in ((17, 0xED5AD4BB), (11, 0xAC4C1B51), (15, 0x31848BAB)):
        mixed = _folded(mixed, shift).mul_(_signed(factor))
    offsets = _folded(mixed, 14).bitwise_right_shift_(16)
    # A tie, which one of 65,536 would hit, may round to the other side.
    return offsets.masked_fill_(offsets == -0x8000, 0)


def _folded(bits: Tensor, shift: int) -> Tensor:
    """bits ^ (bits >> shift) in place, where the bits that move in are zeros."""
    return bits.bitwise_xor_((bits >> shift).bitwise_and_(0xFFFFFFFF >> shift))


def _signed(bits: int) -> int:
    """The int32 of these 32 bits."""
    return (bits + 2**31) % 2**32 - 2**31
