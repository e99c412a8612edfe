"""Gate: what the user asks to be told, the golden calls' author knows: every question of the instruction has a fact."""

import re
from collections.abc import Mapping, Sequence

from toolscale.artifacts import CallOutcome, GateOutcome, Task
from toolscale.checkers.asked import AskedItem, may_lapse, questions
from toolscale.checkers.context import GateContext
from toolscale.checkers.gates.outcomes import not_evaluated, outcome
from toolscale.checkers.results import is_value
from toolscale.checkers.said import Fact, fact_of
from toolscale.checkers.values import leaves
from toolscale.checkers.wording import fold, stands_in

_OF_SEVERAL_PARTS = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d|.*,.*|.* (?:and|to|-|–) .*")
"""What answers two questions: a day with its time, an address, "A to B"."""


def answered(task: Task, context: GateContext) -> GateOutcome:
    """Find a fact for each question: the one that its author says is asked for there, or one of a kind that fits.

    Where the instruction says that something is not to be done on some condition, nothing is asked for: nobody can tell
    from the words which of the questions are left.
    """
    if not task.instruction:
        return not_evaluated("answered", "the task carries no instruction", passed=True)
    outcomes = context.golden(task).replay.outcomes if task.golden_calls else ()
    return outcome("answered", unanswered(task, outcomes))


def unanswered(task: Task, outcomes: Sequence[CallOutcome] = ()) -> list[str]:
    """A sentence for each question that no fact answers, and for each fact whose words the user does not say.

    The outcomes of the golden calls tell which values stand for two things, and which names the user knows already.
    """
    places = {info: _places(words, task.instruction) for info, words in task.asked.items()}
    lost = [
        f"{info!r} is said to be asked for by {task.asked[info]!r}, which the user does not say"
        for info, found in places.items()
        if not found
    ]
    if lost or may_lapse(task.instruction):
        return lost
    asked = [question for question in questions(task.instruction) if not _says_itself(question, task, outcomes)]
    facts = [fact for fact in _facts(task) for _ in range(_answers_at_most(fact, outcomes))]
    fitting = [[index for index, fact in enumerate(facts) if _answers(fact, question, places)] for question in asked]
    return [
        f"the user asks {asked[index].text!r}, and no fact of communicate_info answers it"
        for index in _unmatched(fitting)
    ]


def _facts(task: Task) -> list[Fact]:
    return [fact_of(info, task.fact_kinds.get(info)) for info in task.communicate_info]


def _answers_at_most(fact: Fact, outcomes: Sequence[CallOutcome]) -> int:
    """Two questions for a day with its time, and for a value that the results have under two names; else one."""
    names = {path[-1] for done in outcomes for path, value in leaves(done.result) if path and is_value(fact, value)}
    return 2 if len(names) > 1 or _OF_SEVERAL_PARTS.fullmatch(fact.text) else 1


def _says_itself(question: AskedItem, task: Task, outcomes: Sequence[CallOutcome]) -> bool:
    """Whether somebody who is asked for may be one whom the user names: no fact can be what the user says."""
    if not question.for_somebody or task.user_scenario is None:
        return False
    said = fold(task.user_scenario.instructions.reason_for_call)
    names = {value for done in outcomes for _, value in leaves(done.result) if isinstance(value, str)}
    return any(fact_of(name).kind == "name" and stands_in(fold(name), said) for name in names)


def _answers(fact: Fact, question: AskedItem, places: Mapping[str, Sequence[tuple[int, int]]]) -> bool:
    """Whether the fact may be the answer: asked for by these words or, where nobody says by which, of such a kind."""
    if fact.text in places:
        return any(start < question.end and question.start < end for start, end in places[fact.text])
    return fact.kind in question.kinds


def _places(words: str, instruction: str) -> list[tuple[int, int]]:
    """Where the words stand, whatever their case and the white space between them."""
    pattern = r"\s+".join(re.escape(word) for word in words.split())
    return [found.span() for found in re.finditer(pattern, instruction, re.IGNORECASE)] if pattern else []


def _unmatched(fitting: Sequence[Sequence[int]]) -> list[int]:
    """The questions that are left over once as many as possible have a fact of their own (augmenting paths)."""
    question_of: dict[int, int] = {}

    def takes(question: int, tried: set[int]) -> bool:
        for fact in fitting[question]:
            if fact not in tried:
                tried.add(fact)
                if fact not in question_of or takes(question_of[fact], tried):
                    question_of[fact] = question
                    return True
        return False

    return [question for question in range(len(fitting)) if not takes(question, set())]
