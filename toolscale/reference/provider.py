"""The offline model as a litellm provider, so that the pipeline's own path is the path that runs."""

import hashlib
from pathlib import Path
from typing import Any

from toolscale.llm.providers import litellm
from toolscale.reference.agent import text_of
from toolscale.reference.model import CHARACTERS_PER_TOKEN, Request, answer

_litellm = litellm()


def _edition() -> str:
    digest = hashlib.sha256()
    folder = Path(__file__).parent
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".py", ".md") and path.relative_to(folder).parts[0] != "server":
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


class OfflineModel(_litellm.CustomLLM):  # type: ignore[misc,name-defined]
    """Answers `offline/reference`."""

    edition = _edition()
    """A hash of the reference domains and the offline model: the cache keeps the answers of two editions apart."""

    async def acompletion(self, *, model: str, messages: list[dict[str, Any]], **call: Any) -> Any:
        """One chat completion.

        Raises:
            UserError: the model is not `reference`, or the prompt is not one of the factory's.
        """
        return self._complete(model, messages, **call)

    def completion(self, *, model: str, messages: list[dict[str, Any]], **call: Any) -> Any:
        """The same, for callers that do not await."""
        return self._complete(model, messages, **call)

    def _complete(self, model: str, messages: list[dict[str, Any]], **call: Any) -> Any:
        params = call.get("optional_params") or {}
        tools = params.get("tools") or []
        message = answer(Request(messages, tools, int(params.get("seed") or 0)))
        response = call["model_response"]
        choice = response.choices[0]
        choice.message = _litellm.Message(**message)
        choice.finish_reason = "tool_calls" if message.get("tool_calls") else "stop"
        prompt = sum(len(text_of(each)) for each in messages) // CHARACTERS_PER_TOKEN
        completion = (
            len(message.get("content") or "") + len(str(message.get("tool_calls") or ""))
        ) // CHARACTERS_PER_TOKEN
        response.model = f"offline/{model}"
        response.usage = _litellm.Usage(
            prompt_tokens=prompt, completion_tokens=completion, total_tokens=prompt + completion
        )
        return response


PROVIDER = OfflineModel()
