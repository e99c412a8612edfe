"""Picks: golden writes that took one of several entries of an earlier result, and which of the others would do."""

from toolscale.checkers.picks.choices import Choice, Option, choices

__all__ = ["Choice", "Option", "choices"]
