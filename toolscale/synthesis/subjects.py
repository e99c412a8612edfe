"""Stage: subjects. From a domain to the major subjects that its entries are written for."""

from pydantic import BaseModel

from toolscale.artifacts import Subject
from toolscale.prompts import render
from toolscale.synthesis.run import DomainRun

COUNT = 10
"""Subjects that are asked for."""


class SubjectsAnswer(BaseModel):
    """What the model answers with."""

    subjects: list[str]


async def propose_subjects(run: DomainRun) -> list[Subject]:
    """The domain's major subjects. Entries are written subject by subject.

    The teacher names them from the domain's description alone.

    Raises:
        GatewayError: the model could not be had, or its answer could not be used.
    """
    messages = render("subjects", domain=run.domain, count=COUNT)
    answer = await run.typed("subjects", messages, SubjectsAnswer, check=_problems)
    return [Subject(domain=run.domain.name, name=name.strip()) for name in answer.subjects]


def _problems(answer: SubjectsAnswer) -> list[str]:
    names = [name.strip().casefold() for name in answer.subjects]
    problems = []
    if not 3 <= len(names) <= 20:
        problems.append(f"there are {len(names)} subjects; give between 3 and 20")
    if not all(names):
        problems.append("a subject is empty")
    if len(set(names)) < len(names):
        problems.append("two subjects are the same")
    return problems
