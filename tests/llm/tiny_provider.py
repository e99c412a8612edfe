"""A provider that runs in this process, named as the reference's is: by `module:attribute`."""

from typing import Any

from toolscale.errors import UserError
from toolscale.llm.offer import Offer
from toolscale.llm.reply import ChatReply


class Tiny:
    """Echoes what reached it; raises what the last message asks for."""

    edition = ""

    def __init__(self) -> None:
        self.seen: list[dict[str, Any]] = []

    def complete(
        self, model: str, messages: list[dict[str, Any]], tools: Offer | None, params: dict[str, Any]
    ) -> ChatReply:
        self.seen.append({"model": model, "messages": messages, "tools": tools.tools if tools else [], **params})
        asked = messages[-1]["content"]
        if asked == "unknown domain":
            try:
                dict[str, str]()["casino"]
            except KeyError as missing:
                raise UserError("domain `casino`: no reference knows it; set TOOLSCALE_DEFAULT_MODEL") from missing
        if asked == "bug":
            raise KeyError("station")
        said = {"role": "assistant", "content": f"you said {asked}"}
        return ChatReply(said, "stop", prompt_tokens=7, completion_tokens=3, cached=False)


PROVIDER = Tiny()
