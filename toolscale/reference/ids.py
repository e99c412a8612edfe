"""Keys for records: unlike each other, easy to read out, and alike in form within a table."""

from collections.abc import Callable
from random import Random


class Ids:
    """Gives keys that nobody has yet. ``digits("PX")`` is PX-48213, ``hex("RB")`` is RB-4F82A1."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._given: set[str] = set()

    def digits(self, prefix: str, length: int = 5) -> str:
        """A number of so many digits, as people have it on a card."""
        return self._new(lambda: f"{prefix}-{self._rng.randrange(10 ** (length - 1), 10**length)}")

    def hex(self, prefix: str, length: int = 6) -> str:
        """Hexadecimal digits, at least one of them a letter and one a numeral, as booking systems give them."""

        def drawn() -> str:
            while (text := f"{self._rng.randrange(16**length):0{length}X}").isalpha() or text.isdigit():
                pass
            return f"{prefix}-{text}"

        return self._new(drawn)

    def _new(self, drawn: Callable[[], str]) -> str:
        while (key := drawn()) in self._given:
            pass
        self._given.add(key)
        return key


def digits_pattern(prefix: str, length: int = 5) -> str:
    """The schema's pattern of a key made by ``Ids.digits``."""
    return rf"^{prefix}-[1-9]\d{{{length - 1}}}$"


def hex_pattern(prefix: str, length: int = 6) -> str:
    """The schema's pattern of a key made by ``Ids.hex``, or by a function from ``uuid4().hex[:6].upper()``."""
    return rf"^{prefix}-[0-9A-F]{{{length}}}$"
