"""`--echo-schema`: the answer is a minimal instance of whatever JSON schema the request asks for."""

import json
from functools import lru_cache
from typing import Any

from toolscale.messages import Message
from toolscale.mock_endpoint.echo.instances import NoInstance, minimal_instance
from toolscale.openai_api.chat import Answer, ApiError, ChatRequest

PLAIN_ANSWER = "ok"
"""What a request gets that asks for no form."""


def echo(chat: ChatRequest) -> Answer:
    """A minimal answer in the form that a request asks for.

    Raises:
        ApiError: no instance of the schema was found (400).
    """
    return Answer(_message(chat))


def _message(chat: ChatRequest) -> Message:
    """A call of the tool that must be called, else an instance of the schema asked for, else plain text."""
    try:
        if parameters := _forced_tool(chat):
            name, schema = parameters
            function = {"name": name, "arguments": _instance(json.dumps(schema))}
            call = {"id": "call_0", "type": "function", "function": function}
            return {"role": "assistant", "content": None, "tool_calls": [call]}
        schema = chat.schema_asked_for
        if schema is not None:
            return {"role": "assistant", "content": _instance(json.dumps(schema))}
    except NoInstance as error:
        raise ApiError(400, "not_answered", f"--echo-schema found no instance of this schema: {error}") from error
    json_mode = chat.response_format is not None and chat.response_format["type"] == "json_object"
    return {"role": "assistant", "content": "{}" if json_mode else PLAIN_ANSWER}


def _forced_tool(chat: ChatRequest) -> tuple[str, Any] | None:
    """Name and parameters of the tool that the request says must be called."""
    if not isinstance(chat.tool_choice, dict) and chat.tool_choice != "required":
        return None
    wanted = chat.tool_choice["function"]["name"] if isinstance(chat.tool_choice, dict) else None
    for tool in chat.offered:
        function = tool["function"]
        if wanted in (None, function["name"]):
            return function["name"], function.get("parameters") or {"type": "object"}
    raise ApiError(400, "malformed_request", f"tool_choice: no such tool: {wanted or 'none is offered'}")


@lru_cache(maxsize=1024)
def _instance(schema: str) -> str:
    return json.dumps(minimal_instance(json.loads(schema)))
