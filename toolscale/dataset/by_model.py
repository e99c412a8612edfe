"""Pass rates by model as a table: over all tasks, by split and by depth, each mean with its interval."""

from collections.abc import Sequence
from typing import Any

from toolscale.dataset.contents import Contents
from toolscale.dataset.summary import ShownTable
from toolscale.intervals import interval

HOW_MEASURED = (
    "The mean over tasks of the share of attempts that solved them, with its 95% bootstrap interval over the tasks: of "
    "all tasks that the model attempted, by split, and by how often tasks were made harder (depth)."
)


def by_model(contents: Contents) -> ShownTable | None:
    """A row for each model and its settings; None where no task has a pass rate by model."""
    import pandas as pd

    rated = contents.frame(
        "select model, user_model, temperature, max_turns, split, depth, rate from _rated "
        "order by model, user_model nulls first, temperature nulls first, max_turns, task_id"
    )
    if rated.empty:
        return None
    settings = ["model", "user_model", "temperature", "max_turns"]
    splits = sorted(rated["split"].unique(), reverse=True)
    depths = sorted(rated["depth"].unique())
    rows = []
    for (model, user, temperature, turns), own in rated.groupby(settings, sort=False, dropna=False):
        rows.append(
            {
                "model": model,
                "settings": told(_known(user), _known(temperature), _known(turns)),
                "tasks": str(len(own)),
                "pass rate": ranged(own["rate"].dropna().tolist()),
                **{split: ranged(own["rate"][own["split"] == split].dropna().tolist()) for split in splits},
                **{f"depth {at}": ranged(own["rate"][own["depth"] == at].dropna().tolist()) for at in depths},
            }
        )
    return ShownTable(pd.DataFrame(rows), texts=2)


def told(user_model: str | None, temperature: float | None, max_turns: float | None) -> str:
    """The settings of an entry in words."""
    parts = [
        f"user {user_model}" if user_model else "direct",
        f"temperature {temperature:g}" if temperature is not None else "the provider's temperature",
        *([f"{max_turns:.0f} turns"] if max_turns is not None else []),
    ]
    return ", ".join(parts)


def ranged(rates: Sequence[float]) -> str:
    """A mean and its interval, such as ``0.53 (0.47-0.59)``; a dash where there are no rates."""
    if not rates:
        return "-"
    found = interval(rates)
    return f"{found['mean']:.2f} ({found['low']:.2f}-{found['high']:.2f})"


def _known(value: Any) -> Any:
    """What a data frame holds, with None for what is missing."""
    import pandas as pd

    return None if pd.isna(value) else value
