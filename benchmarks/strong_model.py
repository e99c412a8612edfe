"""A strong model's domain, played back: ``python benchmarks/strong_model.py play FILE --name NAME --description ...``.

FILE holds what a language model answered, from the prompts alone, when a domain was made with it (``record DATA_ROOT
FILE`` writes it from a run's ledger). A server answers each question with what was answered to the same stage, subject
and turn then, so the answers still fit when a prompt's wording has changed; the command runs the chain on it in a data
root of its own and prints what became of the domain: drafts by gate, tokens and dollars a kept task by stage, golden
calls, pass rates. A question that was not asked then is refused, and counted.
"""

import argparse
import hashlib
import json
import lzma
import os
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path
from statistics import mean
from typing import Any

sys.path[0] = str(Path(__file__).parent.parent)  # not this folder, where `dagster.py` is a benchmark

from pipelines.domains import make_domain  # noqa: E402
from pipelines.factory import Factory  # noqa: E402
from pipelines.run import run  # noqa: E402
from pipelines.storage import read_rows, rows_file  # noqa: E402
from tests.openai_server import OpenAIServer  # noqa: E402
from toolscale.artifacts import Reject, Task  # noqa: E402
from toolscale.settings import Settings  # noqa: E402
from toolscale.store import Store  # noqa: E402
from toolscale.traces.costs import costs  # noqa: E402
from toolscale.traces.ledger import Filters, calls, openai_request, openai_response  # noqa: E402

MODEL = "openai/strong"
PRICE = {"input": 1.25, "output": 10.0, "cached_input": 0.125}
"""Dollars per million tokens, as of a large model in November 2026."""

_ABOUT = re.compile(
    r"^(?:Subject|Part|Function|Propose a realistic task with this intent|Write the program for this one): .*$",
    re.MULTILINE,
)
_TOLD = re.compile(r"<(user_message|user)>\n(.*?)\n</\1>", re.DOTALL)
_BLOCK = re.compile(r"^```json\n(.*?)\n```$", re.DOTALL | re.MULTILINE)
_STAGE = re.compile(r"^Stage: (\w+)$", re.MULTILINE)


def question(request: dict[str, Any]) -> str:
    """What a request asks, apart from its prompt's wording: stage, subject, seed, and which turn it is."""
    messages = request["messages"]
    system = messages[0]["content"] if messages[0]["role"] == "system" else ""
    stage = found[1] if (found := _STAGE.search(system)) else "agent"
    asked = next((message["content"] for message in messages if message["role"] == "user"), "")
    turn = sum(message["role"] == "assistant" for message in messages)
    return json.dumps([stage, _about(stage, asked), request.get("seed"), turn])


def _about(stage: str, asked: str) -> str:
    """What tells the questions of a stage apart."""
    if stage in ("entries", "function", "programs", "tasks"):
        return "\n".join(_ABOUT.findall(asked))
    if stage in ("policy", "openness") and (told := _TOLD.search(asked)):
        return _hashed(told[2])
    if stage in ("validation", "evolution", "rewording"):
        return _hashed(_old_task(asked) if stage == "evolution" else max(_BLOCK.findall(asked), key=len))
    return _hashed(asked) if stage == "agent" else ""


def _old_task(asked: str) -> str:
    """What the user of the task to be made harder says."""
    found = re.findall(r'"reason_for_call": "((?:[^"\\]|\\.)*)"', asked)
    return str(found[-1]) if found else asked


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def record(data_root: str, domain: str, file: Path) -> None:
    """Write what was answered in a data root about a domain."""
    answers: dict[str, Any] = {}
    with Store.existing(Settings(data_root=data_root).database_url()) as store:
        for call in calls(store, Filters(domain=domain)):
            if (response := openai_response(call)) is not None:
                answers[question(openai_request(store, call))] = response["choices"][0]["message"]
    lines = "".join(json.dumps([key, answers[key]], ensure_ascii=False) + "\n" for key in sorted(answers))
    file.write_bytes(lzma.compress(lines.encode(), preset=9))
    print(f"{len(answers)} answers of {domain}, {file.stat().st_size / 1000:.0f} KB")


class Player:
    """Answers as was answered."""

    def __init__(self, file: Path) -> None:
        text = lzma.decompress(file.read_bytes()).decode()
        self._answers: dict[str, Any] = dict(json.loads(line) for line in text.splitlines())
        self.missing: Counter[str] = Counter()

    def __call__(self, request: dict[str, Any]) -> dict[str, Any]:
        asked = question(request)
        if asked not in self._answers:
            self.missing[json.loads(asked)[0]] += 1
            return {"content": "There is no recorded answer to this."}
        return dict(self._answers[asked])


def play(file: Path, name: str, description: str, keep: int, drawn: int) -> None:
    """Run the chain on the recorded answers and print what it comes to.

    All tasks are drafted, till `keep` are kept; or where `drawn` is not 0, so many first tasks are drawn from programs.
    """
    player = Player(file)
    os.environ.setdefault("OPENAI_API_KEY", "none")
    with tempfile.TemporaryDirectory() as root, OpenAIServer(player) as server:
        os.environ |= {
            "TOOLSCALE_PRICES": json.dumps({MODEL: PRICE}),
            "TOOLSCALE_ENTRIES_SCALE": "0.5",
            "TOOLSCALE_ATTEMPTS": "2" if drawn else "4",
            "TOOLSCALE_ATTEMPTS_STOP": "first_success" if drawn else "certain",
            "TOOLSCALE_WANTED_PASS_RATE": "[0.1, 1.0]",
        }
        wanted: dict[str, Any] = (
            {"task_source": "programs", "tasks_per_domain": drawn} if drawn else {"task_source": "drafts", "keep": keep}
        )
        settings = Settings.load(data_root=root)
        factory = Factory.of(settings, model=MODEL, api_base=server.url, dataset=f"{root}/dataset", **wanted)
        run([make_domain(name, description)], factory)
        show(root, name)
    print(f"questions without a recorded answer: {dict(player.missing) or 'none'}")


def show(root: str, domain: str) -> None:
    """Print what became of a domain in a data root."""
    verified = read_rows(rows_file(root, "verified_tasks", domain), Task)
    rejected = read_rows(rows_file(root, "rejected_tasks", domain), Task)
    refused = [
        reject
        for asset in ("tasks", "evolved_tasks", "later_rejects")
        for reject in read_rows(rows_file(root, asset, domain, rejects=True), Reject)
    ]
    print(f"{domain}: {len(verified)} kept")
    print(f"  drafts refused: {dict(Counter(reject.check for reject in refused))}")
    print(f"  tasks refused: {dict(Counter(task.rejected_by for task in rejected))}")
    print(f"  golden calls: {_spread([len(task.golden_calls) for task in verified])}")
    print(f"  pass rates: {_spread([task.pass_rate for task in verified if task.pass_rate is not None])}")
    print(f"  operators: {dict(Counter(task.lineage.operator for task in verified))}")
    with Store.existing(Settings(data_root=root).database_url()) as store:
        found = costs(store, "stage", domain=domain)
    print(f"  {'stage':<16}{'calls':>6}{'tokens in':>12}{'cached':>12}{'out':>10}{'cents a kept task':>20}")
    for line in [*found.lines, found.whole]:
        tokens = f"{line.prompt_tokens:>12,}{line.cached_tokens:>12,}{line.completion_tokens:>10,}"
        print(f"  {line.name:<16}{line.calls:>6}{tokens}{found.cents(line) or 0:>20.2f}")


def _spread(figures: list[float]) -> str:
    if not figures:
        return "none"
    return f"{min(figures):g} to {max(figures):g}, mean {mean(figures):.2f}"


def main() -> None:
    """Record or play."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    actions = parser.add_subparsers(required=True)
    recording = actions.add_parser("record")
    recording.add_argument("data_root")
    recording.add_argument("domain")
    recording.add_argument("file", type=Path)
    recording.set_defaults(do=lambda given: record(given.data_root, given.domain, given.file))
    playing = actions.add_parser("play")
    playing.add_argument("file", type=Path)
    playing.add_argument("--name", required=True)
    playing.add_argument("--description", default="")
    playing.add_argument("--keep", type=int, default=30)
    playing.add_argument("--drawn", type=int, default=0, help="first tasks to draw from task programs; 0 drafts them")
    playing.set_defaults(do=lambda given: play(given.file, given.name, given.description, given.keep, given.drawn))
    showing = actions.add_parser("show")
    showing.add_argument("data_root")
    showing.add_argument("domain")
    showing.set_defaults(do=lambda given: show(given.data_root, given.domain))
    given = parser.parse_args()
    given.do(given)


if __name__ == "__main__":
    main()
