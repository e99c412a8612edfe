"""The validator's part in the stage entries: the paper's three conditions (Appendix, data synthesis prompts).

A validator may fail as a teacher may: refuse, or never answer in the form. That says nothing about the records.
"""

from collections.abc import Iterator
from typing import Literal

from pydantic import BaseModel

from toolscale.artifacts import Database, DatabaseSchema, Subject
from toolscale.llm import MalformedAnswer, Refused, Unanswerable
from toolscale.prompts import render
from toolscale.synthesis.records import Fault, referred_to
from toolscale.synthesis.run import DomainRun

HEARINGS = 2
"""How often the validator is asked about the same records, each time anew, before nobody vouches for them."""

_Verdict = Literal["satisfied", "not satisfied"]


class NamedFault(BaseModel):
    """A fault of one record, or of all records of a table where the key is empty."""

    table: str
    key: str = ""
    reason: str


class ValidationAnswer(BaseModel):
    """What the validator answers with."""

    condition_1: _Verdict
    condition_2: _Verdict
    condition_3: _Verdict
    faults: list[NamedFault] = []

    @property
    def failed(self) -> list[int]:
        """The numbers of the conditions that do not hold."""
        conditions = (self.condition_1, self.condition_2, self.condition_3)
        return [number for number, verdict in enumerate(conditions, 1) if verdict != "satisfied"]


UNSATISFIED = {
    1: "a reader finds fields or types that the schema does not have",
    2: "a reader finds that what is said in several places does not agree",
    3: "a reader finds what is not logical, natural or plausible",
}
"""Number of a condition that does not hold -> what its writer is told, who does not know the numbers."""


class Unheard(Exception):  # noqa: N818 - the name says what happened
    """The validator was asked as often as it may be, and never judged the records."""

    def __init__(self, records: Database, failures: list[Unanswerable]) -> None:
        super().__init__(f"the validator never judged these records: {'; '.join(failures[-1].reasons)}")
        self.records = records
        self.failures = failures


async def validator_faults(
    run: DomainRun, subject: Subject, schema: DatabaseSchema, database: Database, records: Database
) -> tuple[list[str], list[Fault]]:
    """Which conditions the records do not satisfy, in words, and the fault of each record that is named for it.

    Raises:
        Unheard: the validator refused, or never answered in the form.
        GatewayError: the validator's endpoint failed.
    """
    messages = render(
        "validation",
        domain=run.domain,
        subject=subject,
        schema=schema.json_schema,
        entries=records,
        referenced=referred_to(records, schema, database),
    )

    def problems(answer: ValidationAnswer) -> list[str]:
        return list(_problems(answer, records))

    failures: list[Unanswerable] = []
    for hearing in range(HEARINGS):
        try:
            answer = await run.typed("validation", messages, ValidationAnswer, check=problems, sample=hearing)
        except (MalformedAnswer, Refused) as error:
            failures.append(error)
            continue
        except Unanswerable as error:  # asked anew, it would say the same
            raise Unheard(records, [*failures, error]) from None
        return [UNSATISFIED[number] for number in answer.failed], [_fault(each, records) for each in answer.faults]
    raise Unheard(records, failures)


def _problems(answer: ValidationAnswer, records: Database) -> Iterator[str]:
    """Why a verdict says nothing that could be acted on."""
    if answer.failed and not answer.faults:
        yield "a condition is not satisfied, but `faults` is empty: name the records there"
    if answer.faults and not answer.failed:
        yield "`faults` is not empty, but all conditions are satisfied: make them agree"
    for fault in answer.faults:
        if fault.table not in records or (fault.key and fault.key not in records[fault.table]):
            yield f"`faults`: there is no new record `{fault.key}` in a table `{fault.table}`"


def _fault(named: NamedFault, records: Database) -> Fault:
    if not named.key and "" not in records[named.table]:
        return Fault(named.table, None, f"{named.table}: {named.reason}")
    said = named.reason if named.key in named.reason else f"{named.table} {named.key}: {named.reason}"
    return Fault(named.table, named.key, said)
