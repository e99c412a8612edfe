"""The offline model as the blind solver: which options of a task's choices would satisfy the user.

It reads the user's words back into goals and follows their policies over what was looked up, as far as that leads. What
a solution writes there decides; where none gets that far, it cannot tell one option from another and names all.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from toolscale.artifacts import Call
from toolscale.reference.domain import ReferenceDomain
from toolscale.reference.enact import strictly
from toolscale.reference.program import CallRefused, DeadEnd, Goal, Outcomes, pursue
from toolscale.reference.requests import Request, read_back
from toolscale.reference.solutions import MOST_CALLS, writes_led_to

ReadCall = Mapping[str, Any]
"""A call that was made, with its `name`, `arguments` and `result`; some arguments may have been left out."""


class _Untold(str):
    """What a call that is not shown returned: it has whatever is asked for, and is just at every bound."""

    __slots__ = ()

    def __new__(cls) -> "_Untold":
        return super().__new__(cls, "untold")

    def __getitem__(self, key: object) -> "_Untold":
        return self

    def get(self, key: str, default: object = None) -> "_Untold":
        """As of a record."""
        return self

    def __format__(self, form: str) -> str:
        return str(self)

    def __lt__(self, other: object) -> bool:
        return False

    def __le__(self, other: object) -> bool:
        return True

    __gt__, __ge__ = __lt__, __le__


_UNTOLD = _Untold()


class Asked(NamedTuple):
    """A choice: the function that is called, what it is given at any rate, and the options for the rest."""

    function: str
    beside: Mapping[str, Any]
    options: Sequence[Mapping[str, Any]]


def openness(domain: ReferenceDomain, said: str, reads: Sequence[ReadCall], asked: Sequence[Asked]) -> dict[str, Any]:
    """The answer: for each choice, the options that the policies take, by their numbers from 1."""
    request = read_back(domain.name, said)
    if isinstance(request, Request):
        written = writes_led_to(
            domain, request.goals, lambda call: _UNTOLD if call.name in domain.writes else _result(call, reads)
        )
    else:
        written = _written(domain, request.goals, reads)
    answers = []
    for number, choice in enumerate(asked, 1):
        taken = [call.arguments for call in written if call.name == choice.function]
        taken = [arguments for arguments in taken if _goes_with(choice.beside, arguments)]
        named = [at for at, option in enumerate(choice.options, 1) if any(_goes_with(option, each) for each in taken)]
        why = "the policy of what is asked for takes it" if named else "the words do not lead that far"
        every = list(range(1, len(choice.options) + 1))
        answers.append({"choice": number, "options": named or every, "why": why})
    return {"choices": answers}


def _written(domain: ReferenceDomain, goals: Sequence[Goal], reads: Sequence[ReadCall]) -> list[Call]:
    """The writes that the goals lead to."""
    seen: Outcomes = []
    written: list[Call] = []
    for goal in goals:
        script = strictly(pursue([goal], seen))
        try:
            call = next(script)
            for _ in range(MOST_CALLS):
                if call.name in domain.writes:
                    written.append(call)
                    call = script.send(_UNTOLD)
                else:
                    call = script.send(_result(call, reads))
        except StopIteration:
            continue
        except (DeadEnd, CallRefused, LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
            continue  # it went on from a result that nobody has seen
    return written


def _result(call: Call, reads: Sequence[ReadCall]) -> Any:
    """What was looked up by a call; an argument that was left out may be any."""
    named = (read for read in reads if read["name"] == call.name)
    return next((read["result"] for read in named if _agree(read["arguments"], call.arguments)), _UNTOLD)


def _agree(shown: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return all(name in wanted and wanted[name] in (value, _UNTOLD) for name, value in shown.items())


def _goes_with(option: Mapping[str, Any], arguments: Mapping[str, Any]) -> bool:
    return all(_at(arguments, place) in (value, _UNTOLD) for place, value in option.items())


def _at(arguments: Any, place: str) -> Any:
    """What stands at a place such as ``items[0].sku``."""
    for step in place.replace("[", ".[").split("."):
        try:
            arguments = arguments[int(step[1:-1])] if step.startswith("[") else arguments[step]
        except (LookupError, TypeError, ValueError):
            return None
    return arguments
