"""The report of a fleet: what was made, what was not and why, what it cost, and how much of the world it covers.

Everything is read from what lies in the data root, so it does not matter which runs made it, or when.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any, Literal

from upath import UPath

from pipelines.domain_figures import DomainFigures, domain_figures
from pipelines.domains import domain_files, domain_in, origin_in
from pipelines.factory import Factory
from pipelines.fates import ENDED, Fate, noted_fate
from pipelines.shortage import noted_shortage
from pipelines.storage import domains_with_rows, write_whole
from pipelines.switches import Switch
from toolscale.artifacts import Domain
from toolscale.errors import UserError
from toolscale.markdown import cell, inert
from toolscale.proposals.nearness import Known, Nearness
from toolscale.proposals.tree import divisions

State = Literal["made", "failed", "stopped early", "out of budget", "unfinished", "not begun", "off"]
STATES: tuple[State, ...] = ("made", "failed", "stopped early", "out of budget", "unfinished", "not begun", "off")

MOST_PAIRS = 20
"""Pairs of domains that are much alike; the rest is counted."""

MOST_NAMED = 20
"""Domains that a budget released; the rest is counted."""

MOST_COMMON = 8
"""Names of functions that many domains have."""


@dataclass(frozen=True)
class DomainLine:
    """A domain of the fleet."""

    name: str
    state: State
    tested: int = 0
    kept: int = 0
    dollars: float = 0.0
    """All that was ever paid for it."""
    division: str = ""
    """Of ISIC; empty where its file names none."""
    stage: str = ""
    """Where it ended, if it was not made."""
    reason: str = ""
    switch: Switch = "on"
    """`proposed` if it is off and a budget may release it."""
    released: Literal["", "budget"] = ""
    """`budget` if one switched it on, so that nobody need have read it."""

    @property
    def cents(self) -> float | None:
        """For each kept task; nothing where none is kept."""
        return 100 * self.dollars / self.kept if self.kept else None


@dataclass(frozen=True)
class SectionLine:
    """A section of the tree of human activity."""

    letter: str
    name: str
    domains: int
    """Made."""
    divisions: int
    """In which a domain is made."""
    not_made: int
    """Domains that have a file and are not made: off, waiting, failed."""
    divisions_in_all: int
    """In which there is a domain, made or not."""
    of: int
    """Divisions of the section."""


@dataclass(frozen=True)
class Diversity:
    """How different the made domains are from each other."""

    functions: int = 0
    function_names: int = 0
    common_functions: Mapping[str, int] | None = None
    """Names that most domains have -> in how many."""
    skeletons: int = 0
    """Different sequences of functions and arguments, of all domains."""
    skeletons_a_domain: float = 0
    """Median."""
    forms: int = 0
    """Different sequences of reads and writes, of all domains."""
    commonest_form: float = 0
    """Share of the kept tasks that have the most frequent of these."""
    shapes: int = 0
    """Different ways in which the tables of a domain refer to each other."""
    alike: Sequence[str] = ()
    """Pairs of domains that are too near to each other, and by what."""


@dataclass(frozen=True)
class FleetReport:
    """The domains of a data root."""

    domains: Sequence[DomainLine]
    sections: Sequence[SectionLine]
    diversity: Diversity
    odd: Sequence[str]
    """What lies among the domains' files and is none."""
    left_off: Mapping[str, str] = field(default_factory=dict)
    """Of a fleet that just ended: name of each domain that its budget did not release -> why."""

    @property
    def states(self) -> dict[State, int]:
        """State -> domains; those that none is in are left out."""
        counted = Counter(line.state for line in self.domains)
        return {state: counted[state] for state in STATES if counted[state]}

    @property
    def kept(self) -> int:
        """Tasks of all domains."""
        return sum(line.kept for line in self.domains)

    @property
    def dollars(self) -> float:
        """Paid for all domains, made or not."""
        return sum(line.dollars for line in self.domains)

    @property
    def cents(self) -> float | None:
        """For each kept task, what was paid for domains that were not made included."""
        return 100 * self.dollars / self.kept if self.kept else None

    def as_json(self) -> dict[str, Any]:
        """What ``--json`` prints."""
        return {
            "states": self.states,
            "kept": self.kept,
            "dollars": self.dollars,
            "cents_per_kept_task": self.cents,
            "domains": [{**asdict(line), "cents_per_kept_task": line.cents} for line in self.domains],
            "sections": [asdict(line) for line in self.sections],
            "diversity": asdict(self.diversity),
            "odd": list(self.odd),
        }

    def as_markdown(self) -> str:
        """The whole report. What models wrote is escaped."""
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        yield "# The fleet\n"
        yield f"{self.summary()}\n"
        if switched := self.switched():
            yield f"{switched}\n"
        if self.left_off:
            yield from (f"- {count:,} left off: {inert(why)}" for why, count in Counter(self.left_off.values()).items())
            yield ""
        for title, lines in (("Not made", self.not_made()), ("Made", self.made())):
            if lines:
                yield f"## {title}\n"
                yield "| domain | state | kept | of tested | paid | ¢ a task | why |\n|---|---|--:|--:|--:|--:|---|"
                yield from map(_row, lines)
                yield ""
        yield "## Coverage\n"
        yield f"{self.coverage()}\n"
        yield "| section | made | in divisions | not made | in divisions, made or not | of |"
        yield "|---|--:|--:|--:|--:|--:|"
        for each in self.sections:
            figures = (each.domains, each.divisions, each.not_made, each.divisions_in_all, each.of)
            yield f"| {each.letter} {cell(each.name)} | {' | '.join(map(str, figures))} |"
        yield "\n## Diversity\n"
        yield from (f"- {inert(line)}" for line in self.diverse())
        if self.odd:
            yield "\n## Passed over\n"
            yield from (f"- {inert(line)}" for line in self.odd)

    def summary(self) -> str:
        """The figures that matter most, in a sentence."""
        counted = ", ".join(f"{count:,} {state}" for state, count in self.states.items()) or "none"
        each = "" if self.cents is None else f", {self.cents:,.2f} ¢ each"
        return f"Domains: {counted}. Kept tasks: {self.kept:,}, for ${self.dollars:,.2f}{each}."

    def switched(self) -> str:
        """What is off, and what a budget released, in a sentence or two; empty if there is neither."""
        switches = Counter(line.switch for line in self.domains)
        released = [line.name for line in self.domains if line.released]
        said = []
        if switches["proposed"] or switches["off"]:
            said.append(f"Off: {switches['proposed']:,} proposed, {switches['off']:,} by hand.")
        if released:
            others = f" and {len(released) - MOST_NAMED:,} others" if len(released) > MOST_NAMED else ""
            said.append(f"Released by a budget: {len(released):,} ({', '.join(released[:MOST_NAMED])}{others}).")
        return " ".join(said)

    def made(self) -> list[DomainLine]:
        """The domains that are made, the dearest first."""
        return sorted(
            (line for line in self.domains if line.state == "made"), key=lambda line: (-(line.cents or 0), line.name)
        )

    def not_made(self) -> list[DomainLine]:
        """Those that were begun, or tried, and are not."""
        left_alone = ("made", "not begun", "off")
        return [line for line in self.domains if line.state not in left_alone]

    def coverage(self) -> str:
        """How much of the tree has a domain, in a sentence."""
        sections = sum(each.divisions > 0 for each in self.sections)
        covered, of = sum(each.divisions for each in self.sections), sum(each.of for each in self.sections)
        in_all = sum(each.divisions_in_all > 0 for each in self.sections)
        covered_in_all = sum(each.divisions_in_all for each in self.sections)
        not_made = sum(each.not_made for each in self.sections)
        nowhere = sum(line.state == "made" and not line.division for line in self.domains)
        beside = f" {nowhere:,} made domains have no place in the tree." if nowhere else ""
        waiting = f"; with those not made yet ({not_made:,}), {in_all} and {covered_in_all}" if not_made else ""
        return (
            f"{sections} of {len(self.sections)} sections of ISIC and {covered} of {of} divisions have a made "
            f"domain{waiting}.{beside}"
        )

    def diverse(self) -> list[str]:
        """How different the made domains are, a sentence each."""
        found = self.diversity
        common = ", ".join(f"{name} ({count})" for name, count in (found.common_functions or {}).items())
        return [
            f"{found.functions:,} functions under {found.function_names:,} names"
            + (f"; in several domains: {common}" if common else ""),
            f"{found.skeletons:,} golden-call skeletons, {found.skeletons_a_domain:g} in the median domain",
            f"{found.forms:,} sequences of reads and writes; the commonest has {found.commonest_form:.0%} of the tasks",
            f"{found.shapes:,} shapes of schema",
            f"{len(found.alike):,} pairs of domains much alike"
            + "".join(f"; {pair}" for pair in found.alike[:MOST_PAIRS]),
        ]


def fleet_report(factory: Factory) -> FleetReport:
    """Read the report off the data root. Asks nobody.

    Raises:
        UserError: the store cannot be read.
    """
    found = domain_files(factory.data_root)
    odd, lines = list(found.passed_over), []
    begun = domains_with_rows(factory.data_root)
    figures: dict[str, DomainFigures] = {}
    described: dict[str, Domain] = {}
    with factory.store() as store:
        paid = {line.name: line for line in store.cost_by("domain")}
    for name, file in sorted(found.files.items()):
        switch = found.switches[name]
        try:
            described[name], origin = domain_in(file), origin_in(file)
            counted = domain_figures(factory.data_root, name)
        except UserError as error:
            odd.append(str(error))
            continue
        if counted:
            figures[name] = counted
        fate = noted_fate(factory.data_root, name)
        lines.append(
            DomainLine(
                name=name,
                state=_state(fate, off=switch != "on", made=counted is not None, begun=name in begun),
                tested=counted.tested if counted else 0,
                kept=counted.kept if counted else 0,
                dollars=paid[name].dollars if name in paid else 0.0,
                division=origin.division,
                stage=fate.stage if fate else "",
                reason=fate.reason if fate else noted_shortage(factory.data_root, name),
                switch=switch,
                released=origin.released,
            )
        )
    made = [line.name for line in lines if line.state == "made"]
    diversity = _diversity({name: figures[name] for name in made}, described)
    return FleetReport(lines, _sections(lines), diversity, odd)


def write_fleet_report(factory: Factory, report: FleetReport) -> UPath:
    """Write the report into the data root, as Markdown. Where it was written to."""
    file = UPath(factory.data_root) / "fleet.md"
    write_whole(file, report.as_markdown().encode())
    return file


def _state(fate: Fate | None, *, off: bool, made: bool, begun: bool) -> State:
    if off:
        return "off"
    if fate:
        return ENDED[fate.ended]
    return "made" if made else "unfinished" if begun else "not begun"


def _row(line: DomainLine) -> str:
    cents = "" if line.cents is None else f"{line.cents:,.2f}"
    why = cell(f"{line.stage}: {line.reason}" if line.stage else line.reason)
    return f"| {line.name} | {line.state} | {line.kept:,} | {line.tested:,} | ${line.dollars:,.4f} | {cents} | {why} |"


def _sections(lines: Sequence[DomainLine]) -> list[SectionLine]:
    tree = divisions()
    made = Counter(line.division for line in lines if line.state == "made")
    not_made = Counter(line.division for line in lines if line.state != "made")
    sections = dict.fromkeys((each.section, each.section_name) for each in tree.values())
    found = []
    for letter, name in sections:
        of = [code for code, each in tree.items() if each.section == letter]
        found.append(
            SectionLine(
                letter,
                name,
                domains=sum(made[code] for code in of),
                divisions=sum(made[code] > 0 for code in of),
                not_made=sum(not_made[code] for code in of),
                divisions_in_all=sum(made[code] + not_made[code] > 0 for code in of),
                of=len(of),
            )
        )
    return found


def _diversity(figures: Mapping[str, DomainFigures], described: Mapping[str, Domain]) -> Diversity:
    if not figures:
        return Diversity()
    names = Counter(name for each in figures.values() for name in each.functions)
    forms = sum((Counter(each.forms) for each in figures.values()), Counter[str]())
    common = {name: count for name, count in names.most_common(MOST_COMMON) if count > 1}
    return Diversity(
        functions=names.total(),
        function_names=len(names),
        common_functions=common,
        skeletons=sum(each.skeletons for each in figures.values()),
        skeletons_a_domain=median(each.skeletons for each in figures.values()),
        forms=len(forms),
        commonest_form=max(forms.values(), default=0) / max(1, forms.total()),
        shapes=len({each.shape for each in figures.values()}),
        alike=_alike([Known(name, described[name].description, each.tables) for name, each in figures.items()]),
    )


def _alike(domains: Sequence[Known]) -> list[str]:
    """Pairs that would be refused as proposals, each named once."""
    nearness, found = Nearness(domains), []
    for at, domain in enumerate(domains):
        if near := nearness.nearest(at, range(at)):
            found.append(f"{domain.name} and {near.to} ({near.by} {near.figure:.2f})")
    return found
