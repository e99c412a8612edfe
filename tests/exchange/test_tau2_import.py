"""A tau2-bench domain that somebody else wrote: its tools run in the sandbox, and what has no place here is told."""

import json

import pytest

from toolscale.artifacts import Call, EntryRef
from toolscale.checkers.parameters import enumerated
from toolscale.checkers.task_file import read_tasks
from toolscale.checkers.verdict import judge
from toolscale.environment import Sandbox, load_environment
from toolscale.errors import UserError
from toolscale.exchange.tau2_import import import_tau2

MODELS = """
from enum import Enum
from typing import Annotated, Dict, List, Literal, Optional, Union

from pydantic import BaseModel, Field

from tau2.domains.shop.paths import SHOP_DB_PATH
from tau2.environment.db import DB

Status = Literal["open", "sent"]


class Size(str, Enum):
    SMALL = "small"
    LARGE = "large"


class Card(BaseModel):
    source: Literal["card"] = Field(description="A card.")
    last_four: str


class Voucher(BaseModel):
    source: Literal["voucher"]
    balance: float


class Line(BaseModel):
    name: str
    count: int = 1
    size: Optional[Size] = None


class Order(BaseModel):
    order_id: str
    status: Status
    lines: List[Line]
    payment: Union[Card, Voucher]
    note: Optional[str] = Field(description="A note.", default=None)


class ShopDB(DB):
    orders: Dict[str, Order] = Field(description="By id.")


def get_db():
    return ShopDB.load(SHOP_DB_PATH)
"""

PATHS = """
from tau2.utils.utils import DATA_DIR

SHOP_DB_PATH = DATA_DIR / "shop" / "db.json"
"""

TOOLS = '''
from copy import deepcopy
from typing import List, Optional

from loguru import logger
from tau2.domains.shop.data_model import Line, Order, ShopDB, Size, Voucher
from tau2.environment.toolkit import ToolKitBase, ToolType, is_tool


class ShopTools(ToolKitBase):
    """All tools."""

    db: ShopDB

    def __init__(self, db: ShopDB) -> None:
        super().__init__(db)

    def _order(self, order_id: str) -> Order:
        if order_id not in self.db.orders:
            raise ValueError(f"no order {order_id}")
        return self.db.orders[order_id]

    @is_tool(ToolType.READ)
    def get_order(self, order_id: str) -> Order:
        """Look an order up.

        Says all of it.

        Args:
            order_id: The id, such as 'O-1'.
                It starts with an O.

        Returns:
            The order.
        """
        logger.info("looking")
        return self._order(order_id)

    @is_tool(ToolType.READ)
    def list_orders(self, status: Optional[str] = None) -> List[str]:
        """Ids of orders."""
        return [order.order_id for order in self.db.orders.values() if status in (None, order.status)]

    @is_tool(ToolType.WRITE)
    def add_line(self, order_id: str, line: Line, times: int = 1) -> Order:
        """Add lines."""
        order = self._order(order_id)
        if isinstance(line, dict):
            line = Line(**line)
        for _ in range(times):
            order.lines.append(deepcopy(line))
        large = [each for each in order.lines if each.size == Size.LARGE]
        order.note = f"{len(large)} large"
        return order

    @is_tool(ToolType.WRITE)
    def pay(self, order_id: str, amount: float) -> float:
        """Pay with a voucher."""
        payment = self._order(order_id).payment
        if not isinstance(payment, Voucher):
            raise ValueError("no voucher")
        payment.balance = round(payment.balance - amount, 2)
        return payment.balance

    @is_tool(ToolType.WRITE, mutates_state=False)
    def notify(self, order_id: str) -> str:
        """Tell."""
        return "told"

    def assert_sent(self, order_id: str) -> bool:
        return self._order(order_id).status == "sent"
'''

DATABASE = {
    "orders": {
        "O-1": {
            "order_id": "O-1",
            "status": "open",
            "lines": [{"name": "tea", "size": "small"}],
            "payment": {"source": "voucher", "balance": 10.5},
        },
        "O-2": {"order_id": "O-2", "status": "sent", "lines": [], "payment": {"source": "card", "last_four": "1234"}},
    }
}


def row(name, actions=(), **changes):
    """A task in tau2-bench's form."""
    criteria = {
        "actions": [{"action_id": str(n), "name": name, "arguments": {}} for n, name in enumerate(actions)],
        "communicate_info": ["9.50"],
        "nl_assertions": None,
        **changes.pop("criteria", {}),
    }
    said = {"domain": "shop", "reason_for_call": "Pay.", "known_info": None, "task_instructions": "Be short."}
    return {
        "id": name,
        "user_scenario": {"persona": None, "instructions": said},
        "evaluation_criteria": criteria,
    } | changes


@pytest.fixture
def domain(tmp_path):
    """The folder of a domain, to be spoilt by tests."""
    folder = tmp_path / "shop"
    folder.mkdir()
    for name, text in {
        "data_model.py": MODELS,
        "paths.py": PATHS,
        "tools.py": TOOLS,
        "db.json": json.dumps(DATABASE),
        "tasks.json": json.dumps([row("t1", ["notify"])]),
        "policy.md": "Be kind.",
    }.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def outcomes(domain, tmp_path):
    """Runs calls, given as (name, arguments), on the imported environment."""
    import_tau2(domain, tmp_path / "out")

    def run(*calls):
        with Sandbox(load_environment(tmp_path / "out")) as sandbox:
            return sandbox.run([Call(name=name, arguments=arguments) for name, arguments in calls])

    return run


def test_tools_become_functions_with_what_signature_and_docstring_say(domain, tmp_path):
    import_tau2(domain, tmp_path / "out")
    spec = load_environment(tmp_path / "out")
    assert (spec.domain, spec.policy) == ("shop", "Be kind.")
    assert {function.name: function.kind for function in spec.functions} == {
        "get_order": "read",
        "list_orders": "read",
        "add_line": "write",
        "pay": "write",
        "notify": "read",
    }
    look_up = spec.function("get_order")
    assert look_up.description == "Look an order up.\n\nSays all of it."
    assert look_up.parameters == {
        "title": "parameters",
        "type": "object",
        "properties": {
            "order_id": {
                "title": "Order Id",
                "type": "string",
                "description": "The id, such as 'O-1'.\nIt starts with an O.",
            },
        },
        "required": ["order_id"],
    }
    add = spec.function("add_line").parameters
    assert add["required"] == ["order_id", "line"]
    assert add["properties"]["times"]["default"] == 1
    assert enumerated(add, ("line", "size")) == [None, "small", "large"]


def test_what_tools_do_to_models_is_done_to_the_records(outcomes):
    replay = outcomes(
        ("add_line", {"order_id": "O-1", "line": {"name": "cup", "size": "large"}, "times": 2}),
        ("pay", {"order_id": "O-1", "amount": 1}),
        ("pay", {"order_id": "O-2", "amount": 1}),
        ("get_order", {"order_id": "O-3"}),
        ("list_orders", {"status": "sent"}),
        ("add_line", {"order_id": "O-2", "line": {"name": "cup", "size": "huge"}}),
    )
    assert [outcome.error for outcome in replay.outcomes[2:4]] == ["no voucher", "no order O-3"]
    assert replay.outcomes[1].result == "9.5", "tau2-bench tells numbers as texts"
    assert replay.outcomes[4].result == ["O-2"]
    assert "size" in replay.outcomes[5].error
    assert replay.changes == {
        EntryRef("orders", "O-1"): {
            "order_id": "O-1",
            "status": "open",
            "lines": [
                {"name": "tea", "count": 1, "size": "small"},
                {"name": "cup", "count": 1, "size": "large"},
                {"name": "cup", "count": 1, "size": "large"},
            ],
            "payment": {"source": "voucher", "balance": 9.5},
            "note": "2 large",
        }
    }


def test_a_look_up_by_key_is_one_and_a_scan_is_one(outcomes):
    replay = outcomes(("get_order", {"order_id": "O-1"}), ("list_orders", {}))
    assert replay.outcomes[0].looked_up == [EntryRef("orders", "O-1")]
    assert (replay.outcomes[1].looked_up, replay.outcomes[1].scanned) == ([], ["orders"])


def test_a_database_is_kept_as_its_models_have_it(domain, tmp_path):
    import_tau2(domain, tmp_path / "out")
    order = load_environment(tmp_path / "out").database["orders"]["O-1"]
    assert order["note"] is None
    assert order["lines"] == [{"name": "tea", "count": 1, "size": "small"}]


def test_a_required_field_is_required(outcomes):
    replay = outcomes(
        ("add_line", {"order_id": "O-1", "line": {"count": 2}}),
        ("add_line", {"order_id": "O-1", "line": {"name": "cup", "count": "348", "colour": "red"}}),
        ("get_order", {"order_id": "O-1"}),
    )
    assert replay.outcomes[0].error_type == "ValidationError"
    assert "name\n  Field required" in replay.outcomes[0].error
    assert "https://" not in replay.outcomes[0].error, "what pydantic says must not differ with its version"
    assert replay.outcomes[2].result["lines"][1:] == [{"name": "cup", "count": 348, "size": None}]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"O-1": {', '"O-1": {"order_id": 1, ', "ValidationError"),
        ('{"orders"', '{"more": {}, "orders"', "Extra inputs are not permitted"),
    ],
)
def test_a_database_that_its_models_refuse_is_refused(domain, tmp_path, old, new, message):
    text = json.dumps(DATABASE).replace('"order_id": "O-1", ', "").replace(old, new)
    (domain / "db.json").write_text(text)
    with pytest.raises(UserError, match=message):
        import_tau2(domain, tmp_path / "out")


def test_models_that_read_their_own_records_as_others_are_refused(domain, tmp_path):
    marked = "Annotated[str, AfterValidator(lambda text: text + '!')]"
    models = MODELS.replace("import BaseModel", "import AfterValidator, BaseModel")
    (domain / "data_model.py").write_text(models.replace("order_id: str", f"order_id: {marked}"))
    with pytest.raises(UserError, match="read their own records as others"):
        import_tau2(domain, tmp_path / "out")


def test_a_toolkit_keeps_what_it_remembers_for_the_length_of_a_trajectory(domain, tmp_path):
    remembering = """
    @is_tool(ToolType.WRITE)
    def open_order(self, order_id: str) -> str:
        self.opened = self._order(order_id)
        return "opened"

    @is_tool(ToolType.WRITE)
    def note(self, text: str) -> str:
        self.opened.note = text
        return "noted"
"""
    (domain / "tools.py").write_text(TOOLS + remembering)
    import_tau2(domain, tmp_path / "out")
    with Sandbox(load_environment(tmp_path / "out")) as sandbox:
        replay = sandbox.run(
            [Call(name="open_order", arguments={"order_id": "O-2"}), Call(name="note", arguments={"text": "late"})]
        )
        alone = sandbox.run([Call(name="note", arguments={"text": "late"})])
    assert [outcome.wrote for outcome in replay.outcomes] == [[], [EntryRef("orders", "O-2")]]
    assert alone.outcomes[0].error_type == "AttributeError"


def test_a_tool_that_puts_a_copy_in_the_databases_place_is_followed(domain, tmp_path):
    restoring = """
    @is_tool(ToolType.WRITE)
    def give_up(self, order_id: str) -> str:
        before = self.db.model_copy(deep=True)
        self._order(order_id).note = "half done"
        self.db.orders.pop("O-2")
        self.db = before
        raise ValueError("undone")

    @is_tool(ToolType.WRITE)
    def remark(self, order_id: str) -> str:
        self._order(order_id).note = "late"
        return "noted"
"""
    (domain / "tools.py").write_text(TOOLS + restoring)
    import_tau2(domain, tmp_path / "out")
    with Sandbox(load_environment(tmp_path / "out")) as sandbox:
        replay = sandbox.run([Call(name=name, arguments={"order_id": "O-1"}) for name in ("give_up", "remark")])
    assert [outcome.wrote for outcome in replay.outcomes] == [[], [EntryRef("orders", "O-1")]]


def test_a_database_of_many_small_values_is_imported(domain, tmp_path):
    database = {"orders": {**DATABASE["orders"]}}
    models = MODELS.replace("class ShopDB(DB):", "class ShopDB(DB):\n    seats: List[int] = Field(description='All.')")
    (domain / "data_model.py").write_text(models)
    (domain / "db.json").write_text(json.dumps({**database, "seats": [0] * 160_000}))
    import_tau2(domain, tmp_path / "out")
    assert len(load_environment(tmp_path / "out").database["seats"]) == 160_000


def test_foreign_code_never_runs_outside_the_sandbox(domain, tmp_path):
    mark = tmp_path / "ran"
    (domain / "tools.py").write_text(TOOLS + f"\nopen({str(mark)!r}, 'w')\n")
    with pytest.raises(UserError, match="does not run in the sandbox"):
        import_tau2(domain, tmp_path / "out")
    assert not mark.exists()
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("import requests", r"tools.py:2: imports requests, which the sandbox does not have"),
        ("from tau2.environment.toolkit import GenericToolKit", "imports tau2.environment.toolkit.GenericToolKit"),
        ("from .elsewhere import x", "imports .elsewhere"),
        ("def broken(:", "cannot be read as Python"),
    ],
)
def test_what_the_sandbox_cannot_have_is_refused_with_its_line(domain, tmp_path, line, message):
    (domain / "tools.py").write_text(f"\n{line}\n{TOOLS}")
    with pytest.raises(UserError, match=message):
        import_tau2(domain, tmp_path / "out")


def test_two_toolkits_are_one_too_many(domain, tmp_path):
    (domain / "tools.py").write_text(TOOLS + "\nclass More(ToolKitBase):\n    pass\n")
    with pytest.raises(UserError, match="holds ShopTools, More"):
        import_tau2(domain, tmp_path / "out")


def test_one_name_for_two_things_is_refused(domain, tmp_path):
    (domain / "tools.py").write_text(TOOLS + "\nclass Card:\n    pass\n")
    with pytest.raises(UserError, match=r"`Card` is defined here and in data_model\.py"):
        import_tau2(domain, tmp_path / "out")


def test_tools_may_lie_apart_from_the_data(domain, tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    for name in ("db.json", "tasks.json"):
        (domain / name).rename(data / name)
    import_tau2(data, tmp_path / "out", tools=domain)
    assert load_environment(tmp_path / "out").function("pay") is not None


def test_tasks_that_have_no_place_here_are_listed_with_the_reason(domain, tmp_path):
    user_call = {"action_id": "0", "name": "x", "arguments": {}, "requestor": "user"}
    rows = [
        row("kept", ["notify"]),
        row("kept", ["notify"]),
        row("own state", initial_state={"initialization_data": {"agent_data": {"orders": {}}}}),
        row("empty state", initial_state={"initialization_data": None}),
        row("user's", criteria={"actions": [user_call]}),
        row("asserted", criteria={"env_assertions": [{"func_name": "assert_sent"}], "reward_basis": ["ENV_ASSERTION"]}),
        row("ticketed", ticket="Pay it."),
        {"no": "id"},
        row("bad", criteria={"actions": [{"name": "pay", "arguments": "{"}]}),
        row("nameless", criteria={"actions": [{"arguments": {}}]}),
        row("odd", criteria={"actions": ["pay"]}),
        "no object",
    ]
    (domain / "tasks.json").write_text(json.dumps(rows))
    report = import_tau2(domain, tmp_path / "out")
    tasks = {task.id: task for task in read_tasks(tmp_path / "out/tasks.json")}
    assert set(tasks) == {"kept", "empty state", "asserted", "ticketed"}
    assert tasks["kept"].instruction == "Pay.\nBe short."
    assert tasks["kept"].communicate_info == ["9.50"]
    told = {(one.what, word) for one in report.left_out for word in one.reason.split()}
    for what, word in {
        ("task kept", "same"),
        ("task own state", "(initialization_data);"),
        ("task user's", "user's"),
        ("task asserted", "env_assertions"),
        ("task asserted", "ENV_ASSERTION"),
        ("task ticketed", "`ticket`"),
        ("task number 7", "`id`"),
        ("task bad", "JSON:"),
        ("task nameless", "form"),
        ("task odd", "form"),
        ("task number 11", "`id`"),
    }:
        assert (what, word) in told


ASSERTED = [{"env_type": "assistant", "func_name": "assert_sent", "arguments": {"order_id": "O-1"}}]


@pytest.mark.parametrize(
    ("criteria", "judged"),
    [
        ({"actions": None}, False),
        ({"actions": []}, True),
        ({"actions": [], "reward_basis": ["COMMUNICATE"]}, False),
        ({"actions": None, "reward_basis": ["NL_ASSERTION"]}, False),
        ({"actions": None, "env_assertions": ASSERTED, "reward_basis": ["DB", "ENV_ASSERTION"]}, True),
        ({"actions": None, "env_assertions": []}, True),
    ],
)
def test_the_database_is_judged_where_tau2_bench_judges_it(domain, tmp_path, criteria, judged):
    rows = [row("t1", criteria=criteria)]
    (domain / "tasks.json").write_text(json.dumps(rows))
    import_tau2(domain, tmp_path / "out")
    for file in (domain / "tasks.json", tmp_path / "out/tasks.json"):
        (task,) = read_tasks(file)
        assert (task.golden_calls, task.database_judged) == ([], judged)
        assert task.communicate_info == ["9.50"]
    with Sandbox(load_environment(tmp_path / "out")) as sandbox:
        paying = [Call(name="pay", arguments={"order_id": "O-1", "amount": 1})]
        assert judge(sandbox, task, paying, ["9.50"]).solved == (not judged)
        assert judge(sandbox, task, [], ["9.50"]).solved
        assert not judge(sandbox, task, [], ["10"]).solved


def test_what_only_assertions_judge_is_left_out_and_actions_that_judge_nothing_are_told(domain, tmp_path):
    rows = [
        row("asserted", criteria={"actions": None, "env_assertions": ASSERTED, "reward_basis": ["ENV_ASSERTION"]}),
        row("said", ["notify"], criteria={"reward_basis": ["COMMUNICATE"]}),
        row("unsaid", ["notify"], criteria={"reward_basis": ["DB"]}),
    ]
    (domain / "tasks.json").write_text(json.dumps(rows))
    report = import_tau2(domain, tmp_path / "out")
    assert {task.id: task.database_judged for task in read_tasks(tmp_path / "out/tasks.json")} == {
        "said": False,
        "unsaid": True,
    }
    assert {one.what: one.reason for one in report.left_out} == {
        "task asserted": "it is judged by its env_assertions alone, which are not run here",
        "task said": "its actions are left out, since tau2-bench judges it by COMMUNICATE alone",
        "task unsaid": "tau2-bench does not judge it by its communicate_info; here what is said counts",
    }
