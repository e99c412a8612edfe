"""How often Python looks for cycles in a process that makes tasks: rarely, since it holds much and leaves few."""

import gc

_NEW_OBJECTS = 20_000
"""More objects made than freed, after which the new ones are looked at; Python's own number is 700."""

_YOUNGER_ROUNDS = 10
"""Rounds of one age after which the next is looked at too: all that lives, once in two million new objects."""


def look_rarely() -> None:
    """Let a round among the objects that live wait for many more new ones than Python does by itself.

    A stage holds hundreds of thousands of records, calls and models for as long as it runs, and each round walks them
    all: a fifth of its CPU (docs/benchmarks.md). What is no cycle is freed at once, as ever. It holds for the whole
    process, that of another Dagster project too which takes the pipelines into its definitions.
    """
    gc.set_threshold(_NEW_OBJECTS, _YOUNGER_ROUNDS, _YOUNGER_ROUNDS)
