"""How alike the words of a dataset's tasks are, by where they come from: drafted, drawn, drawn and reworded."""

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from toolscale.checkers.gates.distinct import shingles, similarity
from toolscale.dataset.contents import Contents
from toolscale.dataset.summary import ShownTable, written

SAMPLED = 200
"""Tasks of each source that are compared with each other: the figures fall as there are more."""

WORDS = (
    "How the instructions are worded: `drafted` by a model one by one, `drawn` by a task program from its templates, "
    "or drawn and then reworded. Distinct-3 is the share of three-word sequences that differ among all; the nearest "
    "neighbour is the most similar other instruction (Jaccard similarity of three-word sequences), on average; "
    "openings are the first three words. Figures and ids are masked. Of each source {compared} tasks are compared, or "
    "as many as there are."
)

_FIGURE = re.compile(r"\w*\d\w*")


@dataclass(frozen=True)
class Diversity:
    """How alike texts are; 1 is not at all for the first and the last."""

    texts: int
    distinct_3: float
    nearest: float
    openings: float

    @classmethod
    def of(cls, texts: Sequence[str]) -> "Diversity":
        """Of texts with their figures masked, since ids and dates make any two differ."""
        masked = [_FIGURE.sub("0", text) for text in texts]
        grams = [shingles(text) for text in masked]
        words = [re.findall(r"[\w']+", text.casefold()) for text in masked]
        all_grams = Counter(gram for text in words for gram in zip(text, text[1:], text[2:], strict=False))
        nearest = [
            max((similarity(one, other) for at, other in enumerate(grams) if at != place), default=0.0)
            for place, one in enumerate(grams)
        ]
        count = max(1, len(texts))
        return cls(
            len(texts),
            len(all_grams) / max(1, all_grams.total()),
            sum(nearest) / count,
            len({tuple(text[:3]) for text in words}) / count,
        )


def by_source(contents: Contents, seed: int = 0) -> ShownTable:
    """The diversity of each source's instructions."""
    import pandas as pd

    found = list(_sources(contents))
    least = compared([len(texts) for _, texts in found])
    rows = [
        {"words": source, "tasks": len(texts), **_figures(random.Random(seed).sample(texts, min(least, len(texts))))}
        for source, texts in found
    ]
    forms = {"distinct-3": ".2f", "nearest neighbour": ".2f", "openings that differ": ".0%"}
    columns = ["words", "tasks", "compared", *forms]
    return ShownTable(written(pd.DataFrame(rows, columns=columns), forms))


def compared(sizes: Sequence[int]) -> int:
    """How many texts of each source are compared: the same number, so small ones are not held against large ones."""
    enough = [size for size in sizes if size >= SAMPLED // 10]
    return min([SAMPLED, *enough])


def explained(contents: Contents) -> str:
    """What the table says."""
    return WORDS.format(compared=compared([len(texts) for _, texts in _sources(contents)]))


def _figures(texts: Sequence[str]) -> dict[str, float]:
    found = Diversity.of(texts)
    return {
        "compared": found.texts,
        "distinct-3": found.distinct_3,
        "nearest neighbour": found.nearest,
        "openings that differ": found.openings,
    }


def _sources(contents: Contents) -> Iterator[tuple[str, list[str]]]:
    """Each source with the words of its tasks, in the order of their ids."""
    rows = contents.tables.rows(
        "select case when coalesce(len(lineage.goals), 0) = 0 then 'drafted' "
        "when lineage.reworded then 'drawn and reworded' else 'drawn' end as source, "
        "user_scenario.instructions.reason_for_call as said from tasks where user_scenario is not null order by id"
    )
    for source in ("drafted", "drawn", "drawn and reworded"):
        if texts := [said for each, said in rows if each == source and said]:
            yield source, texts
