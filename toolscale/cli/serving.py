"""The offline model and simulated experts, served over HTTP."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from toolscale.mock_endpoint import Answer, ChatRequest


def serve_offline(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 8321,
    model: Annotated[list[str] | None, typer.Option(help="A name it is served as; may be repeated.")] = None,
    key_variable: Annotated[str, typer.Option(help="Variable that holds the only accepted key; else any goes.")] = "",
    echo_schema: Annotated[bool, typer.Option("--echo-schema", help="Answer any JSON schema minimally.")] = False,
    latency: Annotated[str, typer.Option(help="Seconds: 0.2, or 0.1:0.3 at random.")] = "0",
    slots: Annotated[int | None, typer.Option(min=1, help="Requests at once; one more gets a 429.")] = None,
    retry_after: Annotated[float | None, typer.Option(min=0, help="Seconds that a 429 says to wait.")] = None,
    error_rate: Annotated[float, typer.Option(min=0, max=1, help="Share of 500, 502 and 503.")] = 0,
    hang_rate: Annotated[float, typer.Option(min=0, max=1, help="Share that is never answered.")] = 0,
    reset_rate: Annotated[float, typer.Option(min=0, max=1, help="Share of reset connections.")] = 0,
    cut_rate: Annotated[float, typer.Option(min=0, max=1, help="Share of bodies that end in the middle.")] = 0,
    malformed_rate: Annotated[float, typer.Option(min=0, max=1, help="Share of bodies that are not JSON.")] = 0,
    wrong_type_rate: Annotated[float, typer.Option(min=0, max=1, help="Share of JSON of wrong types.")] = 0,
    empty_rate: Annotated[float, typer.Option(min=0, max=1, help="Share of answers without choices.")] = 0,
    refusal_rate: Annotated[float, typer.Option(min=0, max=1, help="Share of refusals.")] = 0,
    html_rate: Annotated[float, typer.Option(min=0, max=1, help="Share of HTML pages.")] = 0,
    batch_latency: Annotated[str, typer.Option(help="Seconds that a batch takes: 2, or 1:3 at random.")] = "0",
    batch_fault: Annotated[
        list[str] | None, typer.Option(help="FAULT=SHARE of the requests in batches; may be repeated.")
    ] = None,
    fault_seed: Annotated[int, typer.Option(min=0, help="The same seed, the same faults and latencies.")] = 0,
) -> None:
    """The offline model as an OpenAI-compatible HTTP server, which can be told to misbehave."""
    from toolscale.mock_endpoint import MockEndpoint, Switches, batch_rates_from, key_from, latency_from, serve

    switches = Switches(
        models=tuple(model or ("reference",)),
        key=key_from(key_variable),
        latency=latency_from(latency),
        slots=slots,
        retry_after=retry_after,
        rates={
            "error": error_rate,
            "hang": hang_rate,
            "reset": reset_rate,
            "cut": cut_rate,
            "malformed": malformed_rate,
            "wrong_type": wrong_type_rate,
            "empty": empty_rate,
            "refusal": refusal_rate,
            "html": html_rate,
        },
        fault_seed=fault_seed,
        batch_latency=latency_from(batch_latency, "--batch-latency"),
        batch_rates=batch_rates_from(batch_fault or []),
    )
    serve(host, port, MockEndpoint(switches, _echoing() if echo_schema else _offline_model()))


def serve_experts(
    config: Annotated[Path | None, typer.Option(help="TOML of experts; the packaged two without it.")] = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 8322,
    seed: Annotated[int, typer.Option(min=0, help="Another seed, other answers.")] = 0,
    pace: Annotated[float, typer.Option(min=0, help="Times the stated latency; 0 answers at once.")] = 1.0,
    catalogue: Annotated[Path | None, typer.Option(help="Write a catalogue here that offers the experts.")] = None,
) -> None:
    """Simulated experts as an OpenAI-compatible HTTP server: stated skill, price and latency, no language models."""
    from toolscale.mock_endpoint.experts.expert import read_experts
    from toolscale.mock_endpoint.experts.server import serve_experts as serve

    serve(host, port, read_experts(config), seed=seed, pace=pace, catalogue=catalogue)


def _offline_model() -> "Callable[[ChatRequest], Answer]":
    from toolscale.mock_endpoint import Answer
    from toolscale.reference.model import Request, answer

    return lambda chat: Answer(answer(Request(chat.conversation, chat.offered, chat.seed or 0)))


def _echoing() -> "Callable[[ChatRequest], Answer]":
    from toolscale.mock_endpoint.echo.echo import echo

    return echo
