"""A tiny domain for a tiny model: a parcel shop with four functions, and short tasks: one wish, one call, one fact.

It is a drill for the trainer, not a part of the dataset that the factory publishes: its instructions come from a
handful of sentences and would not pass the gate `distinct`. All other program gates judge its tasks as they judge
every task.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from toolscale.artifacts import EnvironmentSpec, FunctionSpec, GoldenCall, Instructions, Task, UserScenario
from toolscale.artifacts.task import task_id
from trainer.demo.functions import Record

DOMAIN = "parcel_shop"
NOW = datetime(2026, 3, 2, 9, 0)
POLICY = "A parcel is kept at most 9 days longer at a time. Tell the user what came of it."

PARCELS, LOCKERS = 800, 60


def environment(seed: int = 0) -> EnvironmentSpec:
    """The shop with its database drawn by the seed."""
    return EnvironmentSpec(
        domain=DOMAIN,
        now=NOW,
        seed=seed,
        policy=POLICY,
        functions=_functions(),
        source=Path(__file__).with_name("functions.py").read_text(encoding="utf-8"),
        database=_database(Random(f"{seed}/shop")),
    )


def tasks(shop: EnvironmentSpec, count: int, seed: int = 0) -> list[Task]:
    """`count` tasks, each about other parcels or with another wish, in an order drawn by the seed.

    Raises:
        ValueError: the shop's parcels have fewer wishes than that.
    """
    rng = Random(f"{seed}/tasks")
    found = {task.id: task for task in (_task(wish) for wish in _wishes(shop, rng))}
    if count > len(found):
        raise ValueError(f"the shop has {len(found)} tasks, not {count}")
    return rng.sample(list(found.values()), count)


@dataclass(frozen=True)
class _Wish:
    """What a user wants of one parcel: words for it, the call that does it, and the fact to be told."""

    wording: str
    call: GoldenCall
    fact: str


def _wishes(shop: EnvironmentSpec, rng: Random) -> Iterator[_Wish]:
    database: Any = shop.database
    for parcel in database["parcels"].values():
        for wish in (_know, _keep, _move, _return):
            yield wish(parcel, rng)


def _know(parcel: Record, rng: Random) -> _Wish:
    wording = rng.choice(
        (
            "Until when is parcel {parcel} kept?",
            "What is the last day to collect {parcel}?",
            "How long do I have to fetch parcel {parcel}?",
        )
    )
    call = GoldenCall(action_id="0", name="last_day", arguments={"parcel": parcel["parcel"]})
    return _Wish(wording.format(**parcel), call, parcel["until"])


def _keep(parcel: Record, rng: Random) -> _Wish:
    days = rng.randint(2, 9)
    wording = rng.choice(
        (
            "Please keep parcel {parcel} {days} days longer. What is the new last day?",
            "I need {days} more days for parcel {parcel}. Until when can I come then?",
            "Can {parcel} wait another {days} days? Tell me the new date.",
        )
    )
    until = (date.fromisoformat(parcel["until"]) + timedelta(days=days)).isoformat()
    call = GoldenCall(action_id="0", name="keep_longer", arguments={"parcel": parcel["parcel"], "days": days})
    return _Wish(wording.format(**parcel, days=days), call, until)


def _move(parcel: Record, rng: Random) -> _Wish:
    locker = f"L{rng.randint(10, 9 + LOCKERS)}"
    while locker == parcel["locker"]:
        locker = f"L{rng.randint(10, 9 + LOCKERS)}"
    wording = rng.choice(
        (
            "Move parcel {parcel} to locker {target}, please. What is the new code?",
            "I would rather collect {parcel} at locker {target}. Which code opens it?",
            "Put {parcel} into locker {target} and give me the code.",
        )
    )
    code = f"{parcel['seal'] * 37 % 9000 + 1000}"
    call = GoldenCall(action_id="0", name="move", arguments={"parcel": parcel["parcel"], "locker": locker})
    return _Wish(wording.format(**parcel, target=locker), call, code)


def _return(parcel: Record, rng: Random) -> _Wish:
    wording = rng.choice(
        (
            "Send parcel {parcel} back. I need the receipt number.",
            "I do not want {parcel}, return it and tell me the receipt.",
            "Please return parcel {parcel} and give me the receipt number.",
        )
    )
    call = GoldenCall(action_id="0", name="send_back", arguments={"parcel": parcel["parcel"]})
    return _Wish(wording.format(**parcel), call, f"R{parcel['seal']}")


def _task(wish: _Wish) -> Task:
    scenario = UserScenario(instructions=Instructions(domain=DOMAIN, reason_for_call=wish.wording))
    return Task(
        id=task_id(DOMAIN, scenario, [wish.call], [wish.fact]),
        domain=DOMAIN,
        intent=wish.call.name,
        user_scenario=scenario,
        golden_calls=[wish.call],
        communicate_info=[wish.fact],
    )


def _database(rng: Random) -> dict[str, Any]:
    lockers = {f"L{number}": {"locker": f"L{number}"} for number in range(10, 10 + LOCKERS)}
    numbers = rng.sample(range(100, 999), PARCELS)
    seals = rng.sample(range(1000, 9999), PARCELS)
    parcels = {f"P{number}": _parcel(f"P{number}", seal, rng) for number, seal in zip(numbers, seals, strict=True)}
    return {"parcels": parcels, "lockers": lockers}


def _parcel(key: str, seal: int, rng: Random) -> Record:
    until = (NOW.date() + timedelta(days=rng.randint(1, 40))).isoformat()
    locker = f"L{rng.randint(10, 9 + LOCKERS)}"
    return {
        "parcel": key,
        "locker": locker,
        "until": until,
        "seal": seal,
        "code": f"{rng.randint(1000, 9999)}",
        "status": "waiting",
    }


def _functions() -> list[FunctionSpec]:
    parcel = {"type": "string"}
    return [
        function("last_day", "Until when a parcel is kept.", "read", parcel=parcel),
        function("keep_longer", "Keep a parcel longer.", "write", parcel=parcel, days={"type": "integer"}),
        function("move", "Move a parcel to another locker.", "write", parcel=parcel, locker={"type": "string"}),
        function("send_back", "Send a parcel back.", "write", parcel=parcel),
    ]


def function(name: str, description: str, kind: Any, **properties: Any) -> FunctionSpec:
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return FunctionSpec(name=name, description=description, kind=kind, parameters=parameters)
