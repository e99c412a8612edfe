"""What an import left out, in a few lines."""

from collections.abc import Iterable, Iterator


def summed_up(left_out: Iterable[tuple[str, str]]) -> Iterator[str]:
    """One line a reason, the commonest first, with one thing that it is true of."""
    by_reason: dict[str, list[str]] = {}
    for what, reason in left_out:
        by_reason.setdefault(reason, []).append(what)
    for reason, things in sorted(by_reason.items(), key=lambda item: -len(item[1])):
        yield f"{things[0]}{f' and {len(things) - 1} more' if len(things) > 1 else ''}: {reason}"
