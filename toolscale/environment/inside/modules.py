"""The modules that functions may import. They are loaded before the sandbox closes; nothing can be loaded after."""

import importlib
import re
import time
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

MODULES_ON_DEMAND: tuple[str, ...] = ("pydantic", "typing_extensions")
"""What it may import beside them; loaded only for a source that does, because that takes its time."""

INTERNAL_MODULES: tuple[str, ...] = ("__future__", "_strptime", "copyreg", "warnings")
"""What those modules, or the interpreter, import behind a function's back."""

ADDED_MODULES: list[str] = []
"""What this template was asked to load beside the standard library's, such as numpy."""

_ENCODINGS = ("ascii", "latin_1", "utf_8", "utf_16", "utf_32", "cp1252", "idna", "punycode")
_FORMS_OF_MOMENTS = ("%Y-%m-%d", "%H:%M", "%Y-%m-%d %H:%M")


def demanded(source: str) -> list[str]:
    """Which of the modules on demand a source seems to import. Nothing is parsed: the source is anybody's."""
    return [name for name in MODULES_ON_DEMAND if re.search(rf"^[ \t]*(from|import)\b.*\b{name}\b", source, re.M)]


def preload(added: Sequence[str] = ()) -> None:
    """Load all of it, with the encodings that are otherwise looked for on disk at first use.

    The usual forms of moments are read once: every fork would compile them anew.
    """
    ADDED_MODULES.extend(added)
    at_once = [name for name in added if name not in MODULES_ON_DEMAND]
    for name in (*PRELOADED_MODULES, *INTERNAL_MODULES, *at_once):
        importlib.import_module(name)
    importlib.import_module("collections.abc")
    for encoding in _ENCODINGS:
        importlib.import_module(f"encodings.{encoding}")
        "".encode(encoding)
    for form in _FORMS_OF_MOMENTS:
        time.strptime(time.strftime(form, time.gmtime(0)), form)


def load_demanded() -> None:
    """Load the modules on demand, once the clocks stand still: pydantic has to know the types that functions see."""
    if "pydantic" in ADDED_MODULES:
        importlib.import_module(".pydantic_ready", __package__).load()
    elif "typing_extensions" in ADDED_MODULES:
        importlib.import_module("typing_extensions")
