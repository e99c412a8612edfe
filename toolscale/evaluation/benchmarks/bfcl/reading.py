"""The categories of a folder or file in the leaderboard's own form."""

import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal, cast

from toolscale.errors import UserError
from toolscale.evaluation.benchmarks.bfcl.calls import Answer, CallsProblem
from toolscale.evaluation.benchmarks.bfcl.executed import wanted_call
from toolscale.evaluation.benchmarks.bfcl.inside import MODULES
from toolscale.evaluation.benchmarks.bfcl.languages import SourceLanguage
from toolscale.evaluation.benchmarks.bfcl.package import INSTALL, is_installed, rehearse
from toolscale.evaluation.benchmarks.bfcl.turns import TurnsProblem, user_turns
from toolscale.evaluation.benchmarks.offered import DescribedFunction
from toolscale.evaluation.problem import Problem
from toolscale.questions.tables import SourceRow, rows_of, table_files
from toolscale.terminal import say

_FILE = re.compile(r"BFCL_v\d+_(?P<category>\w+)\.json")
_ANSWERED = re.compile(r"(live_)?(simple|simple_python|multiple|parallel|parallel_multiple)")
_UNANSWERED = re.compile(r"(live_)?(irrelevance|relevance)")
_EXECUTED = re.compile(r"exec_(simple|multiple|parallel|parallel_multiple)")
_OTHER_LANGUAGE = re.compile(r"(simple_)?(?P<language>java|javascript)")
_TURNS = re.compile(r"multi_turn_(base|miss_func|miss_param|long_context)")

_DESCRIPTIONS = "multi_turn_func_doc"


def read_bfcl(place: Path, stack: ExitStack) -> list[Problem]:
    """The categories in a folder, or in one file with `possible_answer/` beside it; standard error says what lacks."""
    problems: list[Problem] = []
    without: list[str] = []
    for file in table_files(place, "BFCL_v*.json"):
        found = _FILE.fullmatch(file.name)
        if found is None or file.parent.name == "possible_answer" or "unused_datasets" in file.parts:
            continue
        category = found["category"]
        if (_TURNS.fullmatch(category) or _OTHER_LANGUAGE.fullmatch(category)) and not is_installed():
            without.append(category)
        else:
            problems += _category(file, category)
    conversations = [each for each in problems if isinstance(each, TurnsProblem)]
    if conversations:
        rehearse(request for each in conversations for request in each.rehearsal())
    if without:
        say(f"toolscale: {', '.join(without)} are left out: they run the leaderboard's own code, {INSTALL}", error=True)
    return problems


def _category(file: Path, category: str) -> list[Problem]:
    """The problems of a category; none of one that is not known here."""
    if _UNANSWERED.fullmatch(category):
        return [_problem(file, row, category, None) for row in rows_of(file)]
    if _ANSWERED.fullmatch(category):
        return [_problem(file, row, category, answer) for row, answer in _with_answers(file)]
    if _EXECUTED.fullmatch(category):
        return [_problem(file, row, category, _executed(file, row, answer)) for row, answer in _with_answers(file)]
    if other := _OTHER_LANGUAGE.fullmatch(category):
        language = cast(Literal["java", "javascript"], other["language"])
        return [_problem(file, row, category, answer, language) for row, answer in _with_answers(file)]
    if _TURNS.fullmatch(category):
        return [_conversation(file, row, category, answer) for row, answer in _with_answers(file)]
    return []


def _with_answers(file: Path) -> list[tuple[SourceRow, Any]]:
    """Each row with its answer: in `possible_answer/`, or in the row itself, where executed categories have it.

    A few ids are not the same in the two files; their order is, which is what the leaderboard goes by.
    """
    rows = list(rows_of(file))
    if all("ground_truth" in row for row in rows):
        return [(row, row["ground_truth"]) for row in rows]
    possible = file.parent / "possible_answer" / file.name
    if not possible.exists():
        raise UserError(f"there is no {possible}, without it {file.name} cannot be judged")
    answers = list(rows_of(possible))
    if len(answers) != len(rows):
        raise UserError(
            f"{possible} has {len(answers)} answers for {len(rows)} tasks of {file.name}: download it again"
        )
    by_id = {str(answer.get("id")): answer for answer in answers}
    found = [(row, by_id.get(str(row.get("id")), there)) for row, there in zip(rows, answers, strict=True)]
    if lacking := [row for row, answer in found if not isinstance(answer.get("ground_truth"), list)]:
        raise UserError(f"{possible} has no `ground_truth` for {lacking[0].get('id')}: download it again")
    return [(row, answer["ground_truth"]) for row, answer in found]


def _problem(
    file: Path,
    row: SourceRow,
    category: str,
    wanted: list[Answer] | None,
    written_in: Literal["java", "javascript"] | None = None,
) -> CallsProblem:
    name = str(row.get("id"))
    try:
        (conversation,) = row["question"]
        language = SourceLanguage.of(written_in, row["function"]) if written_in else None
        functions = tuple(_function(language.described(each) if language else each) for each in row["function"])
        if wanted is not None and not all(isinstance(each, dict) and len(each) == 1 for each in wanted):
            raise ValueError("`ground_truth` is not a list of {function: parameters}")
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise UserError(f"{file}: {name} is not of BFCL's single-turn form ({error})") from None
    return CallsProblem(name, category, list(conversation), functions, wanted, language)


def _function(described: Mapping[str, Any]) -> DescribedFunction:
    return DescribedFunction.of(described["name"], described.get("description", ""), described["parameters"])


def _executed(file: Path, row: SourceRow, calls: Any) -> list[Answer]:
    try:
        parameters = {each["name"]: list(each["parameters"]["properties"]) for each in row["function"]}
        return [wanted_call(call, parameters) for call in calls]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise UserError(f"{file}: the right calls of {row.get('id')} cannot be read ({error})") from None


def _conversation(file: Path, row: SourceRow, category: str, right: Any) -> TurnsProblem:
    name = str(row.get("id"))
    try:
        services = [str(each) for each in row["involved_classes"]]
        # Some rows name an `excluded_function`; the leaderboard's code offers it all the same, and so do we.
        functions = _described(file.parent / _DESCRIPTIONS, services)
        turns = user_turns(row["question"], right, row.get("missed_function") or {})
        config = dict(row.get("initial_config") or {})
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise UserError(f"{file}: {name} is not of BFCL's multi-turn form ({error!r})") from None
    return TurnsProblem(name, category, turns, services, config, functions)


def _described(folder: Path, services: Sequence[str]) -> list[dict[str, Any]]:
    """The functions of services, as the benchmark describes them."""
    files = [folder / f"{MODULES[service]}.json" for service in services]
    for file in files:
        if not file.exists():
            raise UserError(f"there is no {file}, which describes functions: download {folder.name}/ too")
    return [row for file in files for row in rows_of(file)]
