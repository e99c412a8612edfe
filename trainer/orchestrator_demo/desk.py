"""A tiny domain for a tiny model: a desk that settles claims, each by one of four remedies.

Some claims say what was promised, so whoever looks them up knows the remedy. What a fault calls for, only experts know.
Like the parcel shop, it is a drill for the trainer: its instructions come from a handful of sentences and would not
pass the gate `distinct`. All other program gates judge its tasks as they judge every task.
"""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

from toolscale.artifacts import EnvironmentSpec, FunctionSpec, GoldenCall, Instructions, Task, UserScenario
from toolscale.artifacts.task import task_id
from toolscale.mock_endpoint.experts.claims import CLAIMS, REMEDIES
from toolscale.mock_endpoint.experts.quiz import Kind
from trainer.demo.shop import function
from trainer.orchestrator_demo.functions import Record

DOMAIN = "claims_desk"
NOW = datetime(2026, 3, 2, 9, 0)
POLICY = (
    "Look an order up before you settle its claim, by one remedy. What was promised is given. What a fault calls for, "
    "a generalist can say: ask in the words of the claim."
)
KINDS: Mapping[str, Kind] = {kind.topic: kind for kind in CLAIMS}
"""Topic -> the claims on it."""
ORDERS = 400
"""With a claim of each topic: enough that training need not come back to a task."""

_WORDINGS = (
    "Please settle order {order}.",
    "Settle the claim on order {order}.",
    "Order {order} is still to be settled.",
)


def environment(seed: int = 0, orders: int = ORDERS) -> EnvironmentSpec:
    """The desk with so many orders of each topic, drawn by the seed."""
    return EnvironmentSpec(
        domain=DOMAIN,
        now=NOW,
        seed=seed,
        policy=POLICY,
        functions=_functions(),
        source=Path(__file__).with_name("functions.py").read_text(encoding="utf-8"),
        database={"orders": _orders(Random(f"{seed}/desk"), orders)},
    )


def tasks(desk: EnvironmentSpec, topic: str, seed: int = 0) -> list[Task]:
    """A task for each order with a claim on a topic."""
    database: Any = desk.database
    rng = Random(f"{seed}/tasks/{topic}")
    return [_task(record, rng) for record in database["orders"].values() if record["topic"] == topic]


def _task(record: Record, rng: Random) -> Task:
    wording = rng.choice(_WORDINGS).format(**record)
    scenario = UserScenario(instructions=Instructions(domain=DOMAIN, reason_for_call=wording))
    order = {"order": record["order"]}
    golden = [
        GoldenCall(action_id="0", name="look_up", arguments=order),
        GoldenCall(action_id="1", name=_remedy(record), arguments=order),
    ]
    return Task(
        id=task_id(DOMAIN, scenario, golden, []),
        domain=DOMAIN,
        intent=record["topic"],
        user_scenario=scenario,
        golden_calls=golden,
    )


def _remedy(record: Record) -> str:
    """The right one."""
    kind = KINDS[record["topic"]]
    found = kind.pattern.fullmatch(record["claim"])
    assert found is not None
    return str(kind.solve(**found.groupdict()))


def _orders(rng: Random, count: int) -> dict[str, Record]:
    """Records by their numbers, in an order that tells nothing of their topics."""
    claims = [(topic, claim) for topic, kind in KINDS.items() for claim in _claims(kind, count, rng)]
    numbers = rng.sample([f"{letter}{number}" for letter in "KLMN" for number in range(100, 1000)], len(claims))
    rng.shuffle(claims)
    return {
        number: {"order": number, "topic": topic, "claim": claim, "settled": ""}
        for number, (topic, claim) in zip(numbers, claims, strict=True)
    }


def _claims(kind: Kind, count: int, rng: Random) -> list[str]:
    """As many for each remedy as for the next: a guess is right one time in four."""
    quotas = dict.fromkeys(REMEDIES, count // len(REMEDIES))
    found = []
    while any(quotas.values()):
        values = dict(zip(kind.names, map(str, kind.draw(rng)), strict=True))
        remedy: Any = kind.solve(**values)
        if quotas[remedy]:
            quotas[remedy] -= 1
            found.append(kind.wording.format(**values))
    return found


def _functions() -> list[FunctionSpec]:
    order = {"type": "string"}
    return [
        function("look_up", "The claim on an order.", "read", order=order),
        function("refund", "Pay the money back.", "write", order=order),
        function("repair", "Have the thing repaired.", "write", order=order),
        function("swap", "Send another one.", "write", order=order),
        function("voucher", "Send a voucher.", "write", order=order),
    ]
