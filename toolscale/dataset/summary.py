"""What a dataset comes to, as tables and sentences that the card and the report both show."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from toolscale.dataset.contents import Contents

if TYPE_CHECKING:
    import pandas as pd

NAME = "toolscale"
WHAT = (
    "Tool-use tasks, each with golden calls, each verified by execution in the environment that comes with it. "
    "Made by the ToolScale factory, after ToolOrchestra (arXiv 2511.21689)."
)

PAPERS_TASKS = {"medicine": 622, "weather": 375}
"""Domain -> tasks in the paper's dataset, where its text tells; over all ten domains it has `PAPERS_TOTAL`."""
PAPERS_TOTAL = 4063


class ShownTable(NamedTuple):
    """A table to be shown: a frame of texts, of which the first columns are words and the others figures."""

    frame: "pd.DataFrame"
    texts: int = 1


def written(frame: "pd.DataFrame", forms: Mapping[str, str]) -> "pd.DataFrame":
    """The frame as texts: a column that has a form in that form, what is missing as a dash."""

    import pandas as pd

    def text(value: Any, form: str) -> str:
        return "-" if pd.isna(value) else format(value, form)

    return frame.assign(
        **{str(name): [text(value, forms.get(str(name), "")) for value in frame[name]] for name in frame.columns}
    )


def domains(contents: Contents) -> ShownTable:
    """What each domain has, beside the paper's number of tasks."""
    means = {"golden calls a task": ".1f", "pass rate": ".2f"}
    of_paper = [(name, str(count)) for name, count in PAPERS_TASKS.items()]
    listed = ", ".join(f"('{name}', '{count}')" for name, count in of_paper)
    frame = contents.frame(
        f"""
        with known(domain, paper) as (values {listed}),
        each as (
            select 0 as last, domain, functions::varchar as functions, entries::varchar as entries, proposed, kept,
                coalesce(paper, 'not told') as paper, golden_calls, pass_rate
            from domains left join known using (domain)
        ),
        every as (
            select 1, 'all', '', '', sum(proposed), sum(kept), '{PAPERS_TOTAL} in ten',
                (select avg(golden_calls) from shape), (select avg(pass_rate) from shape)
            from domains having count(*) > 1
        )
        select * exclude (last) from (from each union all from every) order by last, domain
        """
    )
    names = ("domain", "functions", "entries", "tasks proposed", "tasks kept", "the paper's tasks")
    frame.columns = [*names, *means]
    return ShownTable(written(frame, {**means, "tasks proposed": ".0f", "tasks kept": ".0f"}))


def funnel(contents: Contents) -> ShownTable:
    """How many tasks each gate refused first, and how many were left after it."""
    frame = contents.frame(
        """
        select gate, refused, remaining from (
            select -1 as position, 'proposed' as gate, '' as refused, coalesce(sum(proposed), 0) as remaining
            from domains
            union all
            select min(position), gate, sum(refused)::bigint::varchar, sum(remaining) from gates group by gate
        ) order by position, gate
        """
    )
    frame.columns = ["gate", "refused", "left"]
    return ShownTable(written(frame, {"left": ".0f"}))


def refusals(contents: Contents) -> ShownTable:
    """How much each check of each stage refused."""
    frame = contents.frame(
        'select stage, "check", sum(refused)::bigint as refused from refusals '
        'left join (select distinct gate as "check", position from gates) using ("check") '
        'group by stage, "check" order by stage, if(stage = \'verified_tasks\', min(position), null), "check"'
    )
    return ShownTable(written(frame, {}), texts=2)


def pass_rates(contents: Contents) -> dict[str, int]:
    """``"5 of 8"`` -> the tasks that so many of their attempts solved."""
    counted = "select solved, attempts, sum(tasks)::bigint from pass_rates group by all order by attempts, solved"
    return {f"{solved} of {made}": tasks for solved, made, tasks in contents.tables.rows(counted)}


def golden_calls(contents: Contents) -> dict[int, int]:
    """Number of golden calls -> tasks that have so many."""
    return dict(contents.tables.rows("select golden_calls, count(*) from shape group by all order by all"))


def splits(contents: Contents) -> ShownTable:
    """How many tasks each split has, and of how many the domain, intent, user or entities are not in ``train``."""
    frame = contents.frame("select * from splits")
    frame.columns = [
        "split",
        "tasks",
        "domain unseen",
        "intent unseen",
        "user unseen",
        "entities unseen",
        "nothing unseen",
    ]
    shown = written(frame, {})
    shown.loc[shown["split"] == "train", "domain unseen":] = ""
    return ShownTable(shown)


def seen(contents: Contents) -> ShownTable:
    """What `eval` consists of, and how much of it `train` has too."""
    frame = contents.frame("select * exclude (position) from seen")
    frame.columns = ["of eval", "there are", "also in train", "where train has the domain"]
    shares = {"also in train": ".1%", "where train has the domain": ".1%"}
    return ShownTable(written(frame, shares))


def attempts(contents: Contents) -> ShownTable:
    """The attempts to learn from: how many, with errors and recoveries, and the turns of the user."""
    frame = contents.frame(
        """
        select if(solved, 'trajectories', 'failed_attempts') as config, count(*) as attempts,
            count(distinct task_id) as tasks, avg(calls) as calls, avg((errors > 0)::int) as failed,
            avg(recovered::int) as recovered, avg(user_turns) as turns, avg((user_turns > 1)::int) as talks
        from lessons group by all order by config desc
        """
    )
    forms = {"calls": ".1f", "with an error": ".1%", "error and recovery": ".1%", "turns of the user": ".2f"}
    forms["user speaks again"] = ".1%"
    frame.columns = ["config", "attempts", "tasks", *forms]
    return ShownTable(written(frame, forms))


HOW_ATTEMPTS = (
    "`trajectories` are attempts that solved their task, `failed_attempts` such as did not by the agent's own fault, "
    "with the verdict's reasons: negatives for preference training. Of a task there are a few of each, no two with the "
    "same messages, chosen to differ in calls and words; recoveries from errors go first."
)

OFFLINE_ATTEMPTS = (
    "The attempts of `offline/reference` are lessons in format only: how calls are written and answers are given. They "
    "were played by a program, not by a language model, and teach neither reasoning nor language."
)

HOW_SPLIT = (
    "Kin (a task and what evolved from it) share a split. In `eval` are whole domains that were held out, families "
    "whose intent or user was held out, families whose entities were, with all that share one of these, and one "
    "family in ten besides. `unseen_domain` is true where no task in `train` is of the domain, `unseen_intent` where "
    "none of the domain in `train` has the intent, `unseen_user` where a record says who the user is and none has that "
    "user, `unseen_entities` where none names, in its golden calls, a record that this one names."
)

HOW_SEEN = (
    "What `eval` consists of, and the share of it that `train` has too: over all of `eval`, and over its tasks of "
    "domains that are in `train`. A function sequence is the names of the golden calls in order; a sentence form is a "
    "sentence of the user's in which names and everything with a figure are masked."
)

LIMITS = (
    "An instruction holds all that the user wants and knows. Whether an agent would ask back for the rest is not "
    "measured.",
    "A verdict compares states and looks for facts in what the agent said. It does not judge tone, brevity or extra "
    "promises.",
    "Databases, people, firms and prices are made up. Nothing here is advice, medical or other.",
    "English only.",
)

OF_THE_OFFLINE_MODEL = (
    "`offline/reference` is not a language model: it answers from hand-written reference domains, and its agent makes "
    "seeded mistakes. Pass rates measured with it say nothing about any language model."
)


def provenance(contents: Contents) -> Iterator[str]:
    """How the dataset was made, a fact a line; what is code stands in backquotes."""
    about = contents.about
    seeds = [seed for (seed,) in contents.tables.rows("select distinct seed from environments order by seed")]
    cost = "not known for every model" if about.dollars is None else f"${about.dollars:.2f}"
    yield f"seed: {', '.join(map(str, seeds))}"
    yield f"model calls recorded for these domains so far, over all runs: {about.calls}; their cost: {cost}"
    yield from (f"{role}, answered so far by: {', '.join(models)}" for role, models in sorted(about.models.items()))
    yield from (f"prompt `{prompt}`: `{digest}`" for prompt, digest in sorted(about.prompts.items()))
