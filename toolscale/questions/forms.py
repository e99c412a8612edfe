"""What of a written answer is form alone: LaTeX, boxes, case, articles, separators, ways to write a number."""

import re
import unicodedata
from fractions import Fraction

_LONGEST_NUMBER = 100
"""Characters. What is longer is compared as text."""

_ANNOUNCED = re.compile(r"(?:final answer|answer)\s*(?:is|:|=)\s*:?\s*", re.IGNORECASE)
_LETTER = re.compile(r"\(([A-Ja-j])\)(?:\s.*)?|(?:[Oo]ption |[Cc]hoice )?([A-J])(?:[.):](?:\s.*)?)?", re.DOTALL)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d{1,3})?")
_FRACTION = re.compile(r"([+-]?)\\[dt]?frac\{([^{}]+)\}\{([^{}]+)\}")
_WRAPPED = re.compile(r"\\(?:text|mathrm|mathbf|mathit|textbf|operatorname)\{([^{}]*)\}")
_NO_MATTER = re.compile(r"\\left|\\right|\\!|\\,|\\;|\\ |\\\$|\$|€|£|\*\*|\\\(|\\\)|\\\[|\\\]|`|\"")

_ARTICLE = re.compile(r"^(?:an?|the)\s+(?=[^\W\d_]{2})")
_BETWEEN_WORDS = re.compile(r"[;?‘’“”«»…]|,(?!\d)|:(?!\d)|(?<!\d)[.](?!\d)|[.](?!\d)")
"""Punctuation that a name or a phrase may have or not. Brackets, signs and marks mean something in a formula."""
_DECIMAL = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)")


def final(text: str) -> str:
    """The final answer in a text: what is boxed last, else what is announced last as the answer, else all of it."""
    if (boxed := _boxed(text)) is not None:
        return boxed.strip()
    *_, announced = [None, *_ANNOUNCED.finditer(text)]
    said = text[announced.end() :] if announced else text
    return said.strip().removesuffix(".").strip()


def letter(text: str) -> str:
    """The letter of a multiple choice that a final answer is, as a capital; empty if it is something else."""
    found = _LETTER.fullmatch(_bare(text))
    return (found[1] or found[2]).upper() if found else ""


def number(text: str) -> Fraction | None:
    """The number that a final answer is, exactly; None if it is something else, or has a unit."""
    told = _THOUSANDS.sub("", compact(text))
    parts = told.split("/")
    if len(told) > _LONGEST_NUMBER or len(parts) > 2 or not all(_NUMBER.fullmatch(part) for part in parts):
        return None
    values = [Fraction(part) for part in parts]
    return values[0] if len(values) == 1 else values[0] / values[1] if values[1] else None


def compact(text: str) -> str:
    """An answer, as a formula, without what changes nothing: case, white space, LaTeX's wrappings, currency signs."""
    return re.sub(r"\s+", "", _THOUSANDS.sub("", _folded(_bare(text)))).rstrip(".")


def worded(text: str) -> str:
    """An answer, as words, without what changes nothing: case, a leading article, the punctuation between words,
    separators of thousands, zeros behind a point. What is nothing else is kept."""
    told = _THOUSANDS.sub("", _folded(text).strip())
    words = _BETWEEN_WORDS.sub(" ", _ARTICLE.sub("", told)).split()
    return " ".join(_plain(word) for word in words) or told


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().replace("−", "-")


def _plain(word: str) -> str:
    """A number without a plus and without zeros that say nothing."""
    if not _DECIMAL.fullmatch(word):
        return word
    whole, point, decimals = word.removeprefix("+").partition(".")
    decimals = decimals.rstrip("0")
    return f"{whole or '0'}{point if decimals else ''}{decimals}"


def _bare(text: str) -> str:
    """LaTeX taken off: wrappings of text, fractions as a/b, spacing and dollar signs."""
    told = _WRAPPED.sub(r"\1", text)
    told = _FRACTION.sub(lambda found: f"{found[1]}{_grouped(found[2])}/{_grouped(found[3])}", told)
    return _NO_MATTER.sub("", told).strip()


def _grouped(part: str) -> str:
    return part if re.fullmatch(r"\w+", part) else f"({part})"


def _boxed(text: str) -> str | None:
    """What stands in the last ``\\boxed{...}``, with its own braces; None if there is none that is closed."""
    start = text.rfind("\\boxed{")
    if start < 0:
        return None
    depth = 0
    for position in range(start + len("\\boxed"), len(text)):
        depth += {"{": 1, "}": -1}.get(text[position], 0)
        if depth == 0:
            return text[start + len("\\boxed{") : position]
    return None
