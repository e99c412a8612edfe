"""A provider that runs in this process, registered as the reference's is: by `module:attribute`."""

from typing import Any

from litellm.llms.custom_llm import CustomLLM
from litellm.types.utils import Usage

from toolscale.errors import UserError


class Tiny(CustomLLM):
    """Echoes what reached it; raises what the last message asks for."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[dict[str, Any]] = []

    async def acompletion(  # type: ignore[override]
        self,
        *,
        model: str,
        messages: list[dict[str, Any]],
        optional_params: dict[str, Any],
        model_response: Any,
        **_: Any,
    ) -> Any:
        self.seen.append({"model": model, "messages": messages, **optional_params})
        asked = messages[-1]["content"]
        if asked == "unknown domain":
            try:
                dict[str, str]()["casino"]
            except KeyError as missing:
                raise UserError("domain `casino`: no reference knows it; set TOOLSCALE_DEFAULT_MODEL") from missing
        if asked == "bug":
            raise KeyError("station")
        model_response.choices[0].message.content = f"you said {asked}"
        model_response.usage = Usage(prompt_tokens=7, completion_tokens=3, total_tokens=10)
        return model_response


PROVIDER = Tiny()
