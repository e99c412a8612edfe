"""Prompts: one Jinja2 file each, with a system and a user block; found the same way in a checkout and installed."""

import hashlib
import json
from functools import lru_cache
from pathlib import Path
from typing import Any

import jinja2

from toolscale.messages import Message


def data_folder(name: str) -> Path:
    """The folder `prompts` or `schemas`, or the file `LICENSE`: beside the package in a checkout, else inside it."""
    package = Path(__file__).resolve().parent
    installed = package / "_data" / name
    return installed if installed.exists() else package.parent / name


@lru_cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(data_folder("prompts")),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )
    # Jinja's own tojson escapes for HTML, which a model would copy into its answer.
    environment.filters["tojson"] = lambda value: json.dumps(value, ensure_ascii=False)
    return environment


def render(prompt: str, **inputs: Any) -> list[Message]:
    """The prompt's messages: the system block, and the user block where it has one.

    Raises:
        jinja2.UndefinedError: the prompt needs an input that was not given.
    """
    template = _environment().get_template(f"{prompt}.j2")
    return [
        {"role": role, "content": "".join(template.blocks[role](template.new_context(inputs))).strip()}
        for role in ("system", "user")
        if role in template.blocks
    ]


def prompt_hash(*prompts: str) -> str:
    """A short hash of prompt files: it changes when a prompt does."""
    digest = hashlib.sha256()
    for prompt in sorted(prompts):
        digest.update((data_folder("prompts") / f"{prompt}.j2").read_bytes())
    return digest.hexdigest()[:12]
