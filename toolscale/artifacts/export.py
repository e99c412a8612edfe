"""Writes the JSON Schemas of the artifacts that leave the process: ``python -m toolscale.artifacts.export schemas``."""

import json
import sys
from pathlib import Path

from pydantic.json_schema import GenerateJsonSchema

from toolscale.artifacts import (
    Artifact,
    DatabaseSchema,
    Domain,
    Entry,
    EnvironmentSpec,
    Function,
    Intent,
    Reject,
    Rule,
    Subject,
    Task,
    TaskProgram,
    Trajectory,
    Verdict,
)
from toolscale.terminal import say

EXPORTED: tuple[type[Artifact], ...] = (
    DatabaseSchema,
    Domain,
    Entry,
    EnvironmentSpec,
    Function,
    Intent,
    Reject,
    Rule,
    Subject,
    Task,
    TaskProgram,
    Trajectory,
    Verdict,
)
"""Every artifact that a file, a row or another program may hold."""


def schema_texts() -> dict[str, str]:
    """File name -> the JSON Schema that belongs in it."""
    return {f"{_snake(artifact.__name__)}.schema.json": _text(artifact) for artifact in EXPORTED}


def _text(artifact: type[Artifact]) -> str:
    schema = {"$schema": GenerateJsonSchema.schema_dialect, **artifact.model_json_schema()}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")


def main() -> None:
    """Write every schema into the folder named on the command line, and remove what no artifact has."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "schemas")
    folder.mkdir(parents=True, exist_ok=True)
    texts = schema_texts()
    for stale in {path.name for path in folder.glob("*.schema.json")} - texts.keys():
        (folder / stale).unlink()
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    say(f"{len(texts)} schemas in {folder}/")


if __name__ == "__main__":
    main()
