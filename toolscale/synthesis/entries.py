"""Stage: entries. From the schema and its subjects to records that could be real.

The model answers once per subject. Programs check what programs can (schema, keys, references); a validator model
checks the paper's three conditions (Appendix, data synthesis prompts). What fails goes back with the reasons.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from pydantic import BaseModel

from toolscale.artifacts import Database, DatabaseSchema, Domain, Entry, Reject, Subject
from toolscale.artifacts.bounded_schema import errors_in, validator_of
from toolscale.llm import Gateway, MalformedAnswer, Unanswerable
from toolscale.prompts import render
from toolscale.synthesis.excerpt import excerpt
from toolscale.synthesis.sifted import Sifted
from toolscale.synthesis.tally import Told, unheard

ROUNDS = 3
"""How often a subject's records go back to the model before they are rejected."""


class EntriesAnswer(BaseModel):
    """What the teacher answers with: table -> key -> record."""

    entries: dict[str, dict[str, dict[str, Any]]]


class ValidationAnswer(BaseModel):
    """What the validator answers with."""

    condition_1: Literal["satisfied", "not satisfied"]
    condition_2: Literal["satisfied", "not satisfied"]
    condition_3: Literal["satisfied", "not satisfied"]
    reasons: list[str] = []

    def problems(self) -> list[str]:
        """Why the records are refused; empty if they are not."""
        conditions = (self.condition_1, self.condition_2, self.condition_3)
        failed = [f"condition {n}" for n, verdict in enumerate(conditions, 1) if verdict != "satisfied"]
        return [f"{', '.join(failed)} not satisfied", *self.reasons] if failed else []


async def write_entries(
    domain: Domain,
    subjects: Sequence[Subject],
    schema: DatabaseSchema,
    gateway: Gateway,
    *,
    per_subject: int = 40,
    seed: int = 0,
    told: Told = unheard,
) -> Sifted[Entry]:
    """Fill the database, subject by subject, each with what it may refer to before its eyes."""
    database: Database = {table: {} for table in schema.tables}
    kept: list[Entry] = []
    rejects: list[Reject] = []
    for done, subject in enumerate(subjects):
        told(done, len(subjects))
        answer, refused = await _subject_entries(domain, subject, schema, database, gateway, per_subject, seed)
        rejects += refused
        for table, records in answer.entries.items():
            database[table] |= records
            kept += [
                Entry(domain=domain.name, table=table, key=key, record=record, subject=subject.name)
                for key, record in records.items()
            ]
    told(len(subjects), len(subjects))
    return Sifted(kept, rejects)


async def _subject_entries(
    domain: Domain,
    subject: Subject,
    schema: DatabaseSchema,
    database: Database,
    gateway: Gateway,
    count: int,
    seed: int,
) -> tuple[EntriesAnswer, list[Reject]]:
    """One subject's records, accepted or sent back together; none if they were refused each time."""
    rejects: list[Reject] = []
    checked_by = "form"

    async def check(answer: EntriesAnswer) -> list[str]:
        nonlocal checked_by
        checked_by, problems = "program", list(entry_problems(answer.entries, schema, database))
        if not problems:
            checked_by, problems = (
                "validator",
                await _validate(domain, subject, schema, database, answer, gateway, seed),
            )
        return problems

    def refused(raw: str, reasons: list[str]) -> None:
        nonlocal checked_by
        rejects.append(Reject(domain=domain.name, stage="entries", check=checked_by, reasons=reasons, raw=raw))
        checked_by = "form"

    messages = render(
        "entries",
        domain=domain,
        subject=subject,
        schema=schema.json_schema,
        existing={table: sorted(records) for table, records in database.items() if records},
        examples=excerpt(schema, database, seed=f"{subject.name}:{seed}", size=30),
        count=count,
    )
    try:
        answer = await gateway.typed(
            "teacher",
            messages,
            EntriesAnswer,
            check=check,
            on_refused=refused,
            rounds=ROUNDS,
            stage="entries",
            domain=domain.name,
            seed=seed,
        )
    except Unanswerable as error:
        if not isinstance(error, MalformedAnswer):
            refused("", [str(error)])
        return EntriesAnswer(entries={}), rejects
    return answer, rejects


def entry_problems(answer: Database, schema: DatabaseSchema, database: Database) -> Iterator[str]:
    """What a program finds wrong with new records, given the database they are to join: one sentence a fault."""
    for table, records in answer.items():
        if table not in schema.tables:
            yield f"there is no table `{table}`"
            continue
        validator = validator_of(schema.tables[table], formats=True)
        key_field = schema.primary_keys[table]
        for key, record in records.items():
            for error in errors_in(validator, record):
                where = "/".join(str(part) for part in (table, key, *error.absolute_path))
                yield f"{where}: {error.message[:200]}"
            if record.get(key_field) != key:
                yield f"{table}/{key}: its `{key_field}` is {record.get(key_field)!r}, not its key"
            if key in database.get(table, {}):
                yield f"{table}/{key}: the key is taken"
    for reference in schema.references:
        known = database.get(reference.target_table, {}).keys() | answer.get(reference.target_table, {}).keys()
        for key, record in answer.get(reference.table, {}).items():
            value = record.get(reference.field)
            for target in value if isinstance(value, list) else [value]:
                if target is not None and not (isinstance(target, str) and target in known):
                    yield f"{reference.table}/{key}: `{reference.field}` {target!r} is not in {reference.target_table}"


async def _validate(
    domain: Domain,
    subject: Subject,
    schema: DatabaseSchema,
    database: Database,
    answer: EntriesAnswer,
    gateway: Gateway,
    seed: int,
) -> list[str]:
    messages = render(
        "validation",
        domain=domain,
        subject=subject,
        schema=schema.json_schema,
        entries=answer.entries,
        referenced=_referenced(answer.entries, schema, database),
    )
    verdict = await gateway.typed(
        "validator", messages, ValidationAnswer, stage="validation", domain=domain.name, seed=seed
    )
    return verdict.problems()


def _referenced(answer: Database, schema: DatabaseSchema, database: Database) -> Database:
    """The existing records that new ones refer to."""
    found: Database = {}
    for reference in schema.references:
        for record in answer.get(reference.table, {}).values():
            value = record.get(reference.field)
            for key in value if isinstance(value, list) else [value]:
                if isinstance(key, str) and key in database.get(reference.target_table, {}):
                    found.setdefault(reference.target_table, {})[key] = database[reference.target_table][key]
    return found
