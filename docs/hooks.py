"""The pages that are made from the code while the site is built: command line, settings, Python API, domains."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import typer
from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

import toolscale
from toolscale.cli import app
from toolscale.reference.domain import ReferenceDomain, reference_domain, reference_domains
from toolscale.settings import ModelSettings, Price, Role, Settings

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

COMMAND_LINE = """# Command line

Generated from the code; `toolscale COMMAND --help` prints the same. Every command ends with status 0 when it did its
work, 2 when the command or its input is wrong, 3 when a budget was spent, and 4 when a fleet passed a domain over."""

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


DOMAIN = """# {title}

Generated from the code; [Reference domains](../reference-domains.md) says what the files are for.

{description} Users are identified by `{identity}`.

## Policy

{policy}

## Database

| table | fields |
| --- | --- |
{tables}

## Functions

| function | kind | what it does |
| --- | --- | --- |
{functions}

## Requests

| program | intent |
| --- | --- |
{asked}

## Requests that the policy forbids

| program | intent |
| --- | --- |
{refused}

## Files

| file | content |
| --- | --- |
{files}

Data: {data}. What users say: `wordings/*.yaml`. For each rule, a call that breaks it and one that keeps it:
`rule_examples.json`.
"""


def on_files(files: "Files", config: "MkDocsConfig") -> "Files":
    """Add the generated pages to those that were written by hand."""
    from mkdocs.structure.files import File

    pages = {"cli.md": command_line(), "settings.md": settings(), "api.md": python_api()}
    pages |= {f"domains/{name}.md": domain_page(reference_domain(name)) for name in reference_domains()}
    for name, content in pages.items():
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


def domain_page(domain: ReferenceDomain) -> str:
    """What to read first about a reference domain: its policy, tables, functions, requests and files."""
    users = domain.schema["properties"]
    tables = [f"| `{name}` | {', '.join(_fields_of(table))} |" for name, table in users.items()]
    functions = [f"| `{each.name}` | {each.kind} | {_cell(each.description)} |" for each in domain.functions]
    asked = [f"| `{each.name}` | {_cell(each.intent)} |" for each in domain.programs if not each.refusal]
    refused = [f"| `{each.name}` | {_cell(each.intent)} |" for each in domain.programs if each.refusal]
    files = [
        f"| `{file.relative_to(domain.folder)}` | {_cell(_first_line(file))} |" for file in _modules(domain.folder)
    ]
    data = [
        f"`{file.relative_to(domain.folder)}`"
        for file in sorted(domain.folder.glob("catalogue/*.[cy]*")) + sorted(domain.folder.glob("*.yaml"))
    ]
    return DOMAIN.format(
        title=domain.name.capitalize(),
        description=domain.about.description,
        identity=domain.identity,
        tables="\n".join(tables),
        functions="\n".join(functions),
        asked="\n".join(asked),
        refused="\n".join(refused),
        policy=re.sub(r"^##", "###", domain.policy, flags=re.MULTILINE).partition("\n")[2].strip(),
        files="\n".join(files),
        data=", ".join(data),
    )


def _fields_of(table: dict[str, Any]) -> list[str]:
    """The fields of a table, with the tables that they point to."""
    fields = table["additionalProperties"]["properties"]
    return [
        f"`{name}` → `{rules['x-references'].partition('.')[0]}`" if "x-references" in rules else f"`{name}`"
        for name, rules in fields.items()
    ]


def _modules(folder: Path) -> list[Path]:
    return [file for file in sorted(folder.rglob("*.py")) if file.name != "__init__.py" or file.parent == folder]


def _first_line(file: Path) -> str:
    return (ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or "").partition("\n")[0]


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
