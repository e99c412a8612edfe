"""Settings as users write them: a YAML file, a preset by its name, `NAME=VALUE` on top; and what is wrong with them.

Which settings there are, `trainer.config` says.
"""

import difflib
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import BaseModel, ValidationError

from toolscale.errors import UserError

PRESETS = Path(__file__).with_name("presets")


class _TwiceError(Exception):
    """A name stands twice in one section."""


def read_values(path: Path) -> tuple[dict[str, Any], Path]:
    """What stands in the YAML file at `path`, or in the preset of that name; and which file that is.

    Raises:
        UserError: there is no such file, or it is not YAML with names in it.
    """
    file = _file(path)
    wrong = "settings are written in YAML, not TOML" if file.suffix == ".toml" else ""
    try:
        read = _load(file.read_text(encoding="utf-8")) or {}
    except (OSError, UnicodeDecodeError) as error:
        presets = ", ".join(sorted(preset.stem for preset in PRESETS.glob("*.yaml")))
        raise UserError(f"{path} cannot be read ({error}); give --config a YAML file or one of {presets}") from None
    except _TwiceError as error:
        raise UserError(f"{file}: {error}; take one out") from None
    except yaml.YAMLError as error:
        raise UserError(f"{file} is not YAML: {wrong or ' '.join(str(error).split())}") from None
    except RecursionError:
        raise UserError(f"{file} nests too deeply to be read; the settings have three levels") from None
    if not isinstance(read, dict):
        said = wrong or "write `model:` with `path:` below it, and whatever differs"
        raise UserError(f"{file} holds no settings; {said}")
    return read, file


def changes_from(assignments: Sequence[str]) -> dict[str, Any]:
    """Dotted name -> value, from `NAME=VALUE` as a user types it; values are YAML.

    Raises:
        UserError: one of them is not of that form.
    """
    changes = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals or not name:
            raise UserError(f"--set {assignment}: write NAME=VALUE, such as optimization.learning_rate=2e-6")
        try:
            changes[name] = _load(value)
        except _TwiceError as error:
            raise UserError(f"--set {assignment}: {error}; take one out") from None
        except (yaml.YAMLError, RecursionError):
            raise UserError(f"--set {assignment}: the value is not YAML; write NAME=VALUE, such as steps=50") from None
    return changes


def put(values: dict[str, Any], name: str, value: Any) -> None:
    """Set what has this dotted name, in sections that need not be there yet."""
    *sections, last = name.split(".")
    for section in sections:
        if not isinstance(values.get(section), dict):
            values[section] = {}
        values = values[section]
    values[last] = value


def explained(error: ValidationError, settings: type[BaseModel], source: str, changes: Collection[str] = ()) -> str:
    """The first thing that is wrong, in one line for a user.

    Args:
        error: what pydantic says.
        settings: the model that it says that of.
        source: the file.
        changes: dotted names of what was set on top of it, on the command line.
    """
    first = error.errors(include_url=False, include_context=False)[0]
    place = [str(part) for part in first["loc"] if "[" not in str(part)]  # Else it is one of several types.
    name = ".".join(place)
    said = str(first["msg"]).removeprefix("Value error, ")
    if first["type"] == "extra_forbidden":
        said = _unknown(place, settings)
    elif first["type"] in ("model_type", "model_attributes_type"):
        some = next(iter(_section(settings, place).model_fields))
        said = f"this is a section: give it `{{}}`, which takes its defaults, or settings, such as {name}.{some}"
    for change in changes:
        if name == change:
            return f"--set {change}: {said}"
        if name.startswith(f"{change}."):
            return f"--set {change}: `{name}`: {said}"
    # A rule for several settings: it is broken where they are told, and by those that it is about.
    within = [each for each in changes if (each.startswith(f"{name}.") if name else each in said)]
    whole = " ".join([source, *(["with"] if within else []), *(f"--set {each}" for each in within)])
    return f"{whole}: `{name}`: {said}" if name else f"{whole}: {said}"


def _load(text: str) -> Any:
    """YAML, in which no name stands twice in a section: else the last one would be taken, and nothing said."""
    _see_that_names_differ(yaml.compose(text, yaml.SafeLoader))
    return yaml.safe_load(text)


def _see_that_names_differ(node: Any) -> None:
    if isinstance(node, yaml.SequenceNode):
        for each in node.value:
            _see_that_names_differ(each)
    if isinstance(node, yaml.MappingNode):
        seen = set()
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value in seen:
                raise _TwiceError(f"`{key.value}` stands twice, for the second time in line {key.start_mark.line + 1}")
            seen.add(key.value if isinstance(key, yaml.ScalarNode) else id(key))
            _see_that_names_differ(value)


def _file(path: Path) -> Path:
    preset = PRESETS / f"{path.name.removesuffix('.yaml')}.yaml"
    return preset if not path.exists() and path.name == str(path) and preset.is_file() else path


def _unknown(place: Sequence[str], settings: type[BaseModel]) -> str:
    """What to say of a name that nothing has: which one is meant, perhaps, and which there are."""
    *above, last = place
    own = list(_section(settings, above).model_fields)
    within = ".".join(above)
    near = [".".join([*above, each]) for each in difflib.get_close_matches(last, own, 1)]
    every = list(_names(settings))
    near = near or [each for each in every if each.rpartition(".")[2] == last]
    near = near or [each for each in every if each in difflib.get_close_matches(within + "." + last, every, 1)]
    meant = f", perhaps {' or '.join(near)} is meant" if near else ""
    return f"there is no such setting{meant}; {within or 'the file'} may have {', '.join(own)}"


def _names(settings: type[BaseModel], within: str = "") -> Iterator[str]:
    """Every setting's dotted name."""
    for name, field in settings.model_fields.items():
        yield within + name
        if (section := _section_in(field.annotation)) is not None:
            yield from _names(section, f"{within}{name}.")


def _section(settings: type[BaseModel], place: Sequence[str]) -> type[BaseModel]:
    """The section at a place, or the one around it."""
    for part in place:
        if part in settings.model_fields:
            settings = _section_in(settings.model_fields[part].annotation) or settings
    return settings


def _section_in(annotation: Any) -> type[BaseModel] | None:
    """The section that a field of this type holds, alone or among others."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_section_in, get_args(annotation))), None)
