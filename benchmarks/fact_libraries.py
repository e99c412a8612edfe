"""How well libraries find facts in what agents say, beside our own reading, on the corpus of the tests.

    pip install dateparser python-dateutil quantulum3 price-parser word2number
    python benchmarks/fact_libraries.py

Each library is asked for what it is for: dates and times, numbers with units, prices, numbers in words. A fact counts
as found where the library reads its value in the sentence, and its unit where it reads one in the fact too. No library
tells what is denied, so near misses of that sort pass with all of them. The last column says how many sentences the
library gets right and ours wrong.
"""

import importlib
import json
import re
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from text_to_num import alpha2digit

from toolscale.checkers.said import fact_of, is_said

CORPUS = Path(__file__).parents[1] / "tests" / "checkers" / "facts"
PRESENT = datetime(2026, 11, 24, 9)
MOMENTS, NUMBERS = ("date", "time"), ("amount", "count", "quantity")
_INSTALL = "pip install dateparser python-dateutil quantulum3 price-parser word2number"
Finds = Callable[[dict[str, Any]], bool]


def ours(pair: dict[str, Any]) -> bool:
    """Our reading, which is given the kind, as the libraries are by what they are asked for."""
    return is_said(fact_of(pair["fact"], pair["kind"]), pair["message"], PRESENT)


def dateparser() -> Finds:
    """Every date or time that its search finds in a sentence."""
    search = importlib.import_module("dateparser.search").search_dates
    settings = {"RELATIVE_BASE": PRESENT, "PREFER_DATES_FROM": "future"}
    return lambda pair: _moment_in(
        pair, (moment for _, moment in search(pair["message"], languages=["en"], settings=settings) or ())
    )


def dateutil() -> Finds:
    """The one date or time that its fuzzy parser makes of a sentence, the day or the month first."""
    parser = importlib.import_module("dateutil.parser")

    def moments(message: str) -> Iterator[datetime]:
        for day_first in (False, True):
            try:
                yield parser.parse(message, fuzzy=True, dayfirst=day_first, default=PRESENT)
            except (ValueError, OverflowError):
                continue

    return lambda pair: _moment_in(pair, moments(pair["message"]))


def quantulum() -> Finds:
    """Every number with its unit."""
    parser = importlib.import_module("quantulum3.parser")

    def read(text: str) -> list[tuple[float, str]]:
        return [(each.value, each.unit.name) for each in parser.parse(text)]

    def finds(pair: dict[str, Any]) -> bool:
        return any(
            value == said and unit in ("dimensionless", its_unit)
            for value, unit in read(pair["fact"])[:1]
            for said, its_unit in read(pair["message"])
        )

    return finds


def price_parser() -> Finds:
    """The one price that it makes of a sentence."""
    price = importlib.import_module("price_parser").Price.fromstring

    def finds(pair: dict[str, Any]) -> bool:
        wanted, said = price(pair["fact"]), price(pair["message"])
        return said.amount is not None and said.amount == wanted.amount

    return finds


def text2num() -> Finds:
    """Number words as digits; the digits are then looked for."""

    def finds(pair: dict[str, Any]) -> bool:
        return pair["fact"] in re.findall(
            r"(?<![\w.,])-?\d+(?![\w]|[.,]\d)", alpha2digit(pair["message"], "en", threshold=0)
        )

    return finds


def word2number() -> Finds:
    """The one number that it makes of a sentence."""
    module = importlib.import_module("word2number.w2n")

    def finds(pair: dict[str, Any]) -> bool:
        try:
            return bool(module.word_to_num(pair["message"]) == int(pair["fact"]))
        except (ValueError, IndexError, TypeError):
            return False

    return finds


def _moment_in(pair: dict[str, Any], moments: Iterable[datetime]) -> bool:
    """The day and the time each in any of the moments, as ours looks for them."""
    wanted, found = fact_of(pair["fact"]).moment, list(moments)
    if wanted is None:
        return False
    day = wanted.day is None or any(moment.date() == wanted.day for moment in found)
    clock = wanted.clock
    return day and (clock is None or any((each.hour, each.minute) == (clock.hour, clock.minute) for each in found))


READERS: list[tuple[str, tuple[str, ...], Callable[[], Finds]]] = [
    ("ours", MOMENTS, lambda: ours),
    ("dateparser", MOMENTS, dateparser),
    ("python-dateutil", MOMENTS, dateutil),
    ("ours", NUMBERS, lambda: ours),
    ("quantulum3", NUMBERS, quantulum),
    ("ours", ("amount",), lambda: ours),
    ("price-parser", ("amount",), price_parser),
    ("ours", ("count",), lambda: ours),
    ("text2num", ("count",), text2num),
    ("word2number", ("count",), word2number),
]


def main() -> None:
    """Print a line a library, as Markdown."""
    warnings.simplefilter("ignore")
    pairs = [
        json.loads(line)
        for file in sorted(CORPUS.glob("*.jsonl"))
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    print("| kinds | | said | not found | near misses | found | CPU ms a sentence | right where ours is wrong |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name, kinds, reader in READERS:
        own = [pair for pair in pairs if pair["kind"] in kinds]
        try:
            finds = reader()
        except ImportError:
            raise SystemExit(
                f"{name} is not installed: pip install dateparser python-dateutil quantulum3 price-parser word2number"
            ) from None
        finds(own[0])  # what is loaded at the first call
        began = time.process_time()
        found = [finds(pair) for pair in own]
        spent = 1000 * (time.process_time() - began) / len(own)
        said = sum(pair["said"] for pair in own)
        missed = sum(pair["said"] and not here for pair, here in zip(own, found, strict=True))
        passed = sum(here and not pair["said"] for pair, here in zip(own, found, strict=True))
        better = sum(here == pair["said"] != ours(pair) for pair, here in zip(own, found, strict=True))
        figures = f"{said} | {missed} | {len(own) - said} | {passed} | {spent:.1f} | {better}"
        print(f"| {', '.join(kinds)} | {name} | {figures} |")


if __name__ == "__main__":
    main()
