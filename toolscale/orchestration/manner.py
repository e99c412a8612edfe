"""How an orchestrator is asked, and what its answer is held to."""

from dataclasses import dataclass

from toolscale.orchestration.toolrl_format import ChatFormat


@dataclass(frozen=True)
class Manner:
    """Of one run, from its first message to its answer."""

    format: ChatFormat = "openai"
    cites: bool = False
    """The answer names the pages that it rests on, all of them read; one that does not is sent back once."""


USUAL = Manner()
"""The endpoint's own tool calls, and an answer as it comes."""
