"""Stage: subjects. From a domain to the major subjects that its entries are written for."""

from pydantic import BaseModel

from toolscale.artifacts import Domain, Subject
from toolscale.llm import Gateway
from toolscale.prompts import render


class SubjectsAnswer(BaseModel):
    """What the model answers with."""

    subjects: list[str]


async def propose_subjects(domain: Domain, gateway: Gateway, *, count: int = 10, seed: int = 0) -> list[Subject]:
    """Ask for the domain's major subjects, basic ones first.

    Raises:
        GatewayError: the model could not be had, or its answer could not be used.
    """
    answer = await gateway.typed(
        "teacher",
        render("subjects", domain=domain, count=count),
        SubjectsAnswer,
        check=_problems,
        stage="subjects",
        domain=domain.name,
        seed=seed,
    )
    return [Subject(domain=domain.name, name=name.strip()) for name in answer.subjects]


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
