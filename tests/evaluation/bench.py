"""What tests of this room share: small benchmarks in their own formats, and a run of `toolscale evaluate` on them."""

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.dataset.small import KEPT, WORLD
from toolscale.dataset import About, write_dataset

CATALOGUE = """
[[tool]]
kind = "code_interpreter"
description = "Runs Python."

[[model]]
name = "lab/large"
model = "openai/deft"
api_base = "{url}"
description = "Dear, and strong."
price = {{ input = 10.0, output = 20.0 }}
latency = {{ seconds = 30.0, seconds_per_token = 0.0, spread = 0.0 }}
simulated = true

[sets.small]
tools = ["code_interpreter"]
generalist = ["lab/large"]
"""

HLE = [
    {"id": "h1", "question": "How much is 6 times 7?", "image": "", "answer": "42", "category": "Math"},
    {
        "id": "h2",
        "question": "What does the picture show?",
        "image": "data:...",
        "answer": "a cat",
        "category": "Other",
    },
    {"id": "h3", "question": "Which gas do plants take in?", "image": "", "answer": "CO2", "category": "Biology"},
]

FRAMES = [
    {
        "": "0",
        "Prompt": "Who is older?\nAnn or Bob?",
        "Answer": "Ann",
        "wiki_links": "[]",
        "reasoning_types": "Temporal",
    },
    {
        "": "1",
        "Prompt": "How high is the tower?",
        "Answer": "1,024 m",
        "wiki_links": "[]",
        "reasoning_types": "Numerical",
    },
]

ADD = {
    "name": "math.add",
    "description": "Adds two numbers.",
    "parameters": {
        "type": "dict",
        "properties": {
            "a": {"type": "integer", "description": "One."},
            "b": {"type": "float", "description": "Other."},
            "unit": {"type": "string", "description": "Defaults to none."},
            "marks": {"type": "tuple", "description": "More.", "items": {"type": "any"}},
        },
        "required": ["a", "b"],
    },
}

SEND = (
    '{"name": "SendMail", "description": "Sends a mail.", "input_parameters": {"to": {"type": "str", "description": '
    '"Whom."}, "text": {"type": "str", "description": "What."}}, "output_parameters": {}}'
)


def hle(folder: Path) -> Path:
    (folder / "data").mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(HLE), folder / "data" / "test-00000-of-00001.parquet")
    return folder


def frames(folder: Path) -> Path:
    folder.mkdir(parents=True)
    with (folder / "test.tsv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(FRAMES[0]), delimiter="\t")
        writer.writeheader()
        writer.writerows(FRAMES)
    return folder


def bamboogle(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "test.jsonl").write_text(json.dumps({"Question": "Whose son was Ann's father?", "Answer": "Carl"}) + "\n")
    return folder


def lines(file: Path, rows: list[dict[str, Any]]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))


def bfcl(folder: Path) -> Path:
    def task(name: str, text: str) -> dict[str, Any]:
        return {"id": name, "question": [[{"role": "user", "content": text}]], "function": [ADD]}

    lines(folder / "BFCL_v3_simple.json", [task("simple_0", "Add 1 and 2.")])
    simple = {"math.add": {"a": [1], "b": [2.0], "unit": ["none", ""], "marks": [""]}}
    lines(folder / "possible_answer" / "BFCL_v3_simple.json", [{"id": "simple_0", "ground_truth": [simple]}])
    lines(folder / "BFCL_v3_irrelevance.json", [task("irrelevance_0", "Sing a song.")])
    lines(folder / "BFCL_v3_multi_turn_base.json", [{"id": "multi_turn_base_0", "question": []}])
    return folder


def api_bank(folder: Path) -> Path:
    row = {
        "file": "SendMail-level-1-1.jsonl",
        "id": 0,
        "instruction": f"\nGenerate an API request.\nThe current year is 2023.\n\nAPI descriptions:\n{SEND}",
        "input": "User: Mail Ann that I am late.\nGenerate API Request:\n",
        "expected_output": "API-Request: [SendMail(to='Ann', text='I am late.')]",
    }
    lines(folder / "test-data" / "level-1-api.json", [])
    (folder / "test-data" / "level-1-api.json").write_text(json.dumps([row]))
    return folder


def api_bank_searched(folder: Path) -> Path:
    """Level 3: a search for an API, then a call of what it found."""
    search = '{"apiCode": "ToolSearcher", "description": "Finds APIs.", "parameters": {"keywords": {"type": "str"}}}'
    found = (
        "API-Request: [ToolSearcher(keywords='SendMail')]->{'api_name': 'ToolSearcher', 'input': {'keywords': "
        "'SendMail'}, 'output': {'name': 'SendMail', 'description': \"Sends one's mail.\", 'input_parameters': {'to': "
        "{'type': 'str'}, 'text': {'type': 'str'}}, 'output_parameters': {}}, 'exception': None}"
    )
    begun = f"{search}\nUser: Mail Ann that I am late.\n"
    rows = [
        {"input": begun, "output": "API-Request: [ToolSearcher(keywords='SendMail')]"},
        {"input": f"{begun}{found}\n", "output": "API-Request: [SendMail(to='Ann', text='I am late.')]"},
    ]
    told = [
        {
            "instruction": "Generate an API request.\n\nAPI descriptions:\n",
            "sample_id": 0,
            "api_id": number,
            **row,
            "input": f"{row['input']}Generate API Request: \n",
        }
        for number, row in enumerate(rows)
    ]
    (folder / "test-data").mkdir(parents=True, exist_ok=True)
    (folder / "test-data" / "level-3-batch-inf.json").write_text(json.dumps(told))
    return folder


GAIA = [
    {"task_id": "g1", "Question": "How much is it?", "Level": 1, "Final answer": "1234.5", "file_name": ""},
    {"task_id": "g2", "Question": "Which three?", "Level": 2, "Final answer": "ann, Bob; 3", "file_name": None},
    {
        "task_id": "g3",
        "Question": "What is written there?",
        "Level": 1,
        "Final answer": "Sea-Gull",
        "file_name": "g3.txt",
    },
    {"task_id": "g4", "Question": "What does it show?", "Level": 3, "Final answer": "a cat", "file_name": "g4.png"},
    {"task_id": "g5", "Question": "And who?", "Level": 3, "Final answer": "?", "file_name": ""},
]


def gaia(folder: Path) -> Path:
    place = folder / "2023" / "validation"
    lines(place / "metadata.jsonl", GAIA)
    pq.write_table(pa.Table.from_pylist(GAIA), place / "metadata.parquet")
    (place / "g3.txt").write_text("The sea gull.\n")
    return folder


def dataset(folder: Path) -> Path:
    write_dataset(
        folder, tasks=KEPT, environments=[WORLD], trajectories=[], rejects=[], rejected=[], about=About(dollars=None)
    )
    return folder
