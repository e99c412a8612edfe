"""A tau2-bench domain with a user who has tools and a database too, and an environment that keeps both in step."""

TOOLS = '''
from typing import Dict

from loguru import logger
from pydantic import BaseModel

from tau2.environment.db import DB
from tau2.environment.toolkit import ToolKitBase, ToolType, is_tool


class Member(BaseModel):
    name: str
    paid: bool = False
    locked: bool = False


class ClubDB(DB):
    members: Dict[str, Member]


class ClubTools(ToolKitBase):
    db: ClubDB

    @is_tool(ToolType.WRITE)
    def unlock(self, member_id: str) -> str:
        """Let a member in again."""
        self.db.members[member_id].locked = False
        return "unlocked"

    @is_tool(ToolType.READ)
    def check(self, member_id: str) -> Member:
        """Look a member up."""
        return self.db.members[member_id]

    @is_tool(ToolType.WRITE, mutates_state=False)
    def hand_over(self, summary: str) -> str:
        """Give the conversation to a person."""
        return "done"

    def lock(self, member_id: str) -> None:
        self.db.members[member_id].locked = True

    def assert_unlocked(self, member_id: str) -> bool:
        return not self.db.members[member_id].locked
'''

USER_TOOLS = '''
from typing import Optional

from tau2.environment.db import DB
from tau2.environment.toolkit import ToolKitBase, ToolType, is_tool


class PhoneDB(DB):
    member_id: Optional[str] = None
    door: str = "open"
    money: int = 10


class PhoneTools(ToolKitBase):
    db: PhoneDB

    @is_tool(ToolType.WRITE)
    def pay(self) -> str:
        """Pay what is due."""
        self.db.money -= 5
        return "paid"

    @is_tool(ToolType.READ)
    def check(self) -> str:
        """See whether the door is open."""
        return self.db.door

    def is_member(self, member_id: str) -> None:
        self.db.member_id = member_id

    def assert_door(self, expected: str) -> bool:
        return self.db.door == expected
'''

ENVIRONMENT = """
from functools import partial
from pathlib import Path

from tau2.data_model.tasks import Task
from tau2.domains.club.tools import ClubTools
from tau2.domains.club.user_tools import PhoneTools
from tau2.environment.environment import Environment
from tau2.utils import load_file

HERE = Path(__file__).parent


class ClubEnvironment(Environment):
    tools: ClubTools
    user_tools: PhoneTools

    def sync_tools(self):
        phone = self.user_tools.db
        if phone.member_id is None:
            return
        member = self.tools.db.members[phone.member_id]
        phone.door = "shut" if member.locked else "open"
        member.paid = phone.money < 10


def get_tasks() -> list[Task]:
    return [Task.model_validate(task) for task in load_file(HERE / "tasks.json")]


get_all = partial(get_tasks)
"""

DATABASE = {"members": {"M1": {"name": "Ann"}, "M2": {"name": "Bo"}}}


def action(name, requestor="assistant", **arguments):
    return {"action_id": name, "name": name, "arguments": arguments, "requestor": requestor}


def own_call(side, name, **arguments):
    return {"env_type": side, "func_name": name, "arguments": arguments}


LOCKED_OUT = {
    "id": "locked out",
    "user_scenario": {"persona": None, "instructions": "You are locked out."},
    "initial_state": {
        "initialization_data": {"agent_data": {"members": {"M2": {"name": "Cy"}}}, "user_data": None},
        "initialization_actions": [
            own_call("user", "is_member", member_id="M1"),
            own_call("assistant", "lock", member_id="M1"),
        ],
        "message_history": None,
    },
    "evaluation_criteria": {
        "actions": [action("unlock", member_id="M1"), action("pay", "user")],
        "env_assertions": [
            own_call("user", "assert_door", expected="open"),
            {**own_call("user", "assert_door", expected="shut"), "assert_value": False},
        ],
        "reward_basis": ["ENV_ASSERTION"],
    },
}
"""Judged by assertions alone: who unlocks the member has solved it, whoever pays."""

HANDED_OVER = {
    **LOCKED_OUT,
    "id": "handed over",
    "evaluation_criteria": {
        "actions": [{**action("hand_over", summary="Locked out."), "compare_args": []}],
        "env_assertions": [own_call("assistant", "assert_unlocked", member_id="M2")],
        "reward_basis": ["ENV_ASSERTION", "ACTION"],
    },
}
"""Nothing is to change, and the conversation is to be handed over, in any words."""

PAID = {
    "id": "paid",
    "user_scenario": {"persona": None, "instructions": "Pay."},
    "initial_state": {
        "message_history": [
            {"role": "user", "content": "I am M1."},
            {"role": "assistant", "tool_calls": [{"id": "1", "name": "unlock", "arguments": {"member_id": "M1"}}]},
            {"role": "tool", "id": "1", "content": "unlocked"},
        ]
    },
    "evaluation_criteria": {"actions": [action("check", "user"), action("pay", "user")], "reward_basis": ["DB"]},
}
"""Judged by both databases."""
