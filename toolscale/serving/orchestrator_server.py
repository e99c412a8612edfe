"""From what a user asks for to an orchestrator that is served."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from pathlib import Path

from pydantic import ValidationError

from toolscale.errors import UserError
from toolscale.openai_api.process import serving
from toolscale.orchestration.work import OrchestrateOptions, orchestrator
from toolscale.serving.accounts import Accounts, Limits
from toolscale.serving.http import is_loopback
from toolscale.serving.orchestrator_door import OrchestratorEndpoint
from toolscale.settings import Settings


@dataclass(frozen=True)
class ServeOptions:
    """Where an orchestrator is served, to whom, and how much they may take."""

    host: str
    port: int
    name: str
    wish: str = ""
    keys: Path | None = None
    """None: everybody who reaches the address, under `max_dollars` and `max_dollars_per_request`."""
    max_dollars: float | None = None
    max_dollars_per_request: float | None = None


async def serve(options: OrchestrateOptions, served: ServeOptions, complain: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM; the first line on standard output is the base URL.

    Raises:
        UserError: the options cannot be followed as they stand.
    """
    folder = _local(Settings.load().data_root) / "served"
    accounts = _accounts(served, folder / "spending.jsonl")
    async with orchestrator(options, complain) as opened:
        endpoint = OrchestratorEndpoint(opened, accounts, name=served.name, wish=served.wish, traces=folder / "traces")
        await serving(served.host, served.port, endpoint)


def _accounts(served: ServeOptions, spending: Path) -> Accounts:
    limits = {
        "max_dollars": inf if served.max_dollars is None else served.max_dollars,
        "max_dollars_per_request": inf if served.max_dollars_per_request is None else served.max_dollars_per_request,
    }
    if served.keys is not None:
        if served.max_dollars is not None or served.max_dollars_per_request is not None:
            raise UserError("with --keys the file says what each key may spend: leave --max-cost and its like out")
        return Accounts.read(served.keys, spending)
    if not is_loopback(served.host):
        raise UserError(f"{served.host} can be reached from elsewhere: name a file of keys, --keys FILE")
    try:
        return Accounts(spending, everybody=Limits.model_validate(limits))
    except ValidationError:
        raise UserError("--max-cost and --max-cost-per-request must be more than 0") from None


def _local(data_root: str) -> Path:
    """The data root, or a folder here where that is no folder: traces are appended to turn by turn."""
    return Path("data" if "://" in data_root else data_root)
