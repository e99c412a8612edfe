"""What a message looks like to those who search it: one spelling for case, spaces, dashes, quotes and emphasis."""

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

from text_to_num import alpha2digit

_INVISIBLE = dict.fromkeys(
    (0x00AD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
)
_MARKS = dict.fromkeys(map(ord, "™®©℠"))
_ONE_CHARACTER = str.maketrans(
    dict.fromkeys("‐‑‒−﹣－", "-")
    | dict.fromkeys("‘’ʼ´`", "'")
    | dict.fromkeys("“”„«»", '"')
    | {"⁄": "/", "–": "-", "—": " - "}
)
_MIXED_FRACTION = re.compile(r"(?<=\d)(?=[¼-¾⅐-⅞])")
_MARKDOWN = re.compile(r"\*+|~~|(?<!\w)_+(?=\w)|(?<=\w)_+(?!\w)|\\(?=[\W_])|(?m:^\s*(?:#+|>)\s)")
_STRUCK = re.compile(r"~~[^~]*~~")
_LIST_MARK = re.compile(r"(?m)^\s*(?:[-*+]|\d{1,2}[.)])\s")
_PRONOUN = re.compile(r"\b(no|some|any|every|which|this|that|the|another|other|each|either) one\b")
_JOINED = re.compile(
    r"\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty|sixty|ninety)-"
    r"(?=(?!one|two|three|four|five|six|seven|eight|nine|hundred|thousand)[a-z])"
)
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_RANK = re.compile(
    r"(?<!\w-)(?<![a-z]ty )\b(first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)\b"
    rf"(?! (?:of )?{_MONTH}\b| of (?:this|next) month\b)"
)
_SCALED = re.compile(r"(?<=\d) ?(?:million|mln|mio)\b")
_THOUSANDS = re.compile(r"(?<=\d) thousand\b")
_OTHER_NUMBERS: list[tuple[re.Pattern[str], Callable[[re.Match[str]], str]]] = [
    (re.compile(r"\bhalf (?:a|an) dozen\b"), lambda found: "6"),
    (re.compile(r"\b(\d+) dozen\b"), lambda found: str(12 * int(found[1]))),
    (re.compile(r"\b(?:a|1) dozen\b"), lambda found: "12"),
    (re.compile(r"\ban hour and a half\b"), lambda found: "1.5 hours"),
    (re.compile(r"\b3 quarters of an hour\b"), lambda found: "45 minutes"),
    (re.compile(r"\bhalf an hour\b"), lambda found: "30 minutes"),
    (re.compile(r"\ba quarter of an hour\b"), lambda found: "15 minutes"),
    (re.compile(r"\btwice\b"), lambda found: "2 times"),
    (re.compile(r"\bboth\b(?= of | \w+s\b)"), lambda found: "2"),
    (re.compile(r"(?<=, )(1[89]|20) (\d\d)\b(?![.,:]?\d)"), lambda found: found[1] + found[2]),
]
_ONES = r"(?:one|two|three|four|five|six|seven|eight|nine)"
_TENS = r"(?:thirty|forty|fifty|sixty|seventy|eighty|ninety)"
_PRICE = re.compile(
    rf"(?<!thousand )\b((?:(?:a |{_ONES} )?hundred (?:and )?(?:\w+teen|\w+ty(?:[- ]{_ONES})?|{_ONES})|"
    rf"{_TENS}(?:[- ]{_ONES})?|twenty[- ](?:five|six|seven|eight|nine))) "
    rf"((?:oh|o) {_ONES}|(?:twenty|{_TENS})(?:[- ]{_ONES})?|(?:ten|eleven|twelve|\w+teen))\b"
)
"""An amount as it is spoken, "fifty-eight sixty": too high a first figure for a time of day or a year."""
_SPELLED = re.compile(
    r"\b(?:zero|nought|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twel|thirt|fourt|fift|twent|hundred|thousand|"
    r"million|dozen|fort|sixt|sevent|eight|nint|ninet|first|second|third)"
)


_LETTERS: dict[int, str] = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe"})


@lru_cache(maxsize=512)
def plain(text: str) -> str:
    """The text in lower case, with one spelling for spaces, dashes and quotes, and without emphasis."""
    text = _LIST_MARK.sub(" ; ", _STRUCK.sub(" … ", text))
    text = _MIXED_FRACTION.sub(" ", text.translate(_INVISIBLE).translate(_MARKS).translate(_ONE_CHARACTER))
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).translate(_ONE_CHARACTER)
    return " ".join(_MARKDOWN.sub("", text.replace("`", "'")).split())


@lru_cache(maxsize=512)
def in_digits(text: str, *, ranks: bool = True) -> str:
    """A plain text with its number words as digits: "a hundred and twelve" as "112", "the third" as "the 3rd".

    Without `ranks` "the third" is a day only in "the third of May" or "May the third", and else stays a word.
    """
    if not ranks:
        text = _RANK.sub(r"\1_", text)
    if _SPELLED.search(text):
        text = _PRICE.sub(lambda found: f"{_figure(found[1])}.{_figure(found[2])}", text)
        text = _THOUSANDS.sub(" k", _SCALED.sub(" mio", text))
        text = alpha2digit(_JOINED.sub(r"\1 ", _PRONOUN.sub(r"\1 thing", text)), "en", threshold=0)
    for pattern, digits in _OTHER_NUMBERS:
        text = pattern.sub(digits, text)
    return re.sub(r"\b(?:an?|one) (?=1000*\b)", "", text)


def _figure(words: str) -> str:
    return str(alpha2digit(re.sub(r"^(?:oh|o) ", "zero ", words), "en", threshold=0)).replace(" ", "")


def unaccented(text: str) -> str:
    """A plain text without accents, for names as people type them: "zurich" for "zürich"."""
    text = text.translate(_LETTERS)
    return "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))
