"""A map of instructions: words that are alike lie near each other. TF-IDF and its two strongest directions.

No model and no chance in it, so that equal words always give the same map, and 5,000 take a second or two.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_WORD = re.compile(r"[^\W\d_]{2,}")
_MOST_TERMS = 20_000
_LEAST_TEXTS = 2
"""Texts that a term must stand in to count."""


def places(texts: Sequence[str]) -> list[tuple[float, float]]:
    """Where each text lies; both figures are from -1 to 1. Figures and ids in the texts count for nothing."""
    weights = _weights(texts)
    if weights is None:
        return [(0.0, 0.0)] * len(texts)
    found = _strongest(weights)
    found = found / np.maximum(np.abs(found).max(axis=0), 1e-12)
    return [(round(float(x), 3) + 0.0, round(float(y), 3) + 0.0) for x, y in found]


def _terms(text: str) -> Counter[str]:
    words = _WORD.findall(text.casefold())
    return Counter(words) + Counter(f"{one} {other}" for one, other in pairwise(words))


def _weights(texts: Sequence[str]) -> "csr_array | None":
    """TF-IDF, a row of length 1 a text; None where no two texts share a word."""
    from scipy.sparse import csr_array

    counted = [_terms(text) for text in texts]
    seen = Counter(term for terms in counted for term in terms)
    shared = [(term, count) for term, count in seen.items() if count >= _LEAST_TEXTS]
    usual = dict(sorted(shared, key=lambda each: (-each[1], each[0]))[:_MOST_TERMS])
    if len(usual) < 3 or len(texts) < 4:
        return None
    column = {term: place for place, term in enumerate(sorted(usual))}
    rarity = {term: float(np.log((1 + len(texts)) / (1 + count)) + 1) for term, count in usual.items()}
    cells = [
        (row, column[term], (1 + np.log(count)) * rarity[term])
        for row, terms in enumerate(counted)
        for term, count in terms.items()
        if term in column
    ]
    rows, columns, values = (np.array(each) for each in zip(*cells, strict=True))
    lengths = np.sqrt(np.bincount(rows, weights=values**2, minlength=len(texts)))
    return csr_array((values / lengths[rows], (rows, columns)), shape=(len(texts), len(column)))


def _strongest(weights: "csr_array") -> NDArray[np.float64]:
    """Each row along the two directions in which rows differ most, as a principal component analysis has them."""
    from scipy.sparse.linalg import LinearOperator, svds

    mean = np.asarray(weights.mean(axis=0)).ravel()
    ones = np.ones(weights.shape[0])
    centred = LinearOperator(
        shape=weights.shape,
        dtype=np.float64,
        matvec=lambda vector: weights @ np.ravel(vector) - ones * (mean @ np.ravel(vector)),
        rmatvec=lambda vector: weights.T @ np.ravel(vector) - mean * np.ravel(vector).sum(),
    )
    start = np.random.default_rng(0).standard_normal(min(weights.shape))
    left, strengths, _ = svds(centred, k=2, v0=start)
    found: NDArray[np.float64] = left[:, ::-1] * strengths[::-1]
    # Either sign of a direction is as good: the text that lies farthest out is to the right and at the top.
    signs = np.sign(found[np.abs(found).argmax(axis=0), [0, 1]])
    return np.asarray(found * signs, dtype=np.float64)
