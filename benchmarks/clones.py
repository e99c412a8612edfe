"""A data root of many domains for load: copies of a few that were generated, each under a name of its own.

Run with ``python benchmarks/clones.py --data-root data --domains 1000 --out copies`` after something like ``toolscale
build --domains railway,restaurant --tasks-per-domain 3``. A copy has everything that its original has on the disk:
rows, rejects, environment, the claims of what they were made of. Its tasks say a sentence that no other copy's say, so
that a release does not take them for near-duplicates. The same originals give the same copies.
"""

import argparse
import json
import re
import shutil
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

# A file of this folder has Dagster's name, and the folder comes first where modules are looked for.
sys.path = [place for place in sys.path if Path(place).resolve() != Path(__file__).resolve().parent]

import pyarrow as pa  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402

from pipelines.domains import write_domain  # noqa: E402
from pipelines.lineage import KEY, Made, as_text, made_of, version_of  # noqa: E402
from pipelines.storage import MADE_OF, environment_folder, version_of_environment  # noqa: E402
from toolscale.artifacts import Domain  # noqa: E402
from toolscale.environment import load_environment  # noqa: E402

_TASKS = ("tasks", "evolved_tasks", "verified_tasks", "rejected_tasks")
_LETTERS = str.maketrans("0123456789", "ghijklmnop")
_WORDS_TO_A_NEW_ONE = 2
"""One new word to so many of a task brings two copies' similarity to a half, far below that of near-duplicates."""


def copy_domain(source: Path, original: str, out: Path, name: str) -> None:
    """Write a copy of a generated domain under another name."""

    def renamed(text: str) -> str:
        return re.sub(rf"\b{original}\b", name, text)

    environment = _copy_environment(source, original, out, name, renamed)
    for file in sorted((source / "assets").glob(f"*/{original}*.parquet")):
        ending = file.name.removeprefix(original)
        if ending in (".parquet", ".rejects.parquet"):
            table = pq.read_table(file, use_threads=False)
            asset = file.parent.name
            rows = [
                {column: renamed(value) if isinstance(value, str) else value for column, value in row.items()}
                for row in table.to_pylist()
            ]
            if asset in _TASKS and ending == ".parquet":
                rows = [{**row, "json": _in_own_words(row["json"], name)} for row in rows]
            made = made_of((table.schema.metadata or {}).get(KEY))
            told = {KEY: as_text(_of_the_copy(made, name, environment)).encode()} if made else None
            place = out / "assets" / asset / f"{name}{ending}"
            place.parent.mkdir(parents=True, exist_ok=True)
            schema = table.schema.with_metadata(told)
            pq.write_table(pa.Table.from_pylist(rows, schema), place, compression="zstd")
    write_domain(str(out), Domain(name=name, description=f"{name}: a copy of {original}, for load."))


def _copy_environment(source: Path, original: str, out: Path, name: str, renamed: Any) -> str:
    """Write the environment's folder; its version."""
    place = Path(environment_folder(str(out), name).path)
    place.mkdir(parents=True)
    for file in Path(environment_folder(str(source), original).path).iterdir():
        if file.name != MADE_OF:
            (place / file.name).write_text(renamed(file.read_text(encoding="utf-8")), encoding="utf-8")
    version = version_of_environment(load_environment(place))
    made = made_of((environment_folder(str(source), original) / MADE_OF).read_bytes())
    assert made is not None
    told = _of_the_copy(made, name, version).model_copy(update={"version": version})
    (place / MADE_OF).write_text(as_text(told), encoding="utf-8")
    return version


def _of_the_copy(made: Made, name: str, environment: str) -> Made:
    of = {asset: version_of([version, name]) for asset, version in made.of.items()}
    return Made(
        version=version_of([made.version, name]), of=of | ({"environment": environment} if "environment" in of else {})
    )


def _in_own_words(task: str, name: str) -> str:
    """The task with a sentence of words that are the copy's alone."""
    found = json.loads(task)
    if found["user_scenario"]:
        said = found["user_scenario"]["instructions"]
        words = sum(len(said[part].split()) for part in ("reason_for_call", "known_info", "task_instructions"))
        own = " ".join(_words_of(name, 4 + words // _WORDS_TO_A_NEW_ONE))
        said["task_instructions"] = f"{said['task_instructions']} Thank you, {own}.".strip()
    return json.dumps(found, ensure_ascii=False, separators=(",", ":"))


def _words_of(name: str, count: int) -> Iterator[str]:
    return (sha256(f"{name} {place}".encode()).hexdigest()[:7].translate(_LETTERS) for place in range(count))


def names_of(originals: list[str], domains: int) -> Iterator[tuple[str, str]]:
    """Original and name of each copy."""
    for place in range(domains):
        original = originals[place % len(originals)]
        yield original, f"{original}_{place:05d}"


def main() -> None:
    """Copy."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data-root", type=Path, default=Path("data"), help="where the originals lie")
    parser.add_argument("--domains", type=int, default=1000)
    parser.add_argument("--out", type=Path, required=True, help="a new folder")
    options = parser.parse_args()
    if options.out.exists():
        parser.error(f"{options.out} is there already")
    originals = sorted(file.stem for file in (options.data_root / "assets" / "verified_tasks").glob("*.parquet"))
    if not originals:
        parser.error(f"{options.data_root} holds no generated domain: run `toolscale build` first")
    for original, name in names_of(originals, options.domains):
        copy_domain(options.data_root, original, options.out, name)
    shutil.copy(options.data_root / "toolscale.db", options.out / "toolscale.db")


if __name__ == "__main__":
    main()
