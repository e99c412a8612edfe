"""Text that somebody else wrote, such as a model, made harmless to a terminal."""

import re

_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f"
    "\ufeff\ud800-\udfff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""What moves the cursor, starts an escape sequence, turns the writing's direction, or cannot be seen or written."""


def printable(text: str) -> str:
    r"""The text with such characters spelt out, as ``\x1b`` or ``\u202e``; line ends and tabs stay."""
    return _UNSEEN.sub(lambda found: _spelt(found.group()), text.replace("\r\n", "\n"))


def in_one_line(text: str) -> str:
    """The text as printable, on one line."""
    return " ".join(printable(text).split())


def as_a_line(text: str) -> str:
    r"""The text as printable, its spaces as they are and its line ends and tabs spelt out: ``\n``."""
    return printable(text).replace("\n", "\\n").replace("\t", "\\t")


def _spelt(character: str) -> str:
    number = ord(character)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
