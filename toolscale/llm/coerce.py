"""Harmless deviations from a JSON Schema, set right: numbers as strings, one value where a list of one is meant."""

import json
from typing import Any

Schema = dict[str, Any]


def coerced(value: Any, schema: Schema) -> Any:
    """The value, changed only where the schema says another type and the meaning is plain. Never raises."""
    return _coerced(value, schema, schema)


def _coerced(value: Any, schema: Any, root: Schema) -> Any:
    schema = _resolved(schema, root)
    if not schema:
        return value
    options = schema.get("anyOf") or schema.get("oneOf")
    if options:
        return _as_one_of(value, options, root)
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(_is_of(value, name) for name in types):
        value = next((cast for name in types if (cast := _cast(value, name)) is not value), value)
    if isinstance(value, list):
        members = schema.get("items", {})
        return [_coerced(member, members, root) for member in value]
    if isinstance(value, dict):
        properties, others = schema.get("properties", {}), schema.get("additionalProperties", {})
        return {name: _coerced(part, properties.get(name, others), root) for name, part in value.items()}
    return value


def _as_one_of(value: Any, options: list[Any], root: Schema) -> Any:
    """The first option whose type the value has as it stands, else the first that it can be made to have."""
    resolved = [_resolved(option, root) for option in options]
    fitting = [option for option in resolved if _has_type(value, option)]
    if fitting:
        return _coerced(value, fitting[0], root) if len(fitting) == 1 else value
    for option in resolved:
        changed = _coerced(value, option, root)
        if _has_type(changed, option):
            return changed
    return value


def _resolved(schema: Any, root: Schema) -> Schema:
    """The schema that a local reference points to; an empty one for `true`, `false` and references elsewhere."""
    while isinstance(schema, dict) and "$ref" in schema:
        target: Any = root
        for part in str(schema["$ref"]).removeprefix("#").strip("/").split("/"):
            target = target.get(part, {}) if isinstance(target, dict) and part else target
        schema = {} if target is schema else target
    return schema if isinstance(schema, dict) else {}


def _has_type(value: Any, schema: Schema) -> bool:
    types = schema.get("type", [])
    return any(_is_of(value, name) for name in ([types] if isinstance(types, str) else types))


def _is_of(value: Any, name: str) -> bool:
    match name:
        case "integer":
            return (isinstance(value, int) and not isinstance(value, bool)) or (
                isinstance(value, float) and value.is_integer()
            )
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "null":
            return value is None
        case _:
            kind = {"string": str, "boolean": bool, "array": list, "object": dict}.get(name)
            return kind is not None and isinstance(value, kind)


def _cast(value: Any, name: str) -> Any:
    """The value as that type where only one reading is possible; else the value itself."""
    match name:
        case "integer" | "number" | "boolean" if isinstance(value, str):
            try:
                read = json.loads(value.strip().replace(",", "") if name != "boolean" else value.strip().lower())
            except ValueError:
                return value
            return read if _is_of(read, name) else value
        case "string" if isinstance(value, int | float) and not isinstance(value, bool):
            return json.dumps(value)
        case "array" if value is not None and value != "":
            return _listed(value)
        case "object" if isinstance(value, str):
            return _read(value, dict)
        case "object" if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
            return value[0]
        case _:
            return value


def _listed(value: Any) -> Any:
    """A list that was sent as a JSON string, or the list of one that a single value stands for."""
    read = _read(value, list) if isinstance(value, str) else value
    return read if isinstance(read, list) else [value]


def _read(text: str, kind: type) -> Any:
    try:
        read = json.loads(text)
    except ValueError:
        return text
    return read if isinstance(read, kind) else text
