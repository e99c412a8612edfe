"""A small shop: schema, entries and functions for the tests of the stages."""

from toolscale.artifacts import DatabaseSchema, Domain, Entry, Function
from toolscale.synthesis.assembly import assemble
from toolscale.synthesis.plan import PlanAnswer

DOMAIN = Domain(name="shop", description="A shop that sells things to customers.")

SCHEMA = DatabaseSchema(
    domain="shop",
    json_schema={
        "type": "object",
        "properties": {
            "customers": {
                "type": "object",
                "additionalProperties": {
                    "type": "object",
                    "properties": {
                        "customer_id": {"type": "string", "x-primary-key": True},
                        "name": {"type": "string"},
                    },
                    "required": ["customer_id", "name"],
                    "additionalProperties": False,
                },
            },
            "orders": {
                "type": "object",
                "additionalProperties": {
                    "type": "object",
                    "properties": {
                        "order_id": {"type": "string", "x-primary-key": True},
                        "customer_id": {"type": "string", "x-references": "customers.customer_id"},
                        "amount": {"type": "number", "minimum": 0},
                        "status": {"enum": ["open", "cancelled"]},
                    },
                    "required": ["order_id", "customer_id", "amount", "status"],
                    "additionalProperties": False,
                },
            },
        },
    },
)

CUSTOMERS = {f"C-{n}": {"customer_id": f"C-{n}", "name": name} for n, name in enumerate(["Ada", "Bo", "Cy"], 1)}
ORDERS = {
    f"O-{n}": {
        "order_id": f"O-{n}",
        "customer_id": f"C-{1 + n % 3}",
        "amount": 10.25 * n,
        "status": "cancelled" if n % 4 == 0 else "open",
    }
    for n in range(1, 9)
}

READ = Function(
    name="get_order",
    description="One order by its id.",
    kind="read",
    parameters={"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]},
    source=(
        "def get_order(db, order_id):\n"
        "    if order_id not in db['orders']:\n"
        "        raise ValueError(f'no order {order_id}')\n"
        "    return db['orders'][order_id]\n"
    ),
)
WRITE = Function(
    name="cancel_order",
    description="Cancel an open order.",
    kind="write",
    parameters=READ.parameters,
    source=(
        "def cancel_order(db, order_id):\n"
        "    if order_id not in db['orders'] or db['orders'][order_id]['status'] != 'open':\n"
        "        raise ValueError(f'no open order {order_id}')\n"
        "    db['orders'][order_id]['status'] = 'cancelled'\n"
        "    return 'cancelled'\n"
    ),
)


def entries():
    """All records as entries."""
    records = [("customers", key, record) for key, record in CUSTOMERS.items()]
    records += [("orders", key, record) for key, record in ORDERS.items()]
    return [Entry(domain="shop", table=table, key=key, record=record, subject="all") for table, key, record in records]


def plan(policy):
    """A plan of which nothing matters but the policy."""
    return PlanAnswer(policy=policy, functions=[])


def environment():
    """The shop, made executable."""
    return assemble(DOMAIN, SCHEMA, entries(), [READ, WRITE], plan("Only open orders can be cancelled."), [])


NOTE = Function(
    name="note_reason",
    description="Note why an order is cancelled.",
    kind="write",
    parameters={"type": "object", "properties": {"order_id": {"type": "string"}, "reason": {"type": "string"}}},
    source=(
        "def note_reason(db, order_id, reason):\n"
        "    db['orders'][order_id]['status'] = 'cancelled'\n"
        "    db['orders'][order_id]['reason'] = reason\n"
        "    return 'noted'\n"
    ),
)
DESK = assemble(DOMAIN, SCHEMA, entries(), [READ, NOTE], plan("Reasons are given in one word."), [])
