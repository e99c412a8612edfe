"""The errors a user can do something about."""

from collections.abc import Iterator


class UserError(Exception):
    """Something is wrong with what the user gave: one line that says what, where, and what to do.

    The command line prints it alone and exits with status 2; a Dagster asset turns it into a failure without retries.
    """


def causes_of(error: BaseException) -> Iterator[BaseException]:
    """The exception and what led to it, the first cause last; each once, also where they lead in a circle."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__
