"""One run at a time makes a domain: a lock for each domain of a data root, which ends with its process."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from upath import UPath

from toolscale.errors import UserError
from toolscale.locks import locked
from toolscale.whole import writing


@contextmanager
def alone(data_root: str, domains: Iterable[str]) -> Iterator[None]:
    """Keep other runs from these domains for as long as the block lasts.

    In object storage nothing can be locked so that a crash lets go of it: there Dagster's queue keeps runs of one
    instance apart, and what different instances mixed is refused where it is read (`pipelines/lineage.py`).

    Raises:
        UserError: another run is making one of them.
    """
    root = UPath(data_root)
    with ExitStack() as held:
        if root.protocol in ("", "file", "local"):
            for domain in sorted(domains):
                held.enter_context(_locked(Path(root.path), domain))
        yield


@contextmanager
def _locked(root: Path, domain: str) -> Iterator[None]:
    file = root / "made" / "locks" / domain
    with writing(file):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    with ExitStack() as held:
        try:
            held.enter_context(locked(file))
        except BlockingIOError:
            raise UserError(f"another run is making `{domain}` in {root}; wait for it, or stop it") from None
        yield
