"""What each token of a sequence spells."""

from collections.abc import Sequence
from typing import Any

_UNFINISHED = "\ufffd"
_LONGEST_CHARACTER = 4
"""Bytes, and so tokens, of a character in UTF-8."""


class Pieces:
    """A tokenizer's spelling of single tokens, each asked for once."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        # Some tokenizers drop the space that a text begins with, so that nothing is spelt alone.
        self._anchor = list(tokenizer.encode("a", add_special_tokens=False))
        self._before = str(tokenizer.decode(self._anchor))
        self._known: dict[tuple[int, ...], str] = {}

    def of(self, ids: Sequence[int]) -> list[str]:
        """A text for each token; together they are the sequence's text.

        Where several tokens make one character, the last of them has it and the others are empty.
        """
        pieces: list[str] = []
        waiting: tuple[int, ...] = ()
        for token in ids:
            waiting += (token,)
            text = self._spelt(waiting)
            if text.endswith(_UNFINISHED) and len(waiting) < _LONGEST_CHARACTER:
                pieces.append("")
            else:
                pieces.append(text)
                waiting = ()
        if waiting:
            pieces[-1] = self._spelt(waiting)
        return pieces

    def _spelt(self, ids: tuple[int, ...]) -> str:
        if ids not in self._known:
            text = self._tokenizer.decode([*self._anchor, *ids], skip_special_tokens=False)
            self._known[ids] = str(text).removeprefix(self._before)
        return self._known[ids]
