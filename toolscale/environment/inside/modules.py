"""The modules that functions may import. They are loaded before the sandbox closes; nothing can be loaded after."""

import importlib
from collections.abc import Sequence

PRELOADED_MODULES: tuple[str, ...] = (
    "abc",
    "base64",
    "bisect",
    "calendar",
    "collections",
    "contextlib",
    "copy",
    "csv",
    "dataclasses",
    "datetime",
    "decimal",
    "difflib",
    "enum",
    "fnmatch",
    "fractions",
    "functools",
    "hashlib",
    "heapq",
    "io",
    "itertools",
    "json",
    "locale",
    "math",
    "numbers",
    "operator",
    "random",
    "re",
    "statistics",
    "string",
    "textwrap",
    "time",
    "types",
    "typing",
    "unicodedata",
    "uuid",
)
"""What a function's source may import: the standard library's modules that need no system."""

INTERNAL_MODULES: tuple[str, ...] = ("__future__", "_strptime", "copyreg", "warnings")
"""What those modules, or the interpreter, import behind a function's back."""

ADDED_MODULES: list[str] = []
"""What this template was asked to load beside them, such as numpy."""

_ENCODINGS = ("ascii", "latin_1", "utf_8", "utf_16", "utf_32", "cp1252", "idna", "punycode")


def preload(added: Sequence[str] = ()) -> None:
    """Load all of it, with the encodings that are otherwise looked for on disk at first use."""
    ADDED_MODULES.extend(added)
    for name in (*PRELOADED_MODULES, *INTERNAL_MODULES, *added):
        importlib.import_module(name)
    importlib.import_module("collections.abc")
    for encoding in _ENCODINGS:
        importlib.import_module(f"encodings.{encoding}")
        "".encode(encoding)
