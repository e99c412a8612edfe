"""`toolscale import --format questions` and `--format steps`: sets of others as task rows, each in its split.

Each question gets a seeded draw of tools and of a price schedule (ToolOrchestra, section 3.3), and a preference that
says something about these tools. What is drawn follows from the seed and the question alone.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from toolscale.artifacts import Reject
from toolscale.artifacts.base import Split, canonical_json
from toolscale.catalogue.catalogue import described, read_tools
from toolscale.catalogue.configuration import draw_configuration
from toolscale.catalogue.prices import TRAINING, schedule
from toolscale.dataset.questions import write_questions
from toolscale.dataset.splits import split_of
from toolscale.dataset.steps import write_steps
from toolscale.descriptions.description import read_descriptions
from toolscale.errors import UserError
from toolscale.exchange.report import LeftOut, Report
from toolscale.preferences.preference import Preference, read_preferences
from toolscale.questions.question import Question
from toolscale.questions.reading import read_questions
from toolscale.questions.steps import read_steps
from toolscale.questions.task import QuestionTask


@dataclass(frozen=True)
class Offer:
    """What the questions of a set are asked with."""

    catalogue: str = ""
    """Set of tools to draw from; empty leaves the tools open."""
    schedules: tuple[str, ...] = TRAINING
    """Price schedules to draw from."""
    preferences: Path | None = None
    """File of preferences over the catalogue; those of a split are dealt to the questions of that split."""
    descriptions: Path | None = None
    """File of measured descriptions and latencies of models."""
    seed: int = 0


def import_questions(where: str, out: Path, offer: Offer, *, split: str = "train", tasks: int | None = None) -> Report:
    """Write a set of questions as task rows.

    Args:
        where: a file or folder, or owner/name on the Hub.
        out: the folder to write.
        offer: tools, prices and preferences of the questions.
        split: which split of a set of the Hub.
        tasks: how many questions, drawn by the seed; None takes all.

    Raises:
        UserError: the set, the catalogue, the preferences or the descriptions cannot be read as such.
    """
    if offer.preferences and not offer.catalogue:
        raise UserError("--preferences are over the tools of a catalogue: name one with --catalogue")
    questions, rejects = read_questions(where, split=split)
    if tasks is not None:
        ranked = sorted(questions, key=lambda question: question.id)
        Random(offer.seed).shuffle(ranked)
        kept = {question.id for question in ranked[:tasks]}
        questions = [question for question in questions if question.id in kept]
    draw, splits = _Draw(offer), _splits(question.id for question in questions)

    def drawn(wanted: str) -> Iterator[QuestionTask]:
        return (draw.task(question, splits[question.id]) for question in questions if splits[question.id] == wanted)

    told = [f"Questions with reference answers, from {where}."]
    if offer.catalogue:
        told.append(
            f"Each offers tools of its own at the prices of one schedule, drawn from the catalogue `{offer.catalogue}` "
            f"with seed {offer.seed}."
        )
    written = write_questions(out, drawn, rejects, told)
    return Report({f"questions in {name}": count for name, count in written.items()}, _left_out(rejects))


def import_steps(where: str, out: Path, *, split: str = "train") -> Report:
    """Write a set of tool-calling chats, in the format of ToolACE, xLAM or Hammer, as single steps.

    All steps of a chat are in one split.

    Raises:
        UserError: the set cannot be read as such.
    """
    steps, rejects = read_steps(where, split=split)
    splits = _splits(step.family for step in steps)
    placed = [step.model_copy(update={"split": splits[step.family]}) for step in steps]
    written = write_steps(out, placed, rejects, [f"Single steps of tool-calling chats, from {where}."])
    return Report({f"steps in {name}": count for name, count in written.items()}, _left_out(rejects))


class _Draw:
    """Tools, prices and a preference for one question after the other."""

    def __init__(self, offer: Offer) -> None:
        self._seed = offer.seed
        told = read_descriptions(offer.descriptions) if offer.descriptions else {}
        tools = read_tools(offer.catalogue) if offer.catalogue else []
        self._tools = described(tools, {name: each.description for name, each in told.items()})
        self._latencies = {name: each.latency for name, each in told.items() if each.latency is not None}
        self._schedules = [schedule(name) for name in offer.schedules]
        kept = read_preferences(offer.preferences).kept if offer.preferences else []
        self._preferences = {name: [one for one in kept if one.split == name] for name in ("train", "eval")}
        names = {tool.name for tool in self._tools}
        if kept and not any(set(one.tools) & names for one in kept):
            raise UserError(f"{offer.preferences} is about other tools than those of the catalogue {offer.catalogue}")

    def task(self, question: Question, split: Split) -> QuestionTask:
        """The question as it is asked."""
        configuration = preference = None
        if self._tools:
            configuration = draw_configuration(
                self._tools, question.id, seed=self._seed, schedules=self._schedules, latencies=self._latencies
            )
            preference = self._preference(question, split, configuration.names)
        return QuestionTask(
            id=question.id,
            question=question.question,
            answer=question.answer,
            topic=question.topic,
            difficulty=question.difficulty,
            configuration=configuration,
            preference=preference,
            split=split,
        )

    def _preference(self, question: Question, split: Split, offered: Sequence[str]) -> Preference | None:
        suiting = [one for one in self._preferences[split] if one.suits(offered)]
        if not suiting:
            return None
        return Random(canonical_json(["preference", self._seed, question.id])).choice(suiting).among(offered)


def _splits(families: Iterable[str]) -> dict[str, Split]:
    """The split of each family, by its hash; of several at least one is in `eval`."""
    splits = {family: split_of(family) for family in families}
    if len(splits) > 1 and "eval" not in splits.values():
        splits[min(splits)] = "eval"
    return splits


def _left_out(rejects: Sequence[Reject]) -> list[LeftOut]:
    return [LeftOut("a row of the set", "; ".join(reject.reasons)) for reject in rejects]
