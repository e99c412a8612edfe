"""A domain that no reference covers, and a model that answers for it: a city's hire of bicycles.

The model errs where models err: its first schema refers to a table that is not there, its records to ones that are not
there, a function of its forgets what it is to refuse, JSON comes in fences and with thoughts before it.
"""

import copy
import json
import re
from zlib import crc32

from tests.openai_server import tool_call

DESCRIPTION = "Bicycles that riders take at one station of a city and bring back to another."


def _table(key, **fields):
    record = {"type": "object", "properties": fields, "required": sorted(fields), "additionalProperties": False}
    fields[key]["x-primary-key"] = True
    return {"type": "object", "additionalProperties": record}


def _text(references=None, **rules):
    return {"type": "string", **({"x-references": references} if references else {}), **rules}


MONEY = {"type": "number", "minimum": 0}

SCHEMA = {
    "type": "object",
    "properties": {
        "stations": _table("station_id", station_id=_text(), name=_text(), docks={"type": "integer", "minimum": 1}),
        "bikes": _table(
            "bike_id",
            bike_id=_text(),
            station_id={"type": ["string", "null"], "x-references": "stations.station_id"},
            kind={"enum": ["city", "electric"]},
            charge={"type": "integer", "minimum": 0, "maximum": 100},
            hourly_rate=dict(MONEY),
            status={"enum": ["free", "rented", "broken"]},
        ),
        "riders": _table("rider_id", rider_id=_text(), name=_text(), balance=dict(MONEY)),
        "rentals": _table(
            "rental_id",
            rental_id=_text(),
            rider_id=_text("riders.rider_id"),
            bike_id=_text("bikes.bike_id"),
            started=_text(),
            fee=dict(MONEY),
            status={"enum": ["open", "ended"]},
        ),
    },
}
BAD_SCHEMA = json.loads(json.dumps(SCHEMA).replace("bikes.bike_id", "bicycles.bike_id"))


def _bike(number, station, kind, charge, rate, status="free"):
    fields = ("bike_id", "station_id", "kind", "charge", "hourly_rate", "status")
    return dict(zip(fields, (f"B-{number}", station, kind, charge, rate, status), strict=True))


def _rental(number, rider, bike, started, fee, status):
    fields = ("rental_id", "rider_id", "bike_id", "started", "fee", "status")
    return dict(zip(fields, (f"T-{number}", rider, bike, started, fee, status), strict=True))


ENTRIES = {
    "stations and bicycles": {
        "stations": {
            "S-1": {"station_id": "S-1", "name": "Old Market", "docks": 12},
            "S-2": {"station_id": "S-2", "name": "Harbour", "docks": 8},
        },
        "bikes": {
            "B-1": _bike(1, "S-1", "electric", 64, 3.2),
            "B-2": _bike(2, None, "city", 0, 1.8, "rented"),
            "B-3": _bike(3, "S-1", "electric", 91, 3.4),
            "B-4": _bike(4, "S-2", "city", 0, 1.8),
            "B-5": _bike(5, "S-1", "city", 0, 1.6),
            "B-6": _bike(6, "S-2", "electric", 12, 3.2, "broken"),
        },
    },
    "riders": {
        "riders": {
            "P-1": {"rider_id": "P-1", "name": "Ines Duarte", "balance": 22.4},
            "P-2": {"rider_id": "P-2", "name": "Tomasz Zielinski", "balance": 9.1},
            "P-3": {"rider_id": "P-3", "name": "Oona Virtanen", "balance": 3.25},
        }
    },
    "rentals": {
        "rentals": {
            "T-1": _rental(1, "P-1", "B-1", "2026-11-20 16:10", 6.75, "ended"),
            "T-2": _rental(2, "P-2", "B-2", "2026-11-23 06:30", 0.0, "open"),
            "T-3": _rental(3, "P-3", "B-4", "2026-11-21 08:00", 2.7, "ended"),
        }
    },
}
SUBJECTS = list(ENTRIES)

PATIENCE = "Be patient with riders who are late."
POLICY = (
    "A ride starts with a balance of at least 5. A bicycle is brought back to any station. Top-ups are 5 to 100. "
    f"{PATIENCE}"
)


def _function(name, kind, description, /, **properties):
    parameters = {"type": "object", "properties": properties, "required": sorted(properties)}
    return {"name": name, "kind": kind, "description": description, "parameters": parameters}


PLAN = [
    _function("get_rider", "read", "One rider, with the balance.", rider_id=_text()),
    _function("get_rental", "read", "One rental, with its fee.", rental_id=_text()),
    _function(
        "find_bikes",
        "read",
        "The free bicycles of a kind at a station.",
        station_id=_text(),
        kind={"enum": ["city", "electric"]},
    ),
    _function("start_rental", "write", "Give a free bicycle to a rider.", rider_id=_text(), bike_id=_text()),
    _function("end_rental", "write", "Take a bicycle back at a station.", rental_id=_text(), station_id=_text()),
    _function("top_up", "write", "Add to a rider's balance.", rider_id=_text(), amount={"type": "integer"}),
    _function("plan_route", "read", "The way between two stations.", start=_text(), end=_text()),
]

SOURCES = {
    "get_rider": """
def get_rider(db, rider_id):
    if rider_id not in db["riders"]:
        raise ValueError(f"there is no rider {rider_id}")
    return db["riders"][rider_id]
""",
    "get_rental": """
def get_rental(db, rental_id):
    if rental_id not in db["rentals"]:
        raise ValueError(f"there is no rental {rental_id}")
    return db["rentals"][rental_id]
""",
    "find_bikes": """
def find_bikes(db, station_id, kind):
    if station_id not in db["stations"]:
        raise ValueError(f"there is no station {station_id}")
    at_station = [bike for bike in db["bikes"].values() if bike["station_id"] == station_id]
    return [bike for bike in at_station if bike["kind"] == kind and bike["status"] == "free"]
""",
    "start_rental": """
def start_rental(db, rider_id, bike_id):
    from datetime import datetime

    if rider_id not in db["riders"] or bike_id not in db["bikes"]:
        raise ValueError("rider or bicycle unknown: look them up first")
    bike = db["bikes"][bike_id]
    if bike["status"] != "free":
        raise ValueError(f"{bike_id} is {bike['status']}")
    if db["riders"][rider_id]["balance"] < 5:
        raise ValueError("the balance is below 5: top up first")
    rental_id = f"T-{len(db['rentals']) + 1}"
    started = datetime.now().strftime("%Y-%m-%d %H:%M")
    bike["status"], bike["station_id"] = "rented", None
    db["rentals"][rental_id] = {
        "rental_id": rental_id, "rider_id": rider_id, "bike_id": bike_id,
        "started": started, "fee": 0.0, "status": "open",
    }
    return db["rentals"][rental_id]
""",
    "end_rental": """
def end_rental(db, rental_id, station_id):
    from datetime import datetime

    if rental_id not in db["rentals"] or station_id not in db["stations"]:
        raise ValueError("rental or station unknown")
    rental = db["rentals"][rental_id]
    if rental["status"] != "open":
        raise ValueError(f"{rental_id} has ended already")
    bike = db["bikes"][rental["bike_id"]]
    hours = (datetime.now() - datetime.strptime(rental["started"], "%Y-%m-%d %H:%M")).total_seconds() / 3600
    rental["fee"], rental["status"] = round(hours * bike["hourly_rate"], 2), "ended"
    bike["status"], bike["station_id"] = "free", station_id
    db["riders"][rental["rider_id"]]["balance"] -= rental["fee"]
    return rental
""",
    "top_up": """
def top_up(db, rider_id, amount):
    if rider_id not in db["riders"]:
        raise ValueError(f"there is no rider {rider_id}")
    if not isinstance(amount, int) or not 5 <= amount <= 100:
        raise ValueError("a top-up is between 5 and 100")
    db["riders"][rider_id]["balance"] += amount
    return db["riders"][rider_id]
""",
    "plan_route": """
def plan_route(db, start, end):
    import requests

    return requests.get("https://maps.example").json()
""",
}
BAD_SOURCES = {
    "start_rental": "def start_rental(db, rider_id, bike_id):\n    return db['bikes'][bike_id]['status']",
    "end_rental": SOURCES["end_rental"].replace("raise ValueError", "raise KeyError"),
}

RULES = '''
def rides_start_with_a_balance(before, call, after):
    """A ride starts with a balance of at least 5."""
    for key, rental in after["rentals"].items():
        balance = before["riders"][rental["rider_id"]]["balance"]
        if key not in before["rentals"] and balance < 5:
            return f"{rental['rider_id']} had {balance}"


def top_ups_within_bounds(before, call, after):
    """Top-ups are 5 to 100."""
    if call["name"] == "top_up":
        amount = call["arguments"]["amount"]
        if amount < 5 or amount > 100:
            return f"a top-up of {amount}"
'''
BAD_RULES = RULES.replace("balance < 5", "balance < 3")


def _ride(rider):
    call = {"name": "start_rental", "arguments": {"rider_id": rider, "bike_id": "B-4"}}
    rental = _rental(9, rider, "B-4", "2026-11-23 09:00", 0.0, "open")
    return {"calls": [call], "changes": {"rentals": {"T-9": rental}, "bikes": {"B-4": {"status": "rented"}}}}


def _top_up(amount):
    call = {"name": "top_up", "arguments": {"rider_id": "P-3", "amount": amount}}
    return {"calls": [call], "changes": {"riders": {"P-3": {"balance": 3.25 + amount}}}}


RULE_EXAMPLES = [
    {"rule": "rides_start_with_a_balance", "breaks": _ride("P-3"), "keeps": _ride("P-2")},
    {"rule": "top_ups_within_bounds", "breaks": _top_up(101), "keeps": _top_up(100)},
]

INTENTS = [
    "bring a bicycle back",
    "rent the best charged electric bicycle of a station",
    "top up a balance",
    "find out what a past ride was charged",
    "complain about the weather",
    *(f"rent a bicycle and compare {what}" for what in ("rates", "stations", "kinds", "charges", "rides", "docks")),
    "bring a bicycle back and top up",
]


def _draft(reason, *calls, tell=(), **others):
    return {
        "persona": "Brief and friendly.",
        "reason_for_call": reason,
        "golden_calls": [{"name": name, "arguments": arguments} for name, arguments in calls],
        "communicate_info": list(tell),
        **others,
    }


END = ("end_rental", {"rental_id": "T-2", "station_id": "S-2"})
FIND = ("find_bikes", {"station_id": "S-1", "kind": "electric"})
START = ("start_rental", {"rider_id": "P-1", "bike_id": "B-3"})

BRING_BACK = _draft("I am rider P-2. Please end my rental T-2 at station S-2; what is the fee?", END, tell=["4.50"])
RENT = _draft(
    "I am rider P-1. Rent me the electric bicycle at station S-1 with the most charge.", FIND, START, tell=["T-4"]
)
TOP_UP = _draft(
    "I am rider P-3. Add 15 to my balance and tell me what I have then.",
    ("top_up", {"rider_id": "P-3", "amount": 15}),
    tell=["18.25"],
)
ASK = _draft("I am rider P-1. Was my rental T-1 really 6.75?", ("get_rental", {"rental_id": "T-1"}), tell=["6.75"])
BRING_BACK_AND_TOP_UP = _draft(
    "I am rider P-2. End my rental T-2 at station S-2, tell me the fee, and add 20 to my balance.",
    END,
    ("top_up", {"rider_id": "P-2", "amount": 20}),
    tell=["4.50"],
    operator="second_goal",
    added="a second goal",
)
RENT_IF = _draft(
    "I am rider P-1. Rent me the electric bicycle at station S-1 with the most charge, if that is 80 or more.",
    FIND,
    START,
    tell=["T-4"],
    operator="condition",
    added="a condition",
)
DRAFTS = dict(
    zip(INTENTS, (BRING_BACK, RENT, TOP_UP, ASK, {"infeasible": "nothing can be done about it"}), strict=False)
)
EVOLVED = {
    BRING_BACK["reason_for_call"]: BRING_BACK_AND_TOP_UP,
    RENT["reason_for_call"]: RENT_IF,
    TOP_UP["reason_for_call"]: "I would rather talk about the weather.",
}
CONVERSATIONS = {
    draft["reason_for_call"]: draft for draft in (BRING_BACK, RENT, TOP_UP, BRING_BACK_AND_TOP_UP, RENT_IF)
}

DEFT = "deft"
"""The model that, as the agent, solves everything; any other name solves some, and never the rental on a condition."""


def model(request):
    """What the model answers: a text, a message, or a value that goes out as JSON."""
    messages = request["messages"]
    system, asked = messages[0]["content"], "\n".join(m["content"] for m in messages if m["role"] == "user")
    head = dict(re.findall(r"^(Stage|Subject|Function): (.+)$", f"{system}\n{asked}", re.MULTILINE))
    first = not any(message["role"] == "assistant" for message in messages)
    match head.get("Stage", "agent"):
        case "subjects":
            return json.dumps({"subjects": ["riders", "Riders"] if first else SUBJECTS})
        case "schema":
            records = {subject: {table: len(of) for table, of in tables.items()} for subject, tables in ENTRIES.items()}
            return json.dumps({"database_schema": BAD_SCHEMA if first else SCHEMA, "records": records})
        case "entries":
            return json.dumps({"entries": _records(head["Subject"], first)})
        case "validation":
            return json.dumps(_verdict(asked))
        case "functions_plan":
            plan = json.dumps({"policy": POLICY, "functions": PLAN}, indent=1)
            return f"Here is the plan:\n```json\n{plan}\n```\nI hope that it helps."
        case "function":
            name = head["Function"]
            sources = {**SOURCES, **BAD_SOURCES} if first else SOURCES
            return json.dumps({"source": sources[name]})
        case "rules":
            source = BAD_RULES if first else RULES
            return json.dumps({"source": source, "examples": RULE_EXAMPLES, "not_checkable": [PATIENCE]})
        case "intents":
            intents = json.dumps({"intents": INTENTS[:4] if first else INTENTS})
            return f"<think>What do they come for? {{}}</think>\n{intents}"
        case "programs" | "policy" as stage:
            return {"programs": "I write no programs.", "policy": json.dumps({"broken": []})}[stage]
        case "tasks":
            return _propose(re.search(r"with this intent: (.+)$", asked, re.MULTILINE)[1], messages)
        case "evolution":
            evolved = next(new for old, new in EVOLVED.items() if json.dumps(old) in asked.partition("Old task:")[2])
            return evolved if isinstance(evolved, str) else json.dumps(evolved)
        case "agent":
            return _serve(request, asked)
    raise AssertionError(f"nobody wrote an answer for {head}")


def _records(subject, first):
    """A subject's records; at first, rentals of a bicycle that is not there, and a rider with an absurd balance."""
    records = copy.deepcopy(ENTRIES[subject])
    if first and subject == "rentals":
        records["rentals"]["T-3"]["bike_id"] = "B-99"
    if first and subject == "riders":
        records["riders"]["P-2"]["balance"] = 910000.0
    return records


def _verdict(asked):
    absurd = "910000" in asked.partition("New records")[2]
    conditions = {f"condition_{number}": "satisfied" for number in (1, 2)}
    faults = [{"table": "riders", "key": "P-2", "reason": "nobody has such a balance"}] if absurd else []
    return {**conditions, "condition_3": "not satisfied" if absurd else "satisfied", "faults": faults}


def _propose(intent, messages):
    """A draft: for one intent after looking around, for another only when sent back, else at once."""
    draft = DRAFTS[intent]
    seen = sum(message["role"] == "tool" for message in messages)
    if draft is RENT and seen < 2:
        name, arguments = (FIND, START)[seen]
        return {"tool_calls": [tool_call(name, json.dumps(arguments), f"call_{seen}")]}
    if draft is TOP_UP and messages[-1]["role"] == "user" and "not accepted" not in messages[-1]["content"]:
        return json.dumps({**draft, "golden_calls": "top_up(P-3, 15)"})
    return f"```json\n{json.dumps(draft)}\n```"


def _serve(request, asked):
    """The agent: the golden calls one after the other, and then what came of it."""
    draft, deft = CONVERSATIONS[asked.strip()], request["model"] == DEFT
    careless = draft in (BRING_BACK, BRING_BACK_AND_TOP_UP) and crc32(str(request["seed"]).encode()) % 3 == 0
    if not deft and (careless or draft is RENT_IF):
        return "That is noted, goodbye."
    done = sum(message["role"] == "tool" for message in request["messages"])
    if done < len(draft["golden_calls"]):
        call = draft["golden_calls"][done]
        return {"tool_calls": [tool_call(call["name"], json.dumps(call["arguments"]), f"call_{done}")]}
    return f"Done: {', '.join(draft['communicate_info'])}."
