"""What the page's charts are drawn from."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from toolscale.dataset.contents import Contents
from toolscale.dataset.report.embedding import places
from toolscale.printable import in_one_line, printable

MOST_SAID = 160
"""Characters of what the user says, in the map and in the list of tasks."""


def funnels(contents: Contents) -> dict[str, list[list[Any]]]:
    """Domain -> its gates that refused something, in their order: name, how many it refused, how many were left."""
    found: dict[str, list[list[Any]]] = defaultdict(list)
    for domain, gate, refused, left in contents.tables.rows("select domain, gate, refused, remaining from gates"):
        found[domain].append([gate, refused, left])
    return dict(found)


def points(contents: Contents) -> list[dict[str, Any]]:
    """Every task: what it is, how hard it was, what the user says in short, and its places on the maps.

    There are two of these, of all tasks and of those of its domain.
    """
    rows = contents.tables.rows(
        "select id, tasks.domain, tasks.split, depth, golden_calls, solved, made, said from tasks "
        "join shape on shape.task_id = tasks.id join ("
        "select id, len([a for a in attempts if a.solved]) as solved, len(attempts) as made, "
        "coalesce(nullif(prompt, ''), user_scenario.instructions.reason_for_call, '') as said from tasks"
        ") as tried using (id) order by id"
    )
    says = [said for *_, said in rows]
    by_domain: dict[str, list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        by_domain[row[1]].append(number)
    own = {
        number: place
        for mine in by_domain.values()
        for number, place in zip(mine, places([says[number] for number in mine]), strict=True)
    }
    return [
        {
            "id": printable(name),
            "domain": domain,
            "split": split,
            "depth": depth,
            "calls": calls,
            "solved": solved,
            "attempts": made,
            "says": in_one_line(said[: 4 * MOST_SAID])[:MOST_SAID],
            "all": overall,
            "own": own[number],
        }
        for number, ((name, domain, split, depth, calls, solved, made, said), overall) in enumerate(
            zip(rows, places(says), strict=True)
        )
    ]


def in_columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Rows turned, so that no name is written twice."""
    return {name: [row[name] for row in rows] for name in rows[0]} if rows else {}
