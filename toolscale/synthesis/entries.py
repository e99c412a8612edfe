"""Stage: entries. From the schema and its subjects to records that could be real.

The model answers once per part of a subject, what is referred to before what refers to it. Programs check what programs
can (schema, keys, references, how all is spread), a validator model the rest. What fails goes back with the reasons, a
few times; then the records that the reasons name are left out, and only these.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from toolscale.artifacts import Database, DatabaseSchema, Domain, Entry, Reject, Subject
from toolscale.errors import UserError
from toolscale.llm import MalformedAnswer, Unanswerable
from toolscale.printable import in_one_line
from toolscale.prompts import render
from toolscale.synthesis.neighbours import neighbours, so_far
from toolscale.synthesis.parts import Part, parts_of
from toolscale.synthesis.records import Fault, record_faults, without
from toolscale.synthesis.run import DomainRun
from toolscale.synthesis.sifted import Sifted
from toolscale.synthesis.spread import shortfalls
from toolscale.synthesis.validation import Unheard, validator_faults

ROUNDS = 3
"""How often a part's records are asked for before those that are still at fault are left out."""

UNPLANNED = 40
"""About so many records are asked for of a subject of which the schema says nothing."""

TOO_FEW = 2 / 3
"""Fewer of the records asked for are sent back."""


class DatabaseGap(UserError):  # noqa: N818 - the name says what there is
    """A subject brought no records, or a table has none, though the schema does not say that it may."""

    def __init__(self, domain: str, gaps: Sequence[str], rejects: list[Reject]) -> None:
        super().__init__(
            f"`{domain}` stops at its entries: {'; '.join(gaps)}. See what was answered with `toolscale traces "
            f"--domain {domain} --stage entries` (or `validation`), and run again with another seed, or with another "
            "model for the teacher or the validator"
        )
        self.rejects = rejects
        """All that was refused in the domain."""


class EntriesAnswer(BaseModel):
    """What the teacher answers with: table -> key -> record."""

    entries: dict[str, dict[str, dict[str, Any]]]


async def write_entries(run: DomainRun, subjects: list[Subject], schema: DatabaseSchema) -> Sifted[Entry]:
    """The records that fill the database; refused ones are kept beside them, with the reasons.

    The teacher writes them part by part, referenced records first. Programs check schema, keys, references and
    distribution; the validator checks that the content is natural and consistent. What fails goes back a few times,
    and then the faulty records are left out. The check `spread` reports what falls short in the end. A subject or a
    table without records stops the domain.

    Raises:
        DatabaseGap: a subject brought no records, or a table ended empty.
        GatewayError: a model could not be had.
    """
    domain = run.domain
    database: Database = {table: {} for table in schema.tables}
    kept: list[Entry] = []
    rejects: list[Reject] = []
    missed: dict[str, list[Reject]] = {}
    dropped = 0
    parts = parts_of(subjects, schema, run.settings.entries_scale)
    for done, part in enumerate(parts):
        run.told(done, len(parts), {"records": len(kept), "dropped": dropped})
        writing = _Writing(run, part, schema, database)
        records = await writing.records()
        rejects += writing.rejects
        dropped += writing.dropped
        if writing.failed:
            missed[part.subject.name] = writing.rejects
        for table, of_table in records.items():
            database[table] |= of_table
            kept += [
                Entry(domain=domain.name, table=table, key=key, record=record, subject=part.subject.name)
                for key, record in of_table.items()
            ]
    brought = {entry.subject for entry in kept}
    gaps = [
        f"the subject `{subject}` brought no records{_last_word(why)}"
        for subject, why in missed.items()
        if subject not in brought
    ]
    run.told(len(parts), len(parts), {"records": len(kept), "dropped": dropped})
    gaps += [
        f"the table `{table}` has no records{_last_word(rejects, table)}"
        for table in schema.tables
        if not database[table] and table not in schema.may_be_empty
    ]
    if gaps:
        raise DatabaseGap(domain.name, gaps, rejects)
    if short := _short_in_the_end(parts, schema, database, domain):
        rejects.append(Reject(domain=domain.name, stage="entries", check="spread", reasons=short))
    return Sifted(kept, rejects)


def _short_in_the_end(parts: Sequence[Part], schema: DatabaseSchema, database: Database, domain: Domain) -> list[str]:
    """In which figures the database still falls short of what was asked for, though its records are kept."""
    wanted: Counter[str] = Counter()
    for part in parts:
        wanted.update(part.wanted)
    spread = shortfalls(schema, database, {}, domain.now, judged=schema.tables, finished=schema.tables)
    return [*_too_few(wanted, database), *spread]


def _too_few(wanted: Mapping[str, int], records: Database) -> Iterator[str]:
    for table, number in wanted.items():
        if (written := len(records.get(table, {}))) < TOO_FEW * number:
            yield f"there are {written} new `{table}` of {number} that are wanted: write the others, too"


class _Writing:
    """One part's records, from the first answer to those that are kept."""

    def __init__(self, run: DomainRun, part: Part, schema: DatabaseSchema, database: Database) -> None:
        self.rejects: list[Reject] = []
        self.dropped = 0
        """Records that were written, and left out in the end."""
        self.failed = False
        """Whether nothing is left, or nothing ever came."""
        self._run, self._part, self._schema, self._database = run, part, schema, database
        self._read: tuple[Database, list[Fault], str] | None = None
        """The latest records that had the form, what was wrong with them, and by which check."""
        self._check = "form"
        self._whole: Reject | None = None
        """The latest reject, where it is of an answer that had the form."""
        self._heard = False
        """Whether the writer was told in which figures its records fall short: once, since a rewrite costs them all."""

    async def records(self) -> Database:
        """The part's records: all of an accepted answer, else those of the last one that nothing speaks against."""
        tables = list(self._part.wanted or self._schema.in_order)
        messages = render(
            "entries",
            domain=self._run.domain,
            schema=self._schema.json_schema,
            may_be_empty=sorted(self._schema.may_be_empty),
            neighbours=neighbours(self._schema, self._database, tables, seed=str(self._run.seed)),
            so_far=so_far(self._schema, self._database, tables, self._run.domain.now),
            subject=self._part.subject,
            part=self._part,
            count=UNPLANNED,
        )
        kept: Database = {}
        try:
            answer: EntriesAnswer = await self._run.typed(
                "entries", messages, EntriesAnswer, check=self._problems, on_refused=self._refused, rounds=ROUNDS
            )
            return answer.entries
        except Unheard as error:
            self._nobody_vouches(error)
        except MalformedAnswer:
            kept = await self._rest()
        except Unanswerable as error:
            self._reject(error.kind, error.reasons)
            kept = await self._rest()
        self.failed = not kept
        return kept

    async def _problems(self, answer: EntriesAnswer) -> list[str]:
        """What is wrong with an answer that has the form; the teacher is told."""
        records = answer.entries
        faults = list(record_faults(records, self._schema, self._database))
        written = any(records.values())
        told = [] if written or self._schema.may_be_empty else ["there are no records: write some"]
        short = self._short(records) if written and not self._heard else []
        self._heard = self._heard or bool(short)
        self._check = "spread" if short and not faults else "program"
        if written and not faults and not short:
            self._check = "validator"
            told, faults = await self._judged(records)
        self._read = records, faults, self._check
        return [*told, *(fault.said for fault in faults), *short]

    def _short(self, records: Database) -> list[str]:
        """In which figures the records fall short of what was asked for."""
        spread = shortfalls(
            self._schema,
            records,
            self._database,
            self._run.domain.now,
            judged=self._part.alone,
            finished=self._part.finished,
        )
        return [*_too_few(self._part.wanted, records), *spread]

    def _refused(self, raw: str, reasons: list[str]) -> None:
        self._reject(self._check, reasons, raw)
        self._whole = self.rejects[-1] if self._check != "form" else None
        self._check = "form"

    async def _rest(self) -> Database:
        """What is left of the latest records without those at fault, which are refused one by one."""
        if self._read is None:
            return {}
        records, faults, check = self._read
        if self.rejects and self.rejects[-1] is self._whole:
            self.rejects.pop()  # told record by record instead
        kept = self._leave_out(records, faults, check)
        if kept and check != "validator":
            try:
                _, faults = await self._judged(kept)
            except Unheard as error:
                self._nobody_vouches(error)
                return {}
            kept = self._leave_out(kept, faults, "validator")
        return kept

    async def _judged(self, records: Database) -> tuple[list[str], list[Fault]]:
        return await validator_faults(self._run, self._part.subject, self._schema, self._database, records)

    def _leave_out(self, records: Database, faults: list[Fault], check: str) -> Database:
        kept, dropped = without(records, faults, self._schema, self._database)
        named = {(fault.table, fault.key) for fault in faults}
        for (table, key), reasons in dropped.items():
            by = check if {(table, key), (table, None)} & named else "program"
            raw = {"table": table, "key": key, "record": records[table][key]}
            self._reject(by, reasons, raw)
        self.dropped += len(dropped)
        return kept

    def _nobody_vouches(self, error: Unheard) -> None:
        """The records were not shown to be wrong; but what nobody has judged does not enter the database."""
        for failure in error.failures:
            self._reject(f"validator_{failure.kind}", failure.reasons, failure.raw or None)
        self._reject(f"validator_{error.failures[-1].kind}", [str(error)], error.records)
        self.dropped += sum(map(len, error.records.values()))

    def _reject(self, check: str, reasons: Sequence[str], raw: Any = None) -> None:
        domain = self._run.domain.name
        self.rejects.append(Reject(domain=domain, stage="entries", check=check, reasons=list(reasons), raw=raw))


def _last_word(rejects: Sequence[Reject], table: str = "") -> str:
    """Why the latest records were refused, of a table if one is named; nothing if none were."""
    about = [each for each in rejects if not table or (isinstance(each.raw, dict) and each.raw.get("table") == table)]
    return f" (the last reason: {in_one_line('; '.join(about[-1].reasons))[:300]})" if about else ""
