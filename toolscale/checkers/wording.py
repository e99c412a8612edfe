"""Finding a text in another as it is written: the folding and matching behind the gates that read text.

Both sides are folded: case, white space, Unicode's compatibility forms, thousands separators and currency signs. A
match then has to end at word and number boundaries, so "10" is found in "$10." and not in "2010", "10.5" or "-10".
Numbers are compared as written: "12.5" is not "12.50". What an agent says is read more freely (``said``).
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

_INVISIBLE = dict.fromkeys((0x00AD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, ord("™"), ord("℠")))
_NARROW_SPACE = "\x1f"  # stands for the spaces that group digits; ordinary white space once numbers are folded
_PUNCTUATION = str.maketrans(
    dict.fromkeys("\u00a0\u2007\u2009\u202f", _NARROW_SPACE)
    | dict.fromkeys("‐‑−", "-")
    | dict.fromkeys("‘’ʼ", "'")
    | {"“": '"', "”": '"', "\N{FRACTION SLASH}": "/"}
)
_MIXED_FRACTION = re.compile(r"(?<=\d)(?=[¼-¾⅐-⅞])")  # 1½ is 1 1/2 and not 11/2
_EMPHASIS = re.compile(r"(?<!\w)_+|(?<!_)_++(?!\w)")  # _Anna_, but not user_1
_CURRENCY = "[$¢£¤¥\u058f\u060b\u0e3f\u20a0-\u20c0]"
_SIGNED_CURRENCY = re.compile(rf"(?<=-){_CURRENCY}\s*(?=\d)")
_THOUSANDS = re.compile(rf"(?<![\d])(?<!\d[.,'])[1-9]\d{{0,2}}([,'{_NARROW_SPACE}])\d{{3}}(?:\1\d{{3}})*(?!\1?\d)")

# Scripts without spaces between words have no word boundaries to respect.
_WORD = re.compile(r"[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_NOT_AFTER_WORD = re.compile(rf"(?<!{_WORD.pattern})")
_NOT_BEFORE_WORD = re.compile(rf"(?!{_WORD.pattern})")
_START_OF_NUMBER = re.compile(rf"{_NOT_AFTER_WORD.pattern}(?<!-)(?<!\d[.,:/'])(?<!(?<![\w.])\.)")
_END_OF_NUMBER = re.compile(rf"{_NOT_BEFORE_WORD.pattern}(?![.,:/']\d)(?!-(?:\d|\w\b))")
_START_OF_WORD = re.compile(rf"{_NOT_AFTER_WORD.pattern}(?<!\d-)")
_END_OF_WORD = re.compile(rf"{_NOT_BEFORE_WORD.pattern}(?!-\d)")
_ANYWHERE = re.compile("")


def stands_in(fact: str, text: str) -> bool:
    """True if a folded text stands in another one. Nothing stands nowhere."""
    return next(places_of(fact, text), None) is not None


def places_of(fact: str, text: str) -> Iterator[tuple[int, int]]:
    """Where a folded text stands in another one: from where to where."""
    if not fact:
        return
    begin, finish = _start(fact), _end(fact)
    found = text.find(fact)
    while found >= 0:
        if begin.match(text, found) and finish.match(text, found + len(fact)):
            yield found, found + len(fact)
        found = text.find(fact, found + 1)


@lru_cache(maxsize=256)
def fold(text: str) -> str:
    """One spelling for all ways to write the same fact."""
    text = _EMPHASIS.sub("", _MIXED_FRACTION.sub(" ", text.translate(_INVISIBLE).translate(_PUNCTUATION)))
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).translate(_PUNCTUATION)
    text = re.sub(r"[–‒](?=\d)", "-", text)
    text = re.sub(_CURRENCY, " ", _SIGNED_CURRENCY.sub("", text))
    text = _THOUSANDS.sub(lambda number: re.sub(r"\D", "", number[0]), text)
    return re.sub(r"(?<=\d) %", "%", " ".join(text.split()))


def _start(fact: str) -> re.Pattern[str]:
    if fact[0].isdigit():
        return _START_OF_NUMBER
    if re.match(r"[-.,:/']\d", fact):
        return _NOT_AFTER_WORD
    return _START_OF_WORD if _WORD.match(fact) else _ANYWHERE


def _end(fact: str) -> re.Pattern[str]:
    if fact[-1].isdigit():
        return _END_OF_NUMBER
    if re.search(r"\d[-.,:/']$", fact):
        return _NOT_BEFORE_WORD
    return _END_OF_WORD if _WORD.match(fact[-1]) else _ANYWHERE
