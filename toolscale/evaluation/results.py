"""What a run leaves on disk: one line for each attempt as it ends, and a Parquet file of all at the end."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from toolscale.artifacts.base import Artifact
from toolscale.errors import UserError
from toolscale.evaluation.preferences import BenchmarkPreference
from toolscale.evaluation.problem import BenchmarkAttempt, Problem
from toolscale.orchestration.trace import Trace
from toolscale.rewards import RewardVector
from toolscale.whole import writing

if TYPE_CHECKING:
    import pyarrow as pa

RUN, RESULTS, PARQUET, METRICS = "run.json", "results.jsonl", "trajectories.parquet", "metrics.json"


class AttemptResult(Artifact):
    """One attempt, judged."""

    id: str
    topic: str = ""
    max_turns: int
    solved: bool
    reason: str
    user_fault: bool = False
    """The simulated user broke it, so that it counts neither way."""
    tools: list[str]
    preference: BenchmarkPreference | None = None
    trace: Trace

    @classmethod
    def of(
        cls, problem: Problem, attempt: BenchmarkAttempt, max_turns: int, preference: BenchmarkPreference | None
    ) -> "AttemptResult":
        """What is kept of an attempt."""
        return cls(
            id=problem.id,
            topic=problem.topic,
            max_turns=max_turns,
            solved=attempt.score.solved,
            reason=attempt.score.reason,
            user_fault=attempt.score.user_fault,
            tools=list(attempt.tools),
            preference=preference,
            trace=attempt.trace,
        )

    @property
    def turns(self) -> int:
        """Messages of the orchestrator; a greeting that a benchmark has it begin with is one of them."""
        return sum(message.get("role") == "assistant" for message in self.trace.messages)

    @property
    def asked(self) -> str:
        """What the user said before the orchestrator began."""
        opening: list[str] = []
        for message in self.trace.messages:
            if message.get("role") == "assistant":
                break
            if message.get("role") == "user":
                opening.append(str(message.get("content") or ""))
        return "\n".join(opening)

    def vector(self) -> RewardVector:
        """M of the attempt."""
        return RewardVector(
            tools=tuple(self.tools),
            calls=tuple(self.trace.times_called(tool) for tool in self.tools),
            solved=self.solved,
            dollars=self.trace.dollars,
            seconds=self.trace.seconds,
        )


class Results:
    """The results of a run's folder, those of earlier runs among them."""

    def __init__(self, folder: Path, found: Mapping[tuple[str, int], AttemptResult]) -> None:
        self._file = folder / RESULTS
        self._found = dict(found)

    @classmethod
    def open(cls, folder: Path, run: Mapping[str, Any]) -> "Results":
        """The folder of a run, begun where there is none. ``run`` is what its results depend on.

        Raises:
            UserError: the folder is another run's, or it cannot be read or written.
        """
        header = folder / RUN
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
            if not header.exists():
                header.write_text(json.dumps(run, indent=1) + "\n", encoding="utf-8")
        earlier = read_run(folder)
        if differing := sorted(key for key in {*run, *earlier} if run.get(key) != earlier.get(key)):
            raise UserError(
                f"{folder} holds another run (its {differing[0]} differs): choose another folder with --out"
            )
        found = {(result.id, result.max_turns): result for result in read_results(folder)}
        return cls(folder, found)

    def __contains__(self, place: tuple[str, int]) -> bool:
        return place in self._found

    def add(self, result: AttemptResult) -> None:
        """Write a result down. Raises UserError if the disk refuses it."""
        self._found[result.id, result.max_turns] = result
        with writing(self._file), self._file.open("a", encoding="utf-8") as file:
            file.write(result.model_dump_json() + "\n")

    def of(self, problems: Iterable[str], max_turns: int) -> list[AttemptResult]:
        """The results of these problems at a limit, in their order; those that are not there yet are left out."""
        return [self._found[problem, max_turns] for problem in problems if (problem, max_turns) in self._found]


def counted(results: Iterable[AttemptResult]) -> list[AttemptResult]:
    """The results that say something about the orchestrator: not those that the simulated user broke."""
    return [result for result in results if not result.user_fault]


def read_run(folder: Path) -> dict[str, Any]:
    """What the results in a folder depend on. Raises UserError where no run has been."""
    try:
        read = json.loads((folder / RUN).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(f"{folder} holds no evaluation ({error}): name the --out folder of one") from None
    if not isinstance(read, dict):
        raise UserError(f"{folder / RUN} is not a JSON object: name the --out folder of an evaluation")
    return read


def read_results(folder: Path) -> list[AttemptResult]:
    """The results in a folder; a last line that a kill cut off is dropped, from the file too.

    Raises:
        UserError: the file is damaged.
    """
    file = folder / RESULTS
    if not file.exists():
        return []
    with writing(file):
        text = file.read_text(encoding="utf-8")
        whole = text[: text.rfind("\n") + 1]
        if whole != text:
            file.write_text(whole, encoding="utf-8")
    results = []
    for number, line in enumerate(whole.splitlines(), start=1):
        try:
            results.append(AttemptResult.model_validate_json(line))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]["msg"]
            raise UserError(f"{file}: line {number} is no result ({first}): delete the line and run again") from None
    return results


def read_outcomes(folder: Path) -> dict[str, bool]:
    """Whether a finished run solved each task that it attempted, at the longest limit on turns.

    Raises:
        UserError: its rows cannot be read.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        rows = pq.read_table(folder / PARQUET, columns=["id", "max_turns", "solved"]).to_pylist()
    except (OSError, pa.ArrowException, KeyError) as error:
        raise UserError(f"cannot read the attempts in {folder / PARQUET} ({error}): run the evaluation again") from None
    return {row["id"]: row["solved"] for row in sorted(rows, key=lambda row: row["max_turns"])}


def write_parquet(folder: Path, results: Sequence[AttemptResult]) -> None:
    """Write every attempt as a row, messages and calls as JSON."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pylist([_row(result) for result in results], schema=_schema())
    with writing(folder / PARQUET):
        pq.write_table(table, folder / PARQUET, compression="zstd")


def _schema() -> "pa.Schema":
    import pyarrow as pa

    texts = ("id", "topic", "reason", "answer", "ending", "model", "preference", "messages", "calls")
    kinds = {name: pa.string() for name in texts} | {
        "max_turns": pa.int64(),
        "turns": pa.int64(),
        "solved": pa.bool_(),
        "dollars": pa.float64(),
        "seconds": pa.float64(),
        "prompt_tokens": pa.int64(),
        "completion_tokens": pa.int64(),
        "tools": pa.list_(pa.string()),
    }
    return pa.schema(list(kinds.items()))


def _row(result: AttemptResult) -> dict[str, Any]:
    trace = result.trace
    calls = [call.model_dump(mode="json") for call in trace.calls]
    return {
        "id": result.id,
        "topic": result.topic,
        "max_turns": result.max_turns,
        "turns": result.turns,
        "solved": result.solved,
        "reason": result.reason,
        "answer": trace.answer,
        "ending": trace.ending,
        "model": trace.model,
        "dollars": trace.dollars,
        "seconds": trace.seconds,
        "prompt_tokens": trace.prompt_tokens,
        "completion_tokens": trace.completion_tokens,
        "tools": result.tools,
        "preference": result.preference.model_dump_json() if result.preference else None,
        "messages": json.dumps(trace.messages, ensure_ascii=False),
        "calls": json.dumps(calls, ensure_ascii=False),
    }
