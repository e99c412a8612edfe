"""The task programs of a reference domain: `task_programs/<name>.yaml`, one for a purpose of the domain's own.

They are what the offline model answers the stage `programs` with. A file's keys are those of the answer, and `intent`.
"""

from collections.abc import Collection, Iterator
from pathlib import Path

from pydantic import TypeAdapter

from toolscale.artifacts import TaskProgram, content_id
from toolscale.errors import UserError
from toolscale.input_files import files_in
from toolscale.python_source import NotPython, parsed
from toolscale.reference.documents import read_values, typed
from toolscale.templates.template import compiled

FOLDER = "task_programs"


def read_task_programs(folder: Path, domain: str, intents: Collection[str]) -> tuple[TaskProgram, ...]:
    """The task programs in a domain's folder, in the order of their files; none where it has none.

    Raises:
        UserError: a file is no task program, serves none of the intents, or one that another serves; says which.
    """
    found: dict[str, TaskProgram] = {}
    for file in files_in(folder / FOLDER, "*.yaml") if (folder / FOLDER).is_dir() else ():
        program = _read(file, domain)
        if problem := next(_problems(program, file.stem, intents, found), ""):
            raise UserError(f"{file}: {problem}")
        found[program.intent] = program
    return tuple(found.values())


def _read(file: Path, domain: str) -> TaskProgram:
    values = read_values(file)
    if not isinstance(values, dict):
        raise UserError(f"{file}: it must hold a task program, `name`, `intent`, `wordings`, `source` and so on")
    program = typed(TypeAdapter(TaskProgram), {**values, "domain": domain, "id": domain}, str(file))
    identity = content_id(f"{domain}-program", program.model_dump(mode="json", exclude={"id"}))
    return program.model_copy(update={"id": identity})


def _problems(
    program: TaskProgram, stem: str, intents: Collection[str], others: dict[str, TaskProgram]
) -> Iterator[str]:
    """What a writer must mend before a program can be tried out."""
    if program.name != stem:
        yield f"`name` is `{program.name}`; a program is named like its file"
    if program.intent not in intents:
        yield f"`intent`: no program of the domain has the purpose {program.intent!r}"
    if program.intent in others:
        yield f"`intent`: `{others[program.intent].name}` serves that purpose already"
    yield from _template_problems(program)
    try:
        parsed(program.source)
    except NotPython as error:
        yield f"`source`: {error}"


def _template_problems(program: TaskProgram) -> Iterator[str]:
    """The offline agent reads a message line by line, a template a line."""
    texts = [text for wording in program.wordings for text in (wording.text, wording.known, *wording.asks.values())]
    texts += [text for twist in program.twists for text in (*twist.wordings, *twist.asks.values())]
    for text in texts:
        if "\n" in text:
            yield f"the text {text[:60]!r} has more than one line; write it after `>-`"
        try:
            compiled(text)
        except ValueError as error:
            yield str(error)
