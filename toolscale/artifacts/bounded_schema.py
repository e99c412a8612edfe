"""JSON Schemas that a model wrote, applied to what a model answered, in bounded time.

Python's own regular expressions take exponential time on patterns such as ``(a+)+$``. Patterns run on RE2 here, which
takes linear time whatever the pattern; what it cannot run (look-ahead, back-references) is a fault of the schema.
"""

import re
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from functools import cache, lru_cache
from typing import Any

from toolscale.artifacts.strict_json import DEEPEST, deeper_than

MOST_REFERENCES = 30_000
"""References that one check may follow: a schema that refers to itself twice may double the work at each level."""

_references_left: ContextVar[int] = ContextVar("references_left", default=MOST_REFERENCES)
_ESCAPED = re.compile(r"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)


class TooIntricate(ValueError):  # noqa: N818 - the name says what happened
    """The check would take too long."""


def schema_faults(schema: Any) -> Iterator[str]:
    """Why a JSON value is no schema that can be applied in bounded time, one sentence a fault; nothing if it is one."""
    from jsonschema import Draft202012Validator, FormatChecker
    from jsonschema.exceptions import SchemaError

    if deeper_than(schema, DEEPEST):
        yield "the schema nests too deep"
        return
    try:
        # Without formats: one of them has Python judge the patterns, which is RE2's to do.
        Draft202012Validator.check_schema(schema, format_checker=FormatChecker(formats=()))
    except SchemaError as error:
        yield f"not a valid JSON Schema (2020-12): {error.message[:300]}"
        return
    except RecursionError:
        yield "the schema nests too deep"
        return
    for pattern in dict.fromkeys(_patterns(schema)):
        try:
            _compiled(pattern)
        except ValueError as error:
            yield str(error)
    if _mentions(schema, "unevaluatedProperties") and _mentions(schema, "patternProperties"):
        yield "`unevaluatedProperties` does not go with `patternProperties`: use `additionalProperties`"


def validator_of(schema: Mapping[str, Any], *, formats: bool = False) -> Any:
    """A ``jsonschema`` validator of a schema without faults. It fetches nothing, and checks formats if asked to.

    ``TooIntricate`` comes out of a check that would take too long.
    """
    from referencing import Registry

    kind = _validator_class()
    return kind(schema, registry=Registry(), format_checker=kind.FORMAT_CHECKER if formats else None)


def errors_in(validator: Any, value: Any) -> Iterator[Any]:
    """The validator's errors, as it finds them, within the bound on references.

    Raises:
        TooIntricate: the check would take too long, or nests too deep.
    """
    token = _references_left.set(MOST_REFERENCES)
    try:
        yield from validator.iter_errors(value)
    except RecursionError:
        raise TooIntricate("the value nests too deep to be checked") from None
    except OverflowError:
        raise TooIntricate("the value holds a number too large to reckon with") from None
    finally:
        _references_left.reset(token)


@cache
def _validator_class() -> Any:
    from jsonschema import Draft202012Validator, validators

    extend: Any = validators.extend
    ours = {
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
        "anyOf": _any_of,
        "oneOf": _one_of,
        "$ref": _reference,
        "$dynamicRef": _reference,
    }
    return extend(Draft202012Validator, ours)


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> Any:
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        # JSON Schema's patterns are JavaScript's, which write a character as \uXXXX; RE2 writes it as \x{XXXX}.
        return re2.compile(_ESCAPED.sub(lambda found: f"\\x{{{found[1]}}}" if found[1] else found[0], pattern), options)
    except (re2.error, UnicodeError) as error:
        said = error.args[0].decode(errors="replace") if isinstance(error.args[0], bytes) else error
        raise ValueError(
            f"the pattern `{pattern[:80]}` cannot be used ({said}): write it without look-ahead, look-behind, "
            "back-references and counts above 1000"
        ) from None


def _pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> Iterator[Any]:
    from jsonschema import ValidationError

    if isinstance(instance, str) and not _compiled(pattern).search(instance):
        yield ValidationError(f"{instance[:100]!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if isinstance(instance, dict):
        for pattern, described in patterns.items():
            for name, part in instance.items():
                if _compiled(pattern).search(name):
                    yield from validator.descend(part, described, path=name, schema_path=pattern)


def _additional_properties(validator: Any, others: Any, instance: Any, schema: Any) -> Iterator[Any]:
    from jsonschema import ValidationError

    if not isinstance(instance, dict):
        return
    listed, patterns = schema.get("properties", {}), [_compiled(each) for each in schema.get("patternProperties", {})]
    extra = [name for name in instance if name not in listed and not any(each.search(name) for each in patterns)]
    if others is False and extra:
        named = ", ".join(repr(name[:60]) for name in extra[:5])
        yield ValidationError(f"additional properties are not allowed: {named}")
    elif isinstance(others, dict):
        for name in extra:
            yield from validator.descend(instance[name], others, path=name)


def _any_of(validator: Any, options: Any, instance: Any, schema: Any) -> Iterator[Any]:
    """As the library's, but an option is left at its first fault: to list them all takes exponential time."""
    from jsonschema import ValidationError

    first_faults = []
    for option in options:
        fault = next(validator.descend(instance, option), None)
        if fault is None:
            return
        first_faults.append(fault)
    said = "; ".join(dict.fromkeys(fault.message[-150:] for fault in first_faults[:4]))
    yield ValidationError(f"none of the {len(first_faults)} forms that are allowed here: {said}")


def _one_of(validator: Any, options: Any, instance: Any, schema: Any) -> Iterator[Any]:
    from jsonschema import ValidationError

    fitting = [option for option in options if next(validator.descend(instance, option), None) is None]
    if len(fitting) > 1:
        yield ValidationError(f"it has {len(fitting)} of the forms of which it must have exactly one")
    elif not fitting:
        yield from _any_of(validator, options, instance, schema)


def _reference(validator: Any, reference: str, instance: Any, schema: Any) -> Iterator[Any]:
    left = _references_left.get() - 1
    _references_left.set(left)
    if left < 0:
        raise TooIntricate("the value is too intricate to be checked")
    yield from validator._validate_reference(ref=reference, instance=instance)


def _patterns(schema: Any) -> Iterator[str]:
    """Every regular expression in a schema; also in places where it is an example: those cost nothing to check."""
    if isinstance(schema, list):
        for part in schema:
            yield from _patterns(part)
    elif isinstance(schema, dict):
        for key, part in schema.items():
            if key == "pattern" and isinstance(part, str):
                yield part
            elif key == "patternProperties" and isinstance(part, dict):
                yield from part
            yield from _patterns(part)


def _mentions(schema: Any, keyword: str) -> bool:
    if isinstance(schema, dict):
        return keyword in schema or any(_mentions(part, keyword) for part in schema.values())
    return isinstance(schema, list) and any(_mentions(part, keyword) for part in schema)
