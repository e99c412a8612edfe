"""Documents of a folder, a Parquet file or JSON lines, cut into chunks short enough to be embedded and shown."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from semantic_text_splitter import MarkdownSplitter

from toolscale.errors import UserError
from toolscale.input_files import files_in

SUFFIXES = (".md", ".markdown", ".txt")
"""Files of a folder that are read."""

_TEXT_COLUMNS = ("text", "content", "contents")
_NAME_COLUMNS = ("id", "url", "title")
_ROWS = 1_000
_HEADING = re.compile(r"(?:\A|\n[ \t\r]*\n) {0,3}#{1,6}[ \t]+(.+)")


class Document(NamedTuple):
    """A text with a name: a file's path in its folder, or what a row calls itself."""

    name: str
    text: str


class Chunk(NamedTuple):
    """A stretch of a document."""

    document: str
    heading: str
    """The last Markdown heading before it; empty where there is none."""
    text: str

    @property
    def embedded(self) -> str:
        """What stands for it in the index: its text, under its heading."""
        return f"{self.heading}\n\n{self.text}" if self.heading and self.heading not in self.text else self.text


def documents_in(path: Path) -> Iterator[Document]:
    """The documents of a folder (Markdown and text files, also deeper down), of a Parquet file, or of JSON lines.

    Raises:
        UserError: there are none, or one of them cannot be read.
    """
    if path.is_dir():
        return _files(path)
    if path.suffix == ".parquet" and path.is_file():
        return _rows(path)
    if path.suffix == ".jsonl" and path.is_file():
        return _lines(path)
    raise UserError(
        f"{path}: give a folder of {', '.join(SUFFIXES)} files, or a .parquet or .jsonl file with a column `text`"
    )


def chunks_of(document: Document, characters: int) -> Iterator[Chunk]:
    """The document in chunks of at most so many characters, each of one section, cut where Markdown has its joints.

    Lists, tables and code stay whole where they fit, else paragraphs, sentences or words do. Nothing but white space
    between chunks is left out, and none of them overlap.
    """
    splitter = MarkdownSplitter(characters)
    for heading, section in _sections(document.text):
        for text in splitter.chunks(section):
            yield Chunk(document.name, heading, text)


def _sections(text: str) -> Iterator[tuple[str, str]]:
    """The text under each heading, with the heading itself."""
    heading, start = "", 0
    for found in _HEADING.finditer(text):
        yield heading, text[start : found.start()]
        heading, start = found.group(1).strip()[:200], found.start()
    yield heading, text[start:]


def _files(folder: Path) -> Iterator[Document]:
    files = [each for each in files_in(folder, deep=True) if each.suffix.lower() in SUFFIXES]
    if not files:
        raise UserError(f"{folder}: there is no {', '.join(SUFFIXES)} file in it")
    for file in files:
        try:
            yield Document(file.relative_to(folder).as_posix(), file.read_text(encoding="utf-8"))
        except UnicodeDecodeError:
            raise UserError(f"{file}: it is not UTF-8: convert it, or take it out of the folder") from None
        except OSError as error:
            raise UserError(f"{file}: it cannot be read: {error.strerror}") from None


def _rows(file: Path) -> Iterator[Document]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(file) as table:
            columns = set(table.schema_arrow.names)
            text = next((name for name in _TEXT_COLUMNS if name in columns), None)
            if text is None:
                raise UserError(f"{file}: it has no column {', '.join(_TEXT_COLUMNS)}, only {', '.join(columns)}")
            name = next((column for column in _NAME_COLUMNS if column in columns), None)
            number = 0
            for batch in table.iter_batches(batch_size=_ROWS, columns=[text, *([name] if name else [])]):
                for row in batch.to_pylist():
                    number += 1
                    called = str(row[name]) if name and row[name] is not None else f"row {number}"
                    yield Document(called, str(row[text] or ""))
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{file}: it cannot be read as Parquet: {error}") from None


def _lines(file: Path) -> Iterator[Document]:
    try:
        with file.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                row = json.loads(line)
                if not isinstance(row, dict):
                    raise UserError(f"{file}: line {number} is no object with a `text`")
                text = next((row[name] for name in _TEXT_COLUMNS if isinstance(row.get(name), str)), None)
                if text is None:
                    raise UserError(f"{file}: line {number} has no {', '.join(_TEXT_COLUMNS)}")
                called = next((str(row[name]) for name in _NAME_COLUMNS if row.get(name) is not None), f"line {number}")
                yield Document(called, text)
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(f"{file}: it cannot be read as JSON lines: {error}") from None
