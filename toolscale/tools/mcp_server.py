"""A server of tools that speaks the Model Context Protocol: how it is reached, and what of it may be offered."""

import os
import re
from typing import Self
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from toolscale.artifacts.base import Artifact, Name
from toolscale.errors import UserError

LONGEST_NAME = 63
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_HEADER = re.compile(r"[A-Za-z0-9-]+")
_HEADER_VALUE = re.compile(r"(?:[A-Za-z]+ )?\$([A-Za-z_][A-Za-z0-9_]*)")


class McpServer(Artifact):
    """One server. It holds the names of variables that have keys, never a key."""

    name: Name = Field(description="What the names of its tools begin with.")
    command: list[str] = Field(default_factory=list, description="Program and arguments; no shell reads them.")
    url: str = Field(default="", description="Where it answers over streamable HTTP, if it is not started here.")
    tools: list[str] | None = Field(default=None, description="The tools that may be offered; null = all it has.")
    timeout_seconds: float = Field(
        default=60.0, gt=0, le=3600, description="Longest wait for its start with its list of tools, and for a call."
    )
    env: list[str] = Field(default_factory=list, description="Environment variables that a started server gets too.")
    headers: dict[str, str] = Field(
        default_factory=dict, description="Header -> `$VARIABLE` or `Bearer $VARIABLE`, sent to the URL."
    )

    @field_validator("url")
    @classmethod
    def _is_an_address(cls, url: str) -> str:
        parts = urlsplit(url)
        if url and (parts.scheme not in ("http", "https") or not parts.hostname):
            raise ValueError("write it as http://HOST/PATH or https://HOST/PATH")
        if parts.username is not None or parts.password is not None:
            raise ValueError("a user or a password does not belong in a URL: name a variable in `headers`")
        return url

    @field_validator("env")
    @classmethod
    def _are_variables(cls, names: list[str]) -> list[str]:
        if any(not _VARIABLE.fullmatch(name) for name in names):
            raise ValueError("list the names of environment variables, without their values")
        return names

    @field_validator("headers")
    @classmethod
    def _name_variables(cls, headers: dict[str, str]) -> dict[str, str]:
        for header, value in headers.items():
            if not _HEADER.fullmatch(header) or not _HEADER_VALUE.fullmatch(value):
                raise ValueError(
                    "a header names the environment variable that has its value, "
                    'such as Authorization = "Bearer $DESK_TOKEN"'
                )
        return headers

    @field_validator("tools")
    @classmethod
    def _are_there_once(cls, tools: list[str] | None) -> list[str] | None:
        if tools is not None and (not all(tools) or len(set(tools)) < len(tools)):
            raise ValueError("name each tool once, as the server does")
        return tools

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if bool(self.command) == bool(self.url) or (self.command and not self.command[0]):
            raise ValueError("give either `command`, a list of program and arguments, or `url`")
        if self.env and self.url:
            raise ValueError("`env` is for a server that is started with `command`; a URL has `headers`")
        if self.headers and self.command:
            raise ValueError("`headers` is for a `url`; a server that is started with `command` has `env`")
        names = [offered_name(self.name, tool) for tool in self.tools or []]
        if len(set(names)) < len(names):
            raise ValueError("two of its tools would be offered by the same name")
        return self

    @property
    def variables(self) -> list[str]:
        """The environment variables whose values it gets."""
        return [*self.env, *(value.rpartition("$")[2] for value in self.headers.values())]

    def environment(self) -> dict[str, str]:
        """The variables that a started server gets beside the few that every one gets.

        Raises:
            UserError: one is not set.
        """
        return {name: _value_of(name, self.name) for name in self.env}

    def header_values(self) -> dict[str, str]:
        """The headers as they are sent.

        Raises:
            UserError: a variable is not set, or cannot be sent in a header.
        """
        sent = {}
        for header, value in self.headers.items():
            before, _, name = value.rpartition("$")
            key = _value_of(name, self.name).strip()
            if not (key.isascii() and key.isprintable()):
                raise UserError(
                    f"the MCP server {self.name}: {name} has characters that no header carries: set it anew"
                )
            sent[header] = before + key
        return sent


def offered_name(server: str, tool: str) -> str:
    """What an orchestrator calls a server's tool by, such as ``desk__find_ticket``.

    Raises:
        ValueError: it would be too long, or there is nothing in the tool's name to call it by.
    """
    plain = re.sub(r"[^a-z0-9]+", "_", tool.lower()).strip("_")
    name = f"{server}__{plain}"
    if not plain or len(name) > LONGEST_NAME:
        raise ValueError(f"`{name[:80]}` cannot be the name of a tool: it needs letters, and {LONGEST_NAME} at most")
    return name


def _value_of(name: str, server: str) -> str:
    value = os.environ.get(name, "")
    if not value.strip():
        raise UserError(f"the MCP server {server} is to be given {name}, which is not set: set it")
    return value
