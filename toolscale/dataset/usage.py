"""How a dataset is used: the card's programs, a row of it, and how to cite it. A test runs the programs."""

import json
from typing import Any

from toolscale.dataset.columns import SCHEMAS
from toolscale.dataset.contents import Contents
from toolscale.markdown import inert

PLACE = "PATH_OR_REPO"
"""What stands in the programs for the dataset's folder or repository."""

LOADING = f'''
import json

from datasets import load_dataset

tasks = load_dataset("{PLACE}", "tasks", split="train")
task = tasks[0]
golden = [(call["name"], json.loads(call["arguments"])) for call in task["evaluation_criteria"]["actions"]]
'''

CHATS = f'''
from datasets import load_dataset

prompts = {{row["id"]: row for row in load_dataset("{PLACE}", "prompts", split="train")}}


def whole(row):
    prompt = prompts[row["prompt_id"]]
    first = {{"role": "system", "content": prompt["system_prompt"]}}
    return {{"messages": [first, *row["messages"]], "tools": prompt["tools"]}}


chats = load_dataset("{PLACE}", "trajectories", split="train").map(whole)
'''

REWARD = f'''
import json

from datasets import load_dataset
from toolscale.artifacts import Call
from toolscale.checkers import judge
from toolscale.dataset.rows import environment_from, task_from
from toolscale.environment import Sandbox

row = load_dataset("{PLACE}", "tasks", split="train")[0]
worlds = {{world["id"]: world for world in load_dataset("{PLACE}", "environments", split="train")}}

# What the agent did and said: here the golden calls, and the facts as they stand in the row.
criteria = row["evaluation_criteria"]
calls = [Call(name=call["name"], arguments=json.loads(call["arguments"])) for call in criteria["actions"]]
messages = criteria["communicate_info"]

with Sandbox(environment_from(worlds[row["environment"]])) as sandbox:
    verdict = judge(sandbox, task_from(row), calls, messages)
reward = float(verdict.solved)  # verdict.reasons says what was wrong
'''

CITATION = """\
@misc{toolscale_factory,
  title = {ToolScale: tool-use tasks verified by execution},
  author = {{The ToolScale factory}},
  year = {2026},
  note = {Dataset; the card names models, prompts and seed}
}

@misc{su2025toolorchestra,
  title = {ToolOrchestra: Elevating Intelligence via Efficient Model and Tool Orchestration},
  author = {Su, Hongjin and Diao, Shizhe and Lu, Ximing and Liu, Mingjie and Xu, Jiacheng and Dong, Xin and Fu, Yonggan
    and Belcak, Peter and Ye, Hanrong and Yin, Hongxu and Dong, Yi and Bakhturina, Evelina and Yu, Tao and Choi, Yejin
    and Kautz, Jan and Molchanov, Pavlo},
  year = {2025},
  eprint = {2511.21689},
  archivePrefix = {arXiv}
}"""

_LONGEST = 400


def code(language: str, text: str) -> str:
    """A block of code."""
    return f"```{language}\n{text.strip()}\n```"


def size_category(rows: int) -> str:
    """The Hub's name for a number of rows, such as ``1K<n<10K``."""
    bounds = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
    return next((name for bound, name in bounds if rows < bound), "1M<n<10M")


def sample(contents: Contents) -> str:
    """A row of `tasks` as JSON, one that says little; of its attempts the first. Empty where there are no tasks."""
    columns = ", ".join(SCHEMAS["tasks"].names)
    found = contents.tables.arrow(f"select {columns} from tasks order by split desc, len(prompt), id limit 1")
    for row in found.read_all().to_pylist():
        shown = {**row, "attempts": row["attempts"][:1]}
        return inert(json.dumps(_shortened(shown), ensure_ascii=False, indent=1))
    return ""


def _shortened(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _shortened(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_shortened(each) for each in value]
    if isinstance(value, str) and len(value) > _LONGEST:
        return f"{value[:_LONGEST]}\N{HORIZONTAL ELLIPSIS}"
    return value
