"""Reading the ledger's calls."""

from typing import Annotated

import typer

from toolscale.terminal import say, say_json


def traces(
    key: Annotated[str, typer.Argument(help="Show one call whole, by its key or a unique beginning of it.")] = "",
    stage: Annotated[str, typer.Option(help="Calls of this stage, such as tasks.")] = "",
    domain: Annotated[str, typer.Option(help="Calls for this domain.")] = "",
    role: Annotated[str, typer.Option(help="Calls of this role, such as agent.")] = "",
    model: Annotated[str, typer.Option(help="Calls of models whose name contains this.")] = "",
    task: Annotated[str, typer.Option(help="Calls for the task with this id.")] = "",
    error: Annotated[str, typer.Option(help="Calls that ended with this error, such as Refused.")] = "",
    failed: Annotated[bool, typer.Option("--failed", help="Calls that got no answer.")] = False,
    text: Annotated[str, typer.Option(help="Calls whose answer or error contains this phrase.")] = "",
    limit: Annotated[int, typer.Option(min=0, help="How many calls to list, newest first; 0 lists all.")] = 20,
    full: Annotated[bool, typer.Option("--full", help="Include schemas, and in a JSON list also requests.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per line, in the form of OpenAI's API.")
    ] = False,
) -> None:
    """Find and read model calls: what was asked, what came back, what it cost. Works during a run."""
    from toolscale.settings import Settings
    from toolscale.store import Store
    from toolscale.traces import Filters, call_of, calls, line_of, whole_call

    with Store.existing(Settings.load().database_url()) as store:
        if key:
            call = call_of(store, key)
            if as_json:
                say_json(whole_call(store, call))
                return
            from toolscale.console import console
            from toolscale.traces.showing import print_call

            print_call(call, store, console(), full=full)
            return
        wanted = Filters(stage, domain, role, task, model, error, failed, text)
        found = calls(store, wanted, limit)
        if as_json:
            for call in found:
                say_json(whole_call(store, call) if full else line_of(call))
            return
        from toolscale.console import console
        from toolscale.traces.showing import print_calls

        if listed := list(found):
            print_calls(listed, console())
        else:
            say("no such calls in the ledger", error=True)
