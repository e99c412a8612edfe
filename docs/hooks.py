"""The pages that are made from the code while the site is built: command line, settings, Python API."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import typer
from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

import toolscale
from toolscale.cli import app
from toolscale.settings import ModelSettings, Price, Role, Settings

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

COMMAND_LINE = """# Command line

Generated from the code; `toolscale COMMAND --help` prints the same. Every command ends with status 0 when it did its
work, 2 when the command or its input is wrong, and 3 when a budget was spent."""

SETTINGS = """# Settings

Generated from the code. Set `max_cost`, for example, as the variable `TOOLSCALE_MAX_COST=5`, or as `max_cost = 5` in a
file `toolscale.toml` in the working directory. A variable wins over the file, and a command's option wins over both.
Tables in variables are JSON. Keys of model providers stay in the providers' own variables, such as `OPENAI_API_KEY`.

{settings}

## A model for a role

`models` maps a role ({roles}) to these fields: in the file as `[models.agent]`, in variables as
`TOOLSCALE_MODELS__AGENT__MODEL` and so on.

{model}

## A price

`prices` maps a model string to these fields, in dollars per million tokens.

{price}
"""

PYTHON_API = """# Python API

Generated from the code: what each package exports by name. Everything else may change without notice."""


def on_files(files: "Files", config: "MkDocsConfig") -> "Files":
    """Add the generated pages to those that were written by hand."""
    from mkdocs.structure.files import File

    for name, content in {"cli.md": command_line(), "settings.md": settings(), "api.md": python_api()}.items():
        files.append(File.generated(config, name, content=content))
    return files


def command_line() -> str:
    """Every command of `toolscale`, as its own `--help` has it."""
    commands = _leaves("toolscale", typer.main.get_command(app))
    return "\n\n".join([COMMAND_LINE, *(_command(name, command) for name, command in commands)])


def _leaves(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    children = getattr(command, "commands", {})
    for word, child in sorted(children.items()):
        yield from _leaves(f"{name} {word}", child)
    if not children:
        yield name, command


def _command(name: str, command: Any) -> str:
    context = command.context_class(command, info_name=name)
    records = [record for parameter in command.params if (record := parameter.get_help_record(context))]
    parts = [f"## {name}", command.help or "", f"```\n{command.get_usage(context).removeprefix('Usage: ')}\n```"]
    if records:
        rows = [f"| `{names.replace('|', ' or ')}` | {_cell(told)} |" for names, told in records]
        parts.append("\n".join(["| option | meaning |", "| --- | --- |", *rows]))
    return "\n\n".join(parts)


def settings() -> str:
    """Every setting, with its type and its default."""
    roles = ", ".join(f"`{role}`" for role in get_args(Role))
    return SETTINGS.format(roles=roles, settings=_fields(Settings), model=_fields(ModelSettings), price=_fields(Price))


def _fields(model: type[BaseModel]) -> str:
    rows = [
        f"| `{name}` | {_cell(field.description or '')} | {_cell(_type(field))} | {_cell(_default(field))} |"
        for name, field in model.model_fields.items()
    ]
    return "\n".join(["| name | meaning | type | default |", "| --- | --- | --- | --- |", *rows])


def _type(field: FieldInfo) -> str:
    if field.annotation in (SecretStr | None, SecretStr):
        return "`str`"
    text = str(field.annotation) if get_args(field.annotation) else getattr(field.annotation, "__name__", "")
    for noise in ("typing.", "toolscale.settings.", "toolscale.operators.", " | None"):
        text = text.replace(noise, "")
    return f"`{text}`" if len(text) < 60 else "`" + text.partition("[")[0] + "`"


def _default(field: FieldInfo) -> str:
    value = field.get_default(call_default_factory=True)
    if field.is_required():
        return "required"
    if value is None or value in ("", [], {}):
        return "unset"
    return f"`{value}`" if len(str(value)) < 40 else "[see Concepts](concepts.md#what-makes-a-task-hard)"


def python_api() -> str:
    """What each package of toolscale exports by name."""
    root = Path(toolscale.__file__).parent
    parts = [PYTHON_API]
    for file in [root / "__init__.py", *sorted(root.glob("*/__init__.py"))]:
        names = _exported(file)
        if names:
            package = ".".join(file.parent.relative_to(root.parent).parts)
            members = "".join(f"\n        - {name}" for name in names)
            parts.append(f"## {package}\n\n::: {package}\n    options:\n      members:{members}")
    return "\n\n".join(parts)


def _exported(file: Path) -> list[str]:
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
            return list(ast.literal_eval(node.value))
    return []


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
