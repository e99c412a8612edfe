"""The tasks of a dataset as a server; the offline model and simulated experts over HTTP."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from toolscale.cli.options import MaxCalls, MaxCost

if TYPE_CHECKING:
    from toolscale.mock_endpoint import Answer, ChatRequest


def serve(
    path: Annotated[str, typer.Argument(help="A dataset folder, a Hub dataset, or an environment with tasks.json.")],
    stdio: Annotated[bool, typer.Option("--stdio", help="MCP on standard input and output, for one session.")] = False,
    mcp: Annotated[bool, typer.Option("--mcp", help="MCP over HTTP, for many sessions, in place of OpenEnv.")] = False,
    task: Annotated[str, typer.Option(help="With --stdio, the task's id; by default the first.")] = "",
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 8000,
    most: Annotated[int, typer.Option("--max-sessions", min=1, help="Sessions that are open at the same time.")] = 64,
    idle: Annotated[float, typer.Option("--idle", min=1, help="Seconds after which an unused session ends.")] = 900,
    token_variable: Annotated[
        str, typer.Option(help="Variable with the token that clients must send; needed beyond loopback.")
    ] = "",
    user_mode: Annotated[
        Literal["direct", "simulated"],
        typer.Option(help="Users who say everything at once (direct), or whom a model plays (simulated)."),
    ] = "direct",
    user_model: Annotated[
        str, typer.Option(help="The model that plays users, which makes them simulated; by default as in the settings.")
    ] = "",
    user_api_base: Annotated[str, typer.Option(help="Base URL of its endpoint, if not the provider's.")] = "",
    max_cost: MaxCost = None,
    max_calls: MaxCalls = None,
    space: Annotated[
        Path | None, typer.Option("--write-space", help="Serve nothing: write a folder for `openenv push`.")
    ] = None,
) -> None:
    """Serve a dataset's tasks to agents of others: over OpenEnv, with --mcp over MCP, with --stdio to one agent."""
    from toolscale.errors import UserError
    from toolscale.serving.http import Listening, serve_mcp, serve_openenv
    from toolscale.serving.mcp_door import serve_stdio
    from toolscale.serving.sessions import Sessions
    from toolscale.serving.space import TOKEN, write_space
    from toolscale.serving.tasks import load_tasks
    from toolscale.serving.users import ServedUsers, user_settings
    from toolscale.terminal import say

    if stdio and mcp:
        raise UserError("--stdio is for one session, --mcp for many over HTTP; leave one of the two out")
    simulated = user_mode == "simulated" or bool(user_model)
    if simulated and (stdio or space is not None):
        raise UserError("with --stdio and in a Space users say everything at once: leave --user-mode and its like out")
    if not simulated and (user_api_base or max_cost is not None or max_calls is not None):
        raise UserError("--user-api-base, --max-cost and --max-calls are of simulated users: add --user-mode simulated")
    if space is not None:
        count = write_space(path, space)
        say(f"{space}: a Space of {count} tasks. In it: openenv push --no-interface --secret {TOKEN}=...")
        return
    tasks = load_tasks(path)
    if stdio:
        with Sessions(tasks, most=1, idle_seconds=float("inf")) as sessions:
            serve_stdio(sessions.open(tasks.chosen(task or None)).play)
        return
    at = Listening(host, port, token_variable)
    with ExitStack() as stack:
        users = None
        if simulated:
            asked = user_settings(user_model, user_api_base, max_cost=max_cost, max_calls=max_calls)
            users = stack.enter_context(ServedUsers(asked))
        sessions = stack.enter_context(Sessions(tasks, most=most, idle_seconds=idle, users=users))
        if mcp:
            serve_mcp(sessions, at)
        else:
            serve_openenv(sessions, at, most=most, idle_seconds=idle)


def serve_offline(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 picks a free one.")] = 8321,
    model: Annotated[list[str] | None, typer.Option(help="A model name to serve; may be repeated.")] = None,
    key_variable: Annotated[
        str, typer.Option(help="Variable with the only accepted key; by default any key is accepted.")
    ] = "",
    echo_schema: Annotated[
        bool, typer.Option("--echo-schema", help="Answer any JSON schema with a small valid instance.")
    ] = False,
    latency: Annotated[str, typer.Option(help="Seconds per answer: 0.2, or 0.1:0.3 at random.")] = "0",
    slots: Annotated[int | None, typer.Option(min=1, help="Requests at the same time; one more gets a 429.")] = None,
    retry_after: Annotated[float | None, typer.Option(min=0, help="The Retry-After of a 429, in seconds.")] = None,
    error_rate: Annotated[float, typer.Option(min=0, max=1, help="Share of requests that get a 500, 502 or 503.")] = 0,
    hang_rate: Annotated[float, typer.Option(min=0, max=1, help="Share of requests that are never answered.")] = 0,
    reset_rate: Annotated[float, typer.Option(min=0, max=1, help="Share of reset connections.")] = 0,
    cut_rate: Annotated[float, typer.Option(min=0, max=1, help="Share of bodies that are cut off.")] = 0,
    malformed_rate: Annotated[float, typer.Option(min=0, max=1, help="Share of bodies that are not JSON.")] = 0,
    wrong_type_rate: Annotated[float, typer.Option(min=0, max=1, help="Share of JSON with a wrong type.")] = 0,
    empty_rate: Annotated[float, typer.Option(min=0, max=1, help="Share of answers without choices.")] = 0,
    refusal_rate: Annotated[float, typer.Option(min=0, max=1, help="Share of refusals.")] = 0,
    html_rate: Annotated[float, typer.Option(min=0, max=1, help="Share of HTML pages.")] = 0,
    batch_latency: Annotated[str, typer.Option(help="Seconds per batch: 2, or 1:3 at random.")] = "0",
    batch_fault: Annotated[
        list[str] | None, typer.Option(help="FAULT=SHARE for requests in batches; may be repeated.")
    ] = None,
    fault_seed: Annotated[int, typer.Option(min=0, help="Seed for faults and latencies.")] = 0,
) -> None:
    """The offline model as an OpenAI-compatible HTTP server, which can be told to misbehave."""
    from toolscale.mock_endpoint import MockEndpoint, Switches, batch_rates_from, latency_from, serve
    from toolscale.secret import secret_in

    switches = Switches(
        models=tuple(model or ("reference",)),
        key=secret_in(key_variable, "--key-variable") if key_variable else None,
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
    config: Annotated[Path | None, typer.Option(help="TOML file of experts; by default the two packaged ones.")] = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 picks a free one.")] = 8322,
    seed: Annotated[int, typer.Option(min=0, help="Seed for which answers are right.")] = 0,
    pace: Annotated[float, typer.Option(min=0, help="Multiplies the stated latency; 0 answers at once.")] = 1.0,
    catalogue: Annotated[
        Path | None, typer.Option(help="Write a catalogue that offers the experts to this file.")
    ] = None,
) -> None:
    """Simulated experts as an OpenAI-compatible HTTP server: stated skill, price and latency, no language models."""
    from toolscale.mock_endpoint.experts.expert import read_experts
    from toolscale.mock_endpoint.experts.server import serve_experts as serve

    serve(host, port, read_experts(config), seed=seed, pace=pace, catalogue=catalogue)


def _offline_model() -> "Callable[[ChatRequest], Answer]":
    from toolscale.mock_endpoint import Answer
    from toolscale.reference.model import OfflineRequest, answer

    return lambda chat: Answer(answer(OfflineRequest(chat.conversation, chat.offered, chat.seed or 0)))


def _echoing() -> "Callable[[ChatRequest], Answer]":
    from toolscale.mock_endpoint.echo.echo import echo

    return echo
