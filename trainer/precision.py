"""What a machine computes fast in."""

from typing import Literal

import torch


def native() -> Literal["float32", "bfloat16"]:
    """bfloat16 where the device has arithmetic for it; a CPU without it is far slower in it than in float32."""
    if torch.cuda.is_available():
        able = torch.cuda.is_bf16_supported(including_emulation=False)
    else:
        able = any(torch.cpu.get_capabilities().get(name) for name in ("amx_bf16", "avx512_bf16", "bf16"))
    return "bfloat16" if able else "float32"
