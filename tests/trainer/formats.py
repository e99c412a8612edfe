"""A chat of each format, with a template of ours in the same form as the models' own."""

from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

TEMPLATES = Path(__file__).parent / "chat_templates"
HERMES = Path(__file__).parents[2] / "trainer" / "templates" / "hermes.jinja"
LLAMA = ("<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", "<|python_tag|>")
BRACKETS = ("[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[INST]", "[/INST]")
MISTRAL = ("<s>", "</s>", *BRACKETS, "[TOOL_CALLS]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]")
GEMMA = ("<bos>", "<|turn>", "<turn|>", "<|tool>", "<tool|>", "<|tool_call>", "<tool_call|>", '<|"|>')
TOKENS: Mapping[str, tuple[str, ...]] = {
    "hermes": (),
    "thinks": (),
    "qwen3_coder": (),
    "llama3_json": LLAMA,
    "pythonic": LLAMA,
    "pythonic_loose": ("<bos>", "<start_of_turn>", "<end_of_turn>"),
    "mistral": (*MISTRAL, "[ARGS]", "[THINK]", "[/THINK]"),
    "mistral_list": MISTRAL,
    "mistral_moving": MISTRAL,
    "gemma4": (*GEMMA, "<|tool_response>", "<tool_response|>", "<|channel>", "<channel|>"),
}
"""Template -> the special tokens that it writes, the first two of which begin and end a text."""


REWRITES = {"thinks", "pythonic_loose", "mistral_moving"}
"""Those that write earlier turns otherwise when they are past."""


def tokenizer_of(name: str, base: Any, *swaps: tuple[str, str]) -> Any:
    """The tokenizer with this template and its tokens; each of `swaps` is put in another's place in the template."""
    made, tokens = deepcopy(base), TOKENS[name]
    if tokens:
        made.add_special_tokens({"additional_special_tokens": list(tokens)})
        made.bos_token = tokens[0]
        made.eos_token = "</s>" if "</s>" in tokens else "<|endoftext|>"
    file = HERMES if name == "hermes" else TEMPLATES / f"{name}.jinja"
    template = file.read_text(encoding="utf-8")
    for old, new in swaps:
        assert template.count(old) == 1, old
        template = template.replace(old, new)
    made.chat_template = template
    return made
