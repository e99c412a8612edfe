"""What the figures of a dataset cost: ``python benchmarks/report.py DATASET [--times 300]``.

Writes the dataset again with so many copies of every task, attempt and reject, and has `toolscale report` make its page
without tasks to judge, in a process of its own. Prints rows, seconds of CPU, and the most memory that it held.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from toolscale.dataset.columns import SCHEMAS
from toolscale.dataset.folder import write_rows

NAMED_BY = {"tasks": "id", "trajectories": "task_id", "failed_attempts": "task_id", "rejects": None}
"""Config -> the column that holds a task's id, which is another one in each copy."""

REPORT = """
import resource, sys, time
from pathlib import Path
from toolscale.dataset.report import write_report
write_report(Path(sys.argv[1]), Path(sys.argv[2]), tasks=0)
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(f"{time.process_time():.1f} s of CPU, {memory:,.0f} MiB")
"""


def copies(file: Path, named_by: str | None, times: int) -> Iterator[dict[str, Any]]:
    """The rows of a file, so many times."""
    rows = pq.read_table(file).to_pylist()
    for copy in range(times):
        for row in rows:
            yield {**row, named_by: f"{row[named_by]}-{copy}"} if named_by else row


def main() -> None:
    """Print one line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--times", type=int, default=300)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        large = Path(scratch) / "dataset"
        shutil.copytree(arguments.dataset, large)
        for config, named_by in NAMED_BY.items():
            for file in sorted((arguments.dataset / config).glob("*.parquet")):
                write_rows(large / config / file.name, SCHEMAS[config], copies(file, named_by, arguments.times))
        counts = {
            config: sum(pq.read_metadata(file).num_rows for file in (large / config).iterdir()) for config in NAMED_BY
        }
        page = Path(scratch) / "report.html"
        done = subprocess.run(
            [sys.executable, "-c", REPORT, str(large), str(page)], check=True, capture_output=True, text=True
        )
    print(", ".join(f"{count:,} {config}" for config, count in counts.items()) + f": {done.stdout.strip()}")


if __name__ == "__main__":
    main()
