"""A checkout of ToolOrchestra's published code, as far as an import reads it: rows of its form, and one domain."""

import json
from pathlib import Path

from tests.exchange.foreign_shop import DATABASE, MODELS, PATHS, TOOLS
from tests.exchange.foreign_shop import row as shop_task

DRAWN = {
    "model_mapping": {"expert-1": "gpt-5"},
    "tool_pricing": {"gpt-5": {"input_tokens_per_million": 1.25e-6, "output_tokens_per_million": 1e-5}},
    "pref_vec": {"accuracy": 3, "cost": 0.1, "latency": 0.1, "expert-1": 2},
}
PAY = {"action_id": "0", "name": "pay", "arguments": {"order_id": "O-1", "amount": 1.0, "line": None}}
LOOK = {"action_id": "1", "name": "get_order", "arguments": {"order_id": "O-9"}}


def question(number, **changes):
    name = f"stem____{number}"
    asked = {"problem": f"How much is {number} + 1?", "answer": str(number + 1), "category": "qa", "tools": []}
    return {"id": name, "index": name, **asked, **DRAWN, **changes}


def task(number, actions, domain="shop", said="Pay.", **changes):
    name = f"{domain}____{number}"
    example = shop_task("0", criteria={"actions": actions})
    example["user_scenario"]["instructions"]["reason_for_call"] = said
    empty = {"problem": "", "answer": "", "category": "func_call", "tools": []}
    return {"id": name, "index": name, **empty, "example": example, **DRAWN, **changes}


def write_checkout(root: Path, rows) -> Path:
    """The published code's folders, with the domain `shop`."""
    data, code = root / "data/tau2/domains/shop", root / "training/rollout/tau2/domains/shop"
    for folder in (data, code):
        folder.mkdir(parents=True, exist_ok=True)
    (data / "db.json").write_text(json.dumps(DATABASE))
    (data / "policy.md").write_text("Be kind.")
    for name, text in {"data_model.py": MODELS, "paths.py": PATHS, "tools.py": TOOLS}.items():
        (code / name).write_text(text)
    (root / "data/data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return root
