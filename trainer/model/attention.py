"""Attention over a micro-batch, a stretch at a time: what a mask would leave out is not computed at all."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensor
from torch.backends.cuda import SDPAParams, can_use_flash_attention
from torch.nn.attention.bias import causal_lower_right
from torch.nn.functional import scaled_dot_product_attention
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.integrations.sdpa_attention import repeat_kv, sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

STRETCHES = "stretches"
"""The name under which transformers' models find it."""

UNMASKED = torch.empty(1, 1, 0, 0)
"""The mask to give with spans: transformers takes one of four dimensions as it is, and makes none of its own."""

Span = tuple[slice, slice | None]
"""Where a stretch lies, and where the one that goes before it."""


def attend(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    spans: Sequence[Span] | None = None,
    **more: Any,
) -> tuple[Tensor, None]:
    """transformers' attention function; `spans` is passed on from the call of the model.

    Args:
        module: the layer's attention.
        query: [1, H, T, D].
        key: [1, K, T, D], with H a multiple of K.
        value: like `key`.
        attention_mask: `UNMASKED` with spans.
        scaling: of the products.
        dropout: 0.
        spans: every stretch of the T tokens, in order. Each token attends to the stretch that goes before its own, and
            to its own up to itself. None is a call of anybody's.
        more: what other attention functions want.

    Returns:
        [1, T, H, D].
    """
    if spans is None:
        return sdpa_attention_forward(module, query, key, value, attention_mask, dropout, scaling, **more)
    # Rotation may have left queries and keys in float32 where autocast computes the values in less.
    query, key = query.to(value.dtype), key.to(value.dtype)
    grouped = reads_groups(query, key, value)
    if not grouped:
        heads_a_key = query.shape[1] // key.shape[1]
        key, value = repeat_kv(key, heads_a_key), repeat_kv(value, heads_a_key)
    places = {own.start: place for place, (own, _) in enumerate(spans)}
    # Not slices: the gradient of each would be a tensor as long as all stretches together.
    queries, each_key, each_value = (
        torch.split(whole, [own.stop - own.start for own, _ in spans], dim=2) for whole in (query, key, value)
    )
    attended = []
    for place, (_, before) in enumerate(spans):
        asks, keys, values = queries[place], each_key[place], each_value[place]
        if before is not None:
            first = places[before.start]
            keys = torch.cat([each_key[first], keys], dim=2)
            values = torch.cat([each_value[first], values], dim=2)
        mask = _causal(asks, keys)
        attended.append(
            scaled_dot_product_attention(asks, keys, values, attn_mask=mask, scale=scaling, enable_gqa=grouped)
        )
    return torch.cat(attended, dim=2).transpose(1, 2), None


def reads_groups(query: Tensor, key: Tensor, value: Tensor) -> bool:
    """Whether the kernel reads a key once for all heads that share it, or each of them has to have a copy.

    A GPU's flash attention does. Its other kernels do not, and the CPU's adds up such keys' gradients in bfloat16.
    """
    if isinstance(query, FakeTensor):  # Memory is measured as a GPU has it, whose flash attention takes no float32.
        return query.dtype != torch.float32
    return query.is_cuda and can_use_flash_attention(SDPAParams(query, key, value, None, 0.0, False, True))


def _causal(asks: Tensor, keys: Tensor) -> Any:
    """The mask under which the last query attends to the last key; none for tensors that have no data.

    With those memory is measured, and a GPU's kernel knows the mask by its name, where the CPU's writes it out.
    """
    return None if isinstance(asks, FakeTensor) else causal_lower_right(asks.shape[2], keys.shape[2])


AttentionInterface.register(STRETCHES, attend)
# For calls without spans, which are those of scaled dot product attention.
AttentionMaskInterface.register(STRETCHES, sdpa_mask)
