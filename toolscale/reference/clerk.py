"""The offline model as the teacher and validator of the environment stages: subjects, schema, entries, functions.

First answers err now and then, and the correction comes when the factory sends them back with the reasons.
"""

import copy
import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Any

from toolscale.artifacts import Database, DatabaseSchema
from toolscale.errors import UserError
from toolscale.messages import Message
from toolscale.reference.domain import ReferenceDomain, reference_domain
from toolscale.reference.voices import GREETS, VOICES
from toolscale.templates.template import Pen, render

SPOILED = 0.3
"""The chance that a subject's records hold a fault when they are first sent."""

BOTCHED = 0.15
"""The chance that a function's source, or a task program, holds a fault when it is first sent."""

_SENTENCE = re.compile(r"[A-Z](?:[a-z']+)? ")
"""Matches a beginning with a capital letter, which some people do without; an id is none."""


def subjects(domain: ReferenceDomain, seed: int) -> dict[str, Any]:
    """The domain's subjects."""
    return {"subjects": list(_world(domain.name, seed))}


def schema(domain: ReferenceDomain, seed: int) -> dict[str, Any]:
    """The domain's schema, and how many records its world has."""
    return {"database_schema": domain.schema, "records": sizes(domain, seed)}


def sizes(domain: ReferenceDomain, seed: int) -> dict[str, dict[str, int]]:
    """How many records the domain's world has: subject -> table -> number."""
    world = _world(domain.name, seed)
    return {name: {table: len(each) for table, each in tables.items() if each} for name, tables in world.items()}


def entries(
    domain: ReferenceDomain, subject: str, seed: int, *, part: int = 1, of: int = 1, sent_back: bool
) -> dict[str, Any]:
    """A part of a subject's records, perhaps spoiled if they are sent for the first time.

    Whatever number is asked for, the parts together are the subject's records in the world.

    Raises:
        UserError: it is not one of the domain's subjects.
    """
    world = _world(domain.name, seed)
    if subject not in world:
        raise UserError(f"the offline model has no subject `{subject}` in `{domain.name}`; it has {', '.join(world)}")
    records = _part_of(domain, world[subject], part, of)
    rng = Random(f"{seed}:{subject}:{part}")
    if not sent_back and rng.random() < SPOILED:
        _spoil(domain, records, rng)
    return {"entries": records}


def validation(domain: ReferenceDomain, records: Database) -> dict[str, Any]:
    """The validator's verdict: programs have checked the form, so what it can find is what is implausible."""
    faults = [_named(records, said) for said in domain.implausible(records)]
    return {
        "condition_1": "satisfied",
        "condition_2": "satisfied",
        "condition_3": "not satisfied" if faults else "satisfied",
        "faults": faults,
    }


def functions_plan(domain: ReferenceDomain) -> dict[str, Any]:
    """The domain's policy and what its functions are."""
    return {
        "policy": domain.policy,
        "functions": [function.spec().model_dump(mode="json") for function in domain.functions],
    }


def function(domain: ReferenceDomain, name: str, seed: int, *, sent_back: bool) -> dict[str, Any]:
    """A function's source, perhaps with a fault if it is sent for the first time."""
    source = next(function.source for function in domain.functions if function.name == name)
    rng = Random(f"{seed}:{name}")
    if not sent_back and rng.random() < BOTCHED:
        source = re.sub(r"raise ValueError\((?=.)", "raise KeyError(", source)
    return {"source": source, "examples": []}


def rules(domain: ReferenceDomain) -> dict[str, Any]:
    """The policy's rules as predicates, each with its examples. There is none that only a judge could check."""
    return {"source": domain.rules, "examples": domain.rule_examples, "not_checkable": []}


def judgement() -> dict[str, Any]:
    """What a judge says of golden calls: the programs that wrote them keep the whole policy."""
    return {"broken": []}


def intents(domain: ReferenceDomain, least: int) -> dict[str, Any]:
    """The purposes that the domain's programs serve.

    Raises:
        UserError: there are fewer than a build needs.
    """
    if (count := len(domain.programs)) < least:
        raise UserError(
            f"`{domain.name}` has {count} programs; a build needs at least {least} intents, so write {least - count} "
            f"more (or rehearse it with python -m tests.reference.rehearsal {domain.name})"
        )
    return {"intents": [program.intent for program in domain.programs]}


def programs(domain: ReferenceDomain, purpose: str, seed: int, *, times_sent_back: int) -> dict[str, Any]:
    """The task program for a purpose, perhaps with a fault if it is sent for the first time.

    Each time that it comes back its wordings stand in another order: whoever misread one task may read the next.
    """
    program = next((each for each in domain.task_programs if each.intent == purpose), None)
    if program is None:
        return {"infeasible": f"no task program of `{domain.name}` serves this purpose"}
    draft = program.model_dump(mode="json", exclude={"id", "domain", "intent"})
    turned = times_sent_back % len(program.wordings)
    draft["wordings"] = [*draft["wordings"][turned:], *draft["wordings"][:turned]]
    rng = Random(f"{seed}:{purpose}")
    if not times_sent_back and rng.random() < BOTCHED:
        if rng.random() < 1 / 2:
            draft["wordings"] = draft["wordings"][:2]
        else:
            draft["source"] = draft["source"].replace('call("', 'call("look_up_', 1)
    return draft


def rewording(domain: ReferenceDomain, shown: Sequence[Mapping[str, Any]], seed: int) -> dict[str, Any]:
    """The requests in a voice, as far as its agent reads them back: with a greeting, or as they were."""
    return {"requests": [{"number": each["number"], "text": _greeting(each, seed)} for each in shown]}


def _greeting(shown: Mapping[str, Any], seed: int) -> str:
    """The marked text after the greeting of somebody who writes so, if it does not begin with one."""
    marked, first = str(shown["now"]), shown["now"].partition("{1}")[0] or shown["pieces"]["1"]
    if GREETS.match(first):
        return marked
    voice = VOICES["plain" if _SENTENCE.match(first) else "terse"]
    greeting = render(voice.openings, {}, Pen(Random(f"{seed}:{marked}:{shown['pieces']}")))
    return f"{greeting} {marked}".lstrip()


def json_block(text: str, label: str) -> Any:
    """The JSON in the fenced block that follows a label.

    Raises:
        UserError: the prompt has no such block.
    """
    _, found, rest = text.partition(label)
    block = rest.partition("```json")[2].partition("```")[0]
    if not found or not block:
        raise UserError(f"the offline model finds no JSON after `{label}` in this prompt; has prompts/ been changed?")
    return json.loads(block)


def _named(records: Database, said: str) -> dict[str, str]:
    """The fault with the record that the sentence names first."""
    named = [(said.find(key), -len(key), table, key) for table, each in records.items() for key in each if key in said]
    _, _, table, key = min(named, key=lambda found: (found[:2], not said.startswith(found[2])))
    return {"table": table, "key": key, "reason": said}


def was_sent_back(messages: Sequence[Message]) -> bool:
    """Whether the model has answered before and is asked to correct itself."""
    return any(message["role"] == "assistant" for message in messages)


@lru_cache(maxsize=16)
def _world(name: str, seed: int) -> Mapping[str, Database]:
    return reference_domain(name).world(seed)


@lru_cache
def _in_order(name: str) -> list[str]:
    return DatabaseSchema(domain=name, json_schema=reference_domain(name).schema).in_order


def _part_of(domain: ReferenceDomain, records: Database, part: int, of: int) -> Database:
    """One of so many runs through the records, tables in the order of their references."""
    run = [(table, key) for table in _in_order(domain.name) for key in records.get(table, {})]
    found: Database = {}
    for table, key in run[len(run) * (part - 1) // of : len(run) * part // of]:
        found.setdefault(table, {})[key] = copy.deepcopy(records[table][key])
    return found


def _spoil(domain: ReferenceDomain, records: Mapping[str, Any], rng: Random) -> None:
    """One of the faults that models make: a field left out, a reference to nowhere, or something implausible."""
    kind = rng.choice(("missing field", "dangling reference", "implausible"))
    table = rng.choice([name for name, each in records.items() if each])
    key = rng.choice(sorted(records[table]))
    fields = domain.schema["properties"][table]["additionalProperties"]["properties"]
    pointing = [field for field, rules in fields.items() if "x-references" in rules]
    if kind == "dangling reference" and pointing:
        records[table][key][rng.choice(pointing)] = "XX-00000"
    elif kind == "missing field":
        del records[table][key][rng.choice(sorted(records[table][key]))]
    else:
        domain.blemish(dict(records), rng)
