"""Simulated experts as the models of a mock endpoint."""

from collections.abc import Callable, Mapping
from pathlib import Path

from toolscale.messages import text_of
from toolscale.mock_endpoint.app import MockEndpoint
from toolscale.mock_endpoint.experts.expert import Expert, catalogue_text
from toolscale.mock_endpoint.switches import Switches
from toolscale.openai_api.chat import Answer, ChatRequest
from toolscale.openai_api.process import serve
from toolscale.whole import writing


def answering(experts: Mapping[str, Expert], *, seed: int = 0, pace: float = 1.0) -> Callable[[ChatRequest], Answer]:
    """Answers as the expert that a request names, after as long as that expert takes, times `pace`."""

    def answer(chat: ChatRequest) -> Answer:
        expert = experts[chat.model]
        asked = next((text_of(said) for said in reversed(chat.conversation) if said["role"] == "user"), "")
        reply = expert.reply(asked, seed)
        taken = expert.latency.drawn(reply.completion_tokens, seed=[seed, chat.model, chat.conversation])
        return Answer({"role": "assistant", "content": reply.text}, reply.completion_tokens, taken * pace)

    return answer


def serve_experts(
    host: str,
    port: int,
    experts: Mapping[str, Expert],
    *,
    seed: int = 0,
    pace: float = 1.0,
    catalogue: Path | None = None,
) -> None:
    """Serve until SIGINT or SIGTERM. Port 0 takes a free one; the first line on standard output is the base URL.
    By then `catalogue`, if given, is a file that offers the experts at this URL.

    Raises:
        UserError: the host or the port cannot be had, or the file cannot be written.
    """

    def offer(url: str) -> None:
        if catalogue is not None:
            with writing(catalogue):
                catalogue.write_text(catalogue_text(experts, url), encoding="utf-8")

    endpoint = MockEndpoint(Switches(models=tuple(experts)), answering(experts, seed=seed, pace=pace))
    serve(host, port, endpoint, heard=offer)
