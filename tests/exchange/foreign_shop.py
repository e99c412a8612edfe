"""A tau2-bench domain that somebody else wrote: models, tools, a database, and tasks in its form."""

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
