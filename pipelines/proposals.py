"""Proposing domains for a data root: what is there, where more are wanted, and the files of those that are accepted."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from upath import UPath

from pipelines.alone import alone
from pipelines.domain_file import DomainFile
from pipelines.domains import domain_in, make_domain, origin_in, write_domain
from pipelines.factory import Factory
from pipelines.storage import read_rows, rows_file
from pipelines.switches import PROPOSED
from pipelines.telling import Telling
from toolscale.artifacts import DatabaseSchema
from toolscale.errors import UserError
from toolscale.input_files import listing
from toolscale.llm import Gateway
from toolscale.llm.sight import Sight
from toolscale.proposals.nearness import Known
from toolscale.proposals.proposal import MOST_FIELDS, MOST_TABLES, Origin, Proposal, Sketch
from toolscale.proposals.proposing import LEDGER, Proposed, There, propose_domains
from toolscale.proposals.sieve import Refusal
from toolscale.proposals.spread import places
from toolscale.proposals.topics import Topics, read_topics
from toolscale.proposals.tree import divisions
from toolscale.reference.domain import reference_domain, reference_domains

_EXAMPLES = 3
"""Domains of `like` that the teacher is shown."""


@dataclass(frozen=True)
class Plan:
    """What proposals are wanted."""

    count: int
    """How many proposed domains there are to be, with those that are there."""
    topics: str = ""
    like: str = ""


@dataclass(frozen=True)
class ProposalReport:
    """What came of a plan."""

    plan: Plan
    there: int
    """Proposed domains that were there already."""
    proposed: Proposed
    passed_over: Sequence[str]
    """Lines and files that were of no use, one line each."""
    topics_left: Sequence[str]
    """Topics that nothing was asked for, since no more domains were wanted."""
    spent: Sight
    """The calls of this run."""

    @property
    def there_now(self) -> int:
        """Proposed domains that are there."""
        return self.there + len(self.proposed.accepted)

    @property
    def short(self) -> int:
        """How many fewer came than were wanted."""
        return self.proposed.missing.total()

    @property
    def missing(self) -> list[str]:
        """Where fewer came than were wanted, one line each."""
        return [f"{place.shown}: {number} fewer" for place, number in self.proposed.missing.items() if number]

    @property
    def cost(self) -> str:
        """What this run cost, in a sentence."""
        spent = self.spent
        stored = f" ({spent.cached:,} more were answered from the store)" if spent.cached else ""
        unpriced = f" without {spent.unpriced:,} calls whose price is not known" if spent.unpriced else ""
        return f"{spent.done:,} calls{stored}, {spent.tokens:,} tokens, ${spent.dollars:,.4f}{unpriced}."

    @property
    def stop(self) -> str:
        """What to say where the budget ended it."""
        reason = self.proposed.stopped.reason if self.proposed.stopped else ""
        return f"The budget is spent: {reason}. What was accepted is written, and every answer is kept: run it again."

    def as_json(self) -> dict[str, Any]:
        """What ``--json`` prints."""
        return {
            "wanted_in_all": self.plan.count,
            "there_before": self.there,
            "there_now": self.there_now,
            "accepted": [
                {"name": each.name, "description": each.description, **each.origin.model_dump(exclude={"released"})}
                for each in self.proposed.accepted
            ],
            "refused": [each._asdict() for each in self.proposed.refused],
            "warnings": self.proposed.warnings,
            "unanswered": self.proposed.unanswered,
            "missing": self.missing,
            "passed_over": list(self.passed_over),
            "topics_left": list(self.topics_left),
            "stopped": self.proposed.stopped.reason if self.proposed.stopped else None,
            "calls": self.spent.done,
            "cached_calls": self.spent.cached,
            "prompt_tokens": self.spent.prompt_tokens,
            "completion_tokens": self.spent.completion_tokens,
            "unpriced_calls": self.spent.unpriced,
            "dollars": self.spent.dollars,
        }


async def propose(
    plan: Plan, factory: Factory, telling: Telling, run: str, heard: Callable[[str], None]
) -> ProposalReport:
    """Have domains proposed until there are as many as are wanted, and write a file for each, switched off.

    `heard` is told of each refusal as soon as it is certain.

    Raises:
        UserError: a file or a folder that the plan names is of no use, or another run is proposing domains.
        GatewayError: the teacher could not be had; what was accepted by then is written.
    """
    root, settings = factory.data_root, factory.settings()
    with alone(root, [LEDGER]):
        ours, liked = _read(UPath(root) / "domains"), _liked(plan.like)
        references = [_reference(name) for name in reference_domains() if name not in ours.names]
        known = {each.name: each for each in (*liked.known, *references, *ours.known)}
        names = frozenset({*known, *ours.names, *liked.names})
        topics = read_topics(Path(plan.topics), names) if plan.topics else Topics()
        done = {origin.topic.casefold() for origin in ours.origins}
        new = [topic for topic in topics.topics if topic.casefold() not in done]
        divided = Counter(origin.division for origin in ours.origins if origin.division)
        needed = max(0, plan.count - divided.total())
        there = There(list(known.values()), names, _examples(liked.known, factory.seed))

        def keep(accepted: Sequence[Proposal]) -> None:
            for each in accepted:
                write_domain(root, make_domain(each.name, each.description), origin=each.origin, off=PROPOSED)

        def refused(refusal: Refusal) -> None:
            heard(f"refused: {refusal.name} ({refusal.place}): {'; '.join(refusal.reasons)}")

        with factory.store() as store:
            async with Gateway(settings, store, run=run) as gateway, telling.signs_of_life(gateway.sight):
                proposed = await propose_domains(
                    places(needed, new, divided, factory.seed),
                    there,
                    gateway,
                    seed=factory.seed,
                    kept=keep,
                    told=telling.tell,
                    heard=refused,
                )
                spent = gateway.sight()
    odd = [*topics.passed_over, *ours.passed_over, *liked.passed_over]
    return ProposalReport(plan, divided.total(), proposed, odd, new[needed:], spent)


class _Files(NamedTuple):
    """What the domains' files of a folder say."""

    known: Sequence[Known]
    origins: Sequence[Origin]
    names: frozenset[str]
    """Also of files that cannot be read."""
    passed_over: Sequence[str]


def _read(folder: UPath) -> _Files:
    """The domains that have a file in a folder, with the tables of their schemas, or of their sketches."""
    found = listing(folder, "*.toml")
    known, origins, odd = [], [], list(found.passed_over)
    for path in found.files:
        try:
            file = DomainFile.read(path)
            domain, origin = domain_in(file), origin_in(file)
            made = rows_file(str(folder.parent), "schema", domain.name)
            tables = _sketch(read_rows(made, DatabaseSchema)[0].tables) if made.exists() else origin.tables
        except UserError as error:
            odd.append(str(error))
            continue
        division = divisions().get(origin.division)
        known.append(Known(domain.name, domain.description, tables, division.section if division else ""))
        origins.append(origin)
    names = frozenset(each.name.removesuffix(".toml") for each in found.files)
    return _Files(known, origins, names, odd)


def _liked(place: str) -> _Files:
    """The domains that proposals are to be like, in a folder of their files or in a data root.

    Raises:
        UserError: there are none.
    """
    if not place:
        return _Files([], [], frozenset(), [])
    folder = UPath(place)
    found = _read(folder / "domains" if (folder / "domains").is_dir() else folder)
    if not found.known:
        why = f": {found.passed_over[0]}" if found.passed_over else ""
        raise UserError(f"{place} holds no domain's file to go by{why}; name a folder of them, or a data root")
    return found


def _reference(name: str) -> Known:
    domain = reference_domain(name)
    tables = {table: of["additionalProperties"] for table, of in domain.schema["properties"].items()}
    return Known(name, domain.domain.description, _sketch(tables))


def _sketch(tables: Mapping[str, Mapping[str, Any]]) -> Sketch:
    return {table: list(record["properties"]) for table, record in tables.items()}


def _examples(liked: Sequence[Known], seed: int) -> list[Known]:
    """Some of the domains to go by, their tables cut to what a sketch has."""
    drawn = Random(seed).sample(liked, min(_EXAMPLES, len(liked)))
    return [
        each._replace(tables={table: fields[:MOST_FIELDS] for table, fields in list(each.tables.items())[:MOST_TABLES]})
        for each in drawn
    ]
