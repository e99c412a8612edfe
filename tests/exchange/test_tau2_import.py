"""A tau2-bench domain that somebody else wrote runs in the sandbox as it does at home."""

import json

from tests.exchange.foreign_shop import DATABASE, MODELS, TOOLS
from toolscale.artifacts import Call, EntryRef
from toolscale.checkers.parameters import enumerated
from toolscale.environment import Sandbox, load_environment
from toolscale.exchange.tau2_import import import_tau2


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


def test_tools_may_lie_apart_from_the_data(domain, tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    for name in ("db.json", "tasks.json"):
        (domain / name).rename(data / name)
    import_tau2(data, tmp_path / "out", tools=domain)
    assert load_environment(tmp_path / "out").function("pay") is not None
