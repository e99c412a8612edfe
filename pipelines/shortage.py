"""A domain that has fewer tasks than were wanted of it: the sentence that says so, kept until a run mends it."""

from upath import UPath

from pipelines.factory import Factory
from pipelines.storage import write_whole


def shortage(factory: Factory, kept: int, why: str) -> str:
    """How many tasks a run kept of those that were wanted, and why it ended; empty where nothing is missing."""
    if not why or factory.keep is None:
        return ""
    asked = [f"a pass rate of {factory.pass_rate[0]:g} to {factory.pass_rate[1]:g}"] if factory.pass_rate else []
    if factory.golden_calls:
        asked.append(f"{factory.golden_calls[0]} to {factory.golden_calls[1]} golden calls")
    which = f" with {' and '.join(asked)}" if asked else ""
    return f"{kept} of {factory.keep} wanted tasks{which}: {why}."


def note_shortage(data_root: str, domain: str, short: str) -> None:
    """Remember what is missing of a domain; nothing, if `short` is empty."""
    file = _note(data_root, domain)
    if short:
        write_whole(file, short.encode())
    else:
        file.unlink(missing_ok=True)


def noted_shortage(data_root: str, domain: str) -> str:
    """What is missing of a domain as it lies there, in a sentence; empty if nothing is."""
    file = _note(data_root, domain)
    return file.read_text(encoding="utf-8") if file.exists() else ""


def _note(data_root: str, domain: str) -> UPath:
    return UPath(data_root) / "made" / "short" / domain
