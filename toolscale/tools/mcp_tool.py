"""One tool of an MCP server, as an orchestrator is offered it: what it says is a stranger's text wherever it goes."""

import json
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from toolscale.artifacts import FunctionSpec
from toolscale.artifacts.base import Json
from toolscale.artifacts.bounded_schema import TooIntricate, errors_in, schema_faults, validator_of
from toolscale.errors import UserError
from toolscale.llm.redaction import redacted
from toolscale.llm.wellformed import well_formed, well_formed_value
from toolscale.printable import in_one_line, printable
from toolscale.tools.base import ToolFailed, fenced
from toolscale.tools.mcp_connection import McpConnection, Refused
from toolscale.tools.tool import ToolAnswer, ToolKind

if TYPE_CHECKING:
    from mcp.types import Tool as Listed

LONGEST_DESCRIPTION = 2_000
"""Characters of a server's description that an orchestrator is shown."""

LONGEST_SCHEMA = 20_000
"""Characters of an input schema; a tool with a longer one is left out."""

LONGEST_ANSWER = 20_000
"""Characters of an answer that an orchestrator is shown."""

_LONGEST_REMARK = 500
_REMARKS = ("description", "title", "$comment")


class Told(NamedTuple):
    """What a server says of a tool, bounded and cleaned."""

    description: str
    parameters: dict[str, Json]
    reads: bool
    """Whether the server says that it changes nothing."""


def told_of(connection: McpConnection, tool: str, introduction: str = "") -> Told:
    """What a server said of one of its tools; `introduction` is the user's own word on it, which comes first.

    Raises:
        UserError: it has no such tool, or one that cannot be offered.
    """
    server = connection.server
    found = [each for each in connection.listed if each.name == tool]
    if not found:
        known = redacted(", ".join(each.name for each in connection.listed), server.variables)
        names = in_one_line(known)[:LONGEST_DESCRIPTION]
        raise UserError(f"the MCP server {server.name} has no tool `{tool}`; it has {names or 'none'}")
    hints = found[0].annotations
    return Told(
        _description(connection, found[0], introduction),
        _parameters(connection, found[0]),
        hints is not None and hints.read_only_hint is True,
    )


class McpTool:
    """A tool of a server. May be called many times at once."""

    kind: ToolKind = "mcp"

    def __init__(self, connection: McpConnection, tool: str, name: str, told: Told, dollars: float = 0.0) -> None:
        """``name`` is what the orchestrator knows it by; ``dollars`` the fee of a call that the tool answered."""
        self._connection, self._tool, self._dollars = connection, tool, dollars
        self._spec = FunctionSpec(
            name=name,
            description=told.description,
            parameters=told.parameters,
            kind="read" if told.reads else "write",
        )
        self._validator = validator_of(told.parameters)

    @property
    def spec(self) -> FunctionSpec:
        """Name, description and parameters, as the orchestrator sees them."""
        return self._spec

    async def call(self, arguments: Mapping[str, Json]) -> ToolAnswer:
        """Answer, cleaned of keys and with the seconds that it took; never raises for what others did wrong."""
        started = time.perf_counter()
        given = well_formed_value(dict(arguments))
        try:
            self._check(given)
            answer = await self._answer(given)
        except Refused as refusal:
            answer = ToolAnswer(content=self._shown(refusal.said), error=str(refusal))
        except ToolFailed as failure:
            answer = ToolAnswer(error=self._cleaned(well_formed(str(failure))), dollars=failure.dollars)
        return answer.model_copy(update={"seconds": time.perf_counter() - started})

    async def _answer(self, arguments: dict[str, Json]) -> ToolAnswer:
        result = await self._connection.call(self._tool, arguments)
        texts = [text for text in map(_in_words, result.content) if text]
        structured = result.structured_content
        if structured is not None and not _repeat(texts, structured):
            texts.append(json.dumps(structured, ensure_ascii=False))
        error = f"{self._connection.server.name} reports an error" if result.is_error else None
        return ToolAnswer(content=self._shown("\n\n".join(texts)), error=error, dollars=self._dollars)

    def _check(self, arguments: dict[str, Json]) -> None:
        """See that the arguments fit. Raises ToolFailed."""
        try:
            fault = next(errors_in(self._validator, arguments), None)
        except TooIntricate as error:
            raise ToolFailed(f"the arguments cannot be checked: {error}") from None
        except Exception as error:
            # A reference that leads nowhere is found when it is followed.
            raise ToolFailed(f"the input schema of `{self._tool}` cannot be used: {type(error).__name__}") from None
        if fault is not None:
            where = ".".join(str(part) for part in fault.absolute_path)
            said = in_one_line(fault.message)[:300]
            raise ToolFailed(f"argument `{where}`: {said}" if where else said)

    def _shown(self, text: str) -> str:
        """A server's text as the orchestrator reads it."""
        text = self._cleaned(text).strip() or "(nothing)"
        left = len(text) - LONGEST_ANSWER
        cut = f"\n({left:,} more characters are left out)" if left > 0 else ""
        return fenced(text[:LONGEST_ANSWER], source=f"the MCP server {self._connection.server.name}") + cut

    def _cleaned(self, text: str) -> str:
        return redacted(text, self._connection.server.variables)


def _in_words(block: Any) -> str:
    """A part of an answer as text; what is no text is named."""
    match block.type:
        case "text":
            return str(block.text)
        case "image" | "audio":
            return f"[{block.type} not shown: {block.mime_type}, about {len(block.data) * 3 // 4:,} bytes]"
        case "resource_link":
            return f"[link: {block.name}, {block.uri}]"
        case "resource" if (text := getattr(block.resource, "text", None)) is not None:
            return str(text)
        case "resource":
            return f"[file not shown: {block.resource.uri}]"
        case other:
            return f"[{other} not shown]"


def _repeat(texts: list[str], structured: Any) -> bool:
    """Whether texts say what the structured content says: servers send both, for clients that read only one."""
    alone = structured["result"] if isinstance(structured, dict) and structured.keys() == {"result"} else structured
    said = [_as_json(text) for text in texts]
    return said in ([structured], [alone], alone) or texts in ([alone], alone)


def _as_json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _description(connection: McpConnection, tool: "Listed", introduction: str) -> str:
    server = connection.server
    said = printable(redacted(well_formed(tool.description or tool.title or ""), server.variables)).strip()
    more = len(said) > LONGEST_DESCRIPTION
    said = said[:LONGEST_DESCRIPTION] + (" ..." if more else "")
    first = [introduction] if introduction else []
    first.append(f"`{tool.name}` of the MCP server {server.name}, which describes it and its arguments itself.")
    return "\n".join([*first, *([fenced(said, source=f"the MCP server {server.name}")] if said else []), ""])


def _parameters(connection: McpConnection, tool: "Listed") -> dict[str, Json]:
    """The input schema, with short and printable remarks. Raises UserError for one that cannot be offered."""
    what = f"`{in_one_line(tool.name)[:80]}` of the MCP server {connection.server.name} cannot be offered: "
    schema: dict[str, Any] = well_formed_value(tool.input_schema)
    if fault := next(schema_faults(schema), ""):
        raise UserError(what + in_one_line(fault))
    schema = json.loads(redacted(json.dumps(_remarked(schema), ensure_ascii=False), connection.server.variables))
    schema = {"properties": {}, **schema}
    written = json.dumps(schema, ensure_ascii=False)
    if schema.get("type") != "object":
        raise UserError(what + "its input schema is not that of an object")
    if len(written) > LONGEST_SCHEMA:
        raise UserError(what + f"its input schema has more than {LONGEST_SCHEMA:,} characters")
    if printable(written) != written:
        raise UserError(what + "its input schema has characters that cannot be seen")
    return schema


def _remarked(schema: Any) -> Any:
    """A schema whose remarks are cut and printable. A property of such a name is a schema itself, and no text."""
    if isinstance(schema, list):
        return [_remarked(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: printable(part)[:_LONGEST_REMARK] if key in _REMARKS and isinstance(part, str) else _remarked(part)
        for key, part in schema.items()
    }
