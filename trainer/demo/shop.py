"""A tiny domain for a tiny model: a parcel shop with four functions, a few hundred members, and short tasks.

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

DOMAIN = "parcel_shop"
NOW = datetime(2026, 3, 2, 9, 0)
POLICY = "Look the card up first. A parcel is kept at most 9 days longer at a time. Tell the user what came of it."

MEMBERS, LOCKERS = 500, 60
SENDERS = ("Alder", "Birch", "Cedar", "Dahlia", "Elm", "Fern", "Gorse", "Hazel", "Iris", "Juniper", "Laurel", "Maple")
STREETS = ("Mill Lane", "Harbour Road", "Station Street", "Church Hill", "Bridge Street", "Park Row")

Record = dict[str, Any]


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
        ValueError: the shop's members have fewer wishes than that.
    """
    rng = Random(f"{seed}/tasks")
    found = {task.id: task for task in (_task(wish, rng) for wish in _wishes(shop, rng))}
    if count > len(found):
        raise ValueError(f"the shop has {len(found)} tasks, not {count}")
    return rng.sample(list(found.values()), count)


@dataclass(frozen=True)
class _Wish:
    """What one member wants of one parcel: words for it, the call that does it, and the fact to be told."""

    intent: str
    card: str
    wording: str
    calls: list[GoldenCall]
    facts: list[str]


def _wishes(shop: EnvironmentSpec, rng: Random) -> Iterator[_Wish]:
    database: Any = shop.database
    for card, member in database["members"].items():
        for key in member["parcels"]:
            parcel = database["parcels"][key]
            for wish in (_know, _keep, _move, _return):
                yield wish(card, parcel, rng)


def _know(card: str, parcel: Record, rng: Random) -> _Wish:
    wording = rng.choice(
        (
            "Until when is my parcel from {sender} kept?",
            "What is the last day to collect the {sender} parcel?",
            "How long do I have to fetch what {sender} sent me?",
        )
    )
    return _Wish("ask_last_day", card, wording.format(**parcel), [], [parcel["until"]])


def _keep(card: str, parcel: Record, rng: Random) -> _Wish:
    days = rng.randint(2, 9)
    wording = rng.choice(
        (
            "Please keep my parcel from {sender} {days} days longer. What is the new last day?",
            "I need {days} more days for the {sender} parcel. Until when can I come then?",
            "Can the parcel {sender} sent wait another {days} days? Tell me the new date.",
        )
    )
    until = (date.fromisoformat(parcel["until"]) + timedelta(days=days)).isoformat()
    call = GoldenCall(name="keep_longer", arguments={"parcel": parcel["parcel"], "days": days})
    return _Wish("keep_longer", card, wording.format(**parcel, days=days), [call], [until])


def _move(card: str, parcel: Record, rng: Random) -> _Wish:
    locker = f"L{rng.randint(10, 9 + LOCKERS)}"
    while locker == parcel["locker"]:
        locker = f"L{rng.randint(10, 9 + LOCKERS)}"
    wording = rng.choice(
        (
            "Move my parcel from {sender} to locker {target}, please. What is the new code?",
            "I would rather collect the {sender} parcel at locker {target}. Which code opens it?",
            "Put what {sender} sent me into locker {target} and give me the code.",
        )
    )
    code = f"{parcel['seal'] * 37 % 9000 + 1000}"
    call = GoldenCall(name="move", arguments={"parcel": parcel["parcel"], "locker": locker})
    return _Wish("move", card, wording.format(**parcel, target=locker), [call], [code])


def _return(card: str, parcel: Record, rng: Random) -> _Wish:
    wording = rng.choice(
        (
            "Send my parcel from {sender} back. I need the receipt number.",
            "I do not want the {sender} parcel, return it and tell me the receipt.",
            "Please return what {sender} sent me and give me the receipt number.",
        )
    )
    call = GoldenCall(name="send_back", arguments={"parcel": parcel["parcel"]})
    return _Wish("send_back", card, wording.format(**parcel), [call], [f"R{parcel['seal']}"])


def _task(wish: _Wish, rng: Random) -> Task:
    card = rng.choice(("My card is {}.", "Card {}.", "I have card {}.")).format(wish.card)
    scenario = UserScenario(
        instructions=Instructions(domain=DOMAIN, reason_for_call=wish.wording, known_info=card),
    )
    calls = [GoldenCall(name="show_card", arguments={"card": wish.card}), *wish.calls]
    golden = [call.model_copy(update={"action_id": f"{place}"}) for place, call in enumerate(calls)]
    return Task(
        id=task_id(DOMAIN, scenario, golden, wish.facts),
        domain=DOMAIN,
        intent=wish.intent,
        user_scenario=scenario,
        golden_calls=golden,
        communicate_info=wish.facts,
    )


def _database(rng: Random) -> dict[str, Any]:
    members: dict[str, Record] = {}
    parcels: dict[str, Record] = {}
    lockers = {
        f"L{number}": {"locker": f"L{number}", "street": rng.choice(STREETS)} for number in range(10, 10 + LOCKERS)
    }
    numbers = iter(rng.sample(range(100, 999), 899))
    seals = iter(rng.sample(range(1000, 9999), 8999))
    for card in sorted(rng.sample(range(1000, 9999), MEMBERS)):
        senders = rng.sample(SENDERS, rng.choice((1, 1, 1, 2)))
        made = [_parcel(f"P{next(numbers)}", sender, next(seals), rng) for sender in senders]
        parcels |= {parcel["parcel"]: parcel for parcel in made}
        members[f"{card}"] = {"card": f"{card}", "parcels": [parcel["parcel"] for parcel in made]}
    return {"members": members, "parcels": parcels, "lockers": lockers}


def _parcel(key: str, sender: str, seal: int, rng: Random) -> Record:
    until = (NOW.date() + timedelta(days=rng.randint(1, 40))).isoformat()
    locker = f"L{rng.randint(10, 9 + LOCKERS)}"
    return {
        "parcel": key,
        "sender": sender,
        "locker": locker,
        "until": until,
        "seal": seal,
        "code": f"{rng.randint(1000, 9999)}",
        "status": "waiting",
    }


def _functions() -> list[FunctionSpec]:
    parcel = {"type": "string"}
    return [
        _function("show_card", "The parcels that wait for a member.", "read", card={"type": "string"}),
        _function("keep_longer", "Keep a parcel longer.", "write", parcel=parcel, days={"type": "integer"}),
        _function("move", "Move a parcel to another locker.", "write", parcel=parcel, locker={"type": "string"}),
        _function("send_back", "Send a parcel back.", "write", parcel=parcel),
    ]


def _function(name: str, description: str, kind: Any, **properties: Any) -> FunctionSpec:
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return FunctionSpec(name=name, description=description, kind=kind, parameters=parameters)
