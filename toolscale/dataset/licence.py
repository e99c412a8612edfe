"""The licence of a dataset, whose full text lies in its folder."""

from toolscale.prompts import data_folder

LICENCE = "apache-2.0"
"""As the Hub names it."""

LICENCE_FILE = "LICENSE"


def licence_text() -> str:
    """The full text."""
    return data_folder(LICENCE_FILE).read_text(encoding="utf-8")
