"""A domain in tau-bench's form, small and of our own."""

FILES = {
    "wiki.md": "Be kind. The current time is 2024-05-15 15:00:00 EST.",
    "data/orders.json": '{"O1": {"status": "open", "total": 12.5}, "O2": {"status": "sent", "total": 3}}',
    "data/__init__.py": "import os\n",
    "tools/__init__.py": "from .cancel import Cancel\n\nALL_TOOLS = [Cancel]\n",
    "tools/cancel.py": """
import json
from typing import Any, Dict
from tau_bench.envs.tool import Tool


class Cancel(Tool):
    @staticmethod
    def invoke(data: Dict[str, Any], order_id: str) -> str:
        if order_id not in data["orders"]:
            return "Error: order not found"
        order = data["orders"][order_id]
        if order["status"] != "open":
            raise ValueError("it was sent")
        order["status"] = "cancelled"
        return json.dumps(order)

    @staticmethod
    def get_info() -> Dict[str, Any]:
        return {
            "type": "function",
            "function": {
                "name": "cancel_order",
                "description": ("Cancel " "an order."),
                "parameters": {
                    "type": "object",
                    "properties": {"order_id": {"type": "string"}},
                    "required": ["order_id"],
                },
            },
        }
""",
    "tasks_test.py": """
from tau_bench.types import Action, Task

TASKS = [
    Task(
        annotator="0",
        user_id="ann",
        instruction="Cancel O1 and say what I get back.",
        actions=[
            Action(name="cancel_order", kwargs={"order_id": "O1"}),
            Action(name="respond", kwargs={"content": "12.5"}),
        ],
        outputs=["12.5"],
    ),
    Task(annotator="0", user_id="ann", instruction=open("/etc/passwd").read(), actions=[], outputs=[]),
]
""",
    "tasks_train.py": """
from tau_bench.types import Action, Task

TASKS_TRAIN = [Task(annotator="0", user_id="bo", instruction="Do nothing.", actions=[], outputs=[])]
""",
}


def call(name, **arguments):
    return {
        "role": "assistant",
        "content": "12.5",
        "tool_calls": [{"function": {"name": name, "arguments": arguments}}],
    }


SAID = {"role": "assistant", "content": "You get 12.5 back."}
CANCELLED = call("cancel_order", order_id="O1")
JUDGED = {"reward_info": {"reward": 1.0}}
RUNS = [
    {"task_id": 0, "info": JUDGED, "traj": [CANCELLED, SAID], "trial": 0},
    {"task_id": 0, "info": JUDGED, "traj": [CANCELLED], "trial": 1},
    {"task_id": 0, "info": {}, "traj": [CANCELLED, SAID], "trial": 2},
    {"task_id": 0, "traj": "no chat"},
    "no run",
]
