"""`toolscale import --format questions` and `--format steps`: sets of others as task rows, each in its split.

Each question gets a seeded draw of tools and of a price schedule (ToolOrchestra, section 3.3), and a preference that
says something about these tools. What is drawn follows from the seed and the question alone.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from toolscale.artifacts import Reject
from toolscale.artifacts.base import Split
from toolscale.dataset.questions import write_questions
from toolscale.dataset.splits import FAMILIES_IN, split_of
from toolscale.dataset.steps import write_steps
from toolscale.exchange.report import LeftOut, Report
from toolscale.exchange.sample import Sample
from toolscale.instances import InstanceOptions, Instances
from toolscale.questions.masking import masked
from toolscale.questions.question import Question
from toolscale.questions.reading import read_questions
from toolscale.questions.step_sets import read_steps
from toolscale.questions.task import QuestionTask


def import_questions(
    where: str,
    out: Path,
    options: InstanceOptions | None = None,
    *,
    split: str = "train",
    draw: Sample | None = None,
) -> Report:
    """Write a set of questions as task rows.

    Args:
        where: a file or folder, or owner/name on the Hub.
        out: the folder to write.
        options: what the questions' tools, prices and preferences are drawn from; None leaves the tools open.
        split: which split of a set of the Hub.
        draw: how many of its questions; None takes all.

    Raises:
        UserError: the set, the catalogue, the preferences or the descriptions cannot be read as such.
    """
    questions, rejects = read_questions(where, split=split)
    draw = draw or Sample()
    told = [f"Questions with reference answers, from {where}.", *draw.told]
    written = write_drawn(out, draw.of(questions), rejects, options, told)
    return Report({f"questions in {name}": count for name, count in written.items()}, _left_out(rejects))


def write_drawn(
    out: Path,
    questions: Sequence[Question],
    rejects: Sequence[Reject],
    options: InstanceOptions | None,
    told: Sequence[str],
) -> dict[str, int]:
    """Write questions in their splits, each with what is drawn for it. Returns how many there are in each split.

    Raises:
        UserError: the catalogue, the preferences or the descriptions cannot be read as such.
    """
    instances = Instances(options) if options else None
    splits = _splits(question.id for question in questions)

    def drawn(wanted: str) -> Iterator[QuestionTask]:
        placed = (question for question in questions if splits[question.id] == wanted)
        return (_task(question, splits[question.id], instances) for question in placed)

    offer = (
        f"Each offers tools of its own at the prices of one schedule, drawn from the catalogue `{options.catalogue}` "
        f"with seed {options.seed}."
        if options
        else ""
    )
    return write_questions(out, drawn, rejects, [*told, *([offer] if offer else [])])


def import_steps(
    where: str,
    out: Path,
    *,
    split: str = "train",
    draw: Sample | None = None,
    mask: float = 0.0,
    eval_one_in: int | None = None,
) -> Report:
    """Write a set of tool-calling chats, in a format that `read_steps` knows, as single steps.

    Args:
        where: a file or folder, or owner/name on the Hub.
        out: the folder to write.
        split: which split of a set of the Hub.
        draw: how many of its steps; None takes all.
        mask: share of the chats whose functions and parameters get random names, by the seed of `draw`.
        eval_one_in: one chat in so many goes to `eval`, 0 for none; None is the usual one in ten, or the set's own
            split where its rows name one.

    Raises:
        UserError: the set cannot be read as such, or has too few steps.
    """
    draw = draw or Sample()
    steps, rejects = read_steps(where, split=split)
    steps = draw.of(steps)
    if eval_one_in is not None or all(step.split == "train" for step in steps):
        splits = _splits((step.family for step in steps), FAMILIES_IN if eval_one_in is None else eval_one_in)
        steps = [step.model_copy(update={"split": splits[step.family]}) for step in steps]
    told = [f"Single steps of tool-calling chats, from {where}.", *draw.told]
    if mask:
        told.append(f"Functions and parameters have random names in {mask:.0%} of the chats, by seed {draw.seed}.")
    written = write_steps(out, masked(steps, mask, draw.seed), rejects, told)
    return Report({f"steps in {name}": count for name, count in written.items()}, _left_out(rejects))


def _task(question: Question, split: Split, instances: Instances | None) -> QuestionTask:
    """The question as it is asked."""
    instance = instances.of(question.id, split) if instances else None
    return QuestionTask(
        id=question.id,
        question=question.question,
        answer=question.answer,
        topic=question.topic,
        difficulty=question.difficulty,
        configuration=instance.configuration if instance else None,
        preference=instance.preference if instance else None,
        split=split,
    )


def _splits(families: Iterable[str], one_in: int = FAMILIES_IN) -> dict[str, Split]:
    """The split of each family, by its hash; of several at least one is in `eval`, unless none is wanted there."""
    splits = {family: split_of(family, one_in) for family in families}
    if one_in and len(splits) > 1 and "eval" not in splits.values():
        splits[min(splits)] = "eval"
    return splits


def _left_out(rejects: Sequence[Reject]) -> list[LeftOut]:
    return [LeftOut("a row of the set", "; ".join(reject.reasons)) for reject in rejects]
