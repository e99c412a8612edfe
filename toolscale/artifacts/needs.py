"""An order in which everything comes after what it needs."""

from collections.abc import Collection, Mapping, Sequence

Needs = Mapping[str, Collection[str]]
"""Name -> the names that come before it."""


def in_order_of_needs(names: Sequence[str], needs: Needs, wishes: Needs | None = None) -> list[str]:
    """The names, each after those that it needs and, where that can be had too, after those that it wishes for.

    Where nothing forces another order, the given one stands. A cycle is entered where the fewest needs, and then the
    fewest wishes, are unmet.
    """
    waiting = dict.fromkeys(names)
    ordered: list[str] = []

    def unmet(name: str, of: Needs) -> int:
        return len((set(of.get(name, ())) & waiting.keys()) - {name})

    while waiting:
        ordered.append(min(waiting, key=lambda name: (unmet(name, needs), unmet(name, wishes or {}))))
        del waiting[ordered[-1]]
    return ordered
