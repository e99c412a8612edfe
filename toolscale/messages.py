"""Messages of a chat, in OpenAI's form."""

from typing import Any

Message = dict[str, Any]
"""One chat message: `role`, `content`, tool calls."""

CHARACTERS_PER_TOKEN = 4
"""How tokens are counted where a program answers in a model's place: it has no tokenizer."""


def text_of(message: Message) -> str:
    """A message's text, whether it comes as a string or as parts."""
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
