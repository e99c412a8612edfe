"""The offline model as a provider of our own: the gateway asks it as it asks any other."""

import hashlib
from pathlib import Path
from typing import Any

from toolscale.errors import UserError
from toolscale.input_files import files_in
from toolscale.llm.offer import Offer
from toolscale.llm.reply import ChatReply
from toolscale.messages import CHARACTERS_PER_TOKEN, text_of
from toolscale.reference.model import OfflineRequest, answer


def _edition() -> str:
    digest = hashlib.sha256()
    here = Path(__file__).parent
    for folder in (here, *(here.with_name(room) for room in ("programs", "templates"))):
        for path in files_in(folder, "*.py", "*.md", "*.yaml", "*.csv", "*.json", deep=True):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


class OfflineModel:
    """Answers `offline/reference`."""

    edition = _edition()
    """A hash of the reference domains and the offline model: the cache keeps the answers of two editions apart."""

    def complete(
        self, model: str, messages: list[dict[str, Any]], tools: Offer | None, params: dict[str, Any]
    ) -> ChatReply:
        """One chat completion.

        Raises:
            UserError: the model is not `reference`, or the prompt is not one of the factory's.
        """
        if model != "reference":
            raise UserError(f"offline/{model}: there is one offline model, `offline/reference`")
        message = answer(OfflineRequest(messages, tools.tools if tools else [], int(params.get("seed") or 0)))
        prompt = sum(len(text_of(each)) for each in messages) + (len(tools.body) if tools else 0)
        calls = message.get("tool_calls")
        completion = len(message.get("content") or "") + len(str(calls or ""))
        return ChatReply(
            message=message,
            finish_reason="tool_calls" if calls else "stop",
            prompt_tokens=prompt // CHARACTERS_PER_TOKEN,
            completion_tokens=completion // CHARACTERS_PER_TOKEN,
            cached=False,
        )


PROVIDER = OfflineModel()
