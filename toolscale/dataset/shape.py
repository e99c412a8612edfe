"""How hard the tasks of a dataset are, and how varied: figures by depth of evolution, and over all of them."""

from collections.abc import Iterator

from toolscale.artifacts import DIFFICULTIES
from toolscale.dataset.contents import Contents
from toolscale.dataset.ready_views import MANY_CALLS
from toolscale.dataset.summary import ShownTable, written

DIFFICULTY = (
    "What makes tasks hard, read from what their golden calls and facts do (a condition: from the words). A task may "
    "have several types or none."
)

OPERATORS = (
    "What the author of a task put in last to make it hard, as the author says; a first task mostly has nothing."
)


def by_depth(contents: Contents) -> ShownTable:
    """Golden calls, distinct functions and pass rate of the tasks, by how often they were made harder."""
    frame = contents.frame("select * from depths")
    frame.columns = [
        "times made harder",
        "tasks",
        "golden calls",
        "functions",
        f"{MANY_CALLS} calls or more",
        "pass rate",
    ]
    forms = {"golden calls": ".2f", "functions": ".2f", f"{MANY_CALLS} calls or more": ".0%", "pass rate": ".2f"}
    return ShownTable(written(frame, forms), texts=0)


def by_difficulty(contents: Contents) -> ShownTable:
    """The share of tasks that have each type of difficulty: of all, and by how often they were made harder."""
    frame = contents.frame(
        "select difficulty, depth, share from difficulties union all "
        "select difficulty, -1, sum(tasks) / sum(of_depth) from difficulties group by difficulty"
    )
    shares = frame.pivot(index="difficulty", columns="depth", values="share").reindex(list(DIFFICULTIES))
    shares.columns = ["all tasks" if int(depth) < 0 else f"made harder {depth} times" for depth in shares.columns]
    return ShownTable(written(shares.rename_axis("type").reset_index(), dict.fromkeys(shares.columns, ".0%")))


def by_operator(contents: Contents) -> ShownTable:
    """How many tasks were made hard by what, as their authors name it."""
    frame = contents.frame("select operator, tasks, golden_calls, pass_rate from operators")
    forms = {"golden calls": ".2f", "pass rate": ".2f"}
    frame.columns = ["operator", "tasks", *forms]
    return ShownTable(written(frame, forms))


def figures(contents: Contents) -> dict[str, float]:
    """What `facts` says in words: counts, shares from 0 to 1, and the mean golden calls of evolved tasks."""
    (row,) = contents.frame("select * from facts").to_dict("records")
    return {str(name): round(value, 3) for name, value in row.items()}


def facts(contents: Contents) -> Iterator[str]:
    """The figures, a sentence a line."""
    found = figures(contents)
    yield f"distinct golden-call skeletons (functions and argument names, in order): {found['skeletons']:.0f}"
    yield f"golden calls of tasks that were made harder, on average: {found['golden_calls_evolved']:.2f}"
    yield f"tasks with {MANY_CALLS} golden calls or more: {found['with_many_calls']:.0%}"
    yield f"tasks whose golden calls write: {found['with_writes']:.0%}"
    yield f"tasks that only read, and have a fact to tell the user: {found['read_only_with_facts']:.0%}"
