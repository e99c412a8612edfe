"""Looking for keys in what is about to be published."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from upath import UPath

from pipelines.parquet import parquet_of
from toolscale.llm.redaction import redacted

_FORMS = {
    "OpenAI or Anthropic": r"\bsk-[A-Za-z0-9_-]{24,}",
    "Hugging Face": r"\bhf_[A-Za-z0-9]{30,}",
    "GitHub": r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{50,})",
    "Amazon": r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",
    "Google": r"\bAIza[A-Za-z0-9_-]{35}",
    "Slack": r"\bxox[abprs]-[A-Za-z0-9-]{20,}",
    "a private key's": r"-----BEGIN [A-Z ]*PRIVATE KEY-----",
}
"""Whose keys -> their form, as those who give them out document it."""


def keys_in(text: str) -> Iterator[str]:
    """What looks like a key in a text, one sentence each; never the key itself."""
    if redacted(text) != text:
        yield "holds the value of a variable whose name ends in KEY, TOKEN, SECRET or PASSWORD"
    for whose, form in _compiled().items():
        if form.search(text):
            yield f"holds what has the form of a key of {whose}"


def key_faults(files: list[UPath]) -> Iterator[str]:
    """What looks like a key in files, Parquet or text, one sentence a fault."""
    for file in files:
        for text in _texts(file):
            yield from (f"{file.name} {found}" for found in keys_in(text))


def _texts(file: UPath) -> Iterator[str]:
    content = file.read_bytes()
    if file.suffix != ".parquet":
        yield content.decode(errors="replace")
        return
    stored = parquet_of(content)
    for group in range(stored.num_row_groups):
        yield "\n".join(stored.read_row_group(group, columns=["json"], use_threads=False)["json"].to_pylist())


@cache
def _compiled() -> dict[str, Any]:
    import re2

    return {whose: re2.compile(form) for whose, form in _FORMS.items()}
