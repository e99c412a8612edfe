"""What a rule must do before golden calls are held against it, tried in the sandbox."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from toolscale.artifacts import Call, Function
from toolscale.environment import BrokenRule, Sandbox, Trail
from toolscale.environment.rules import looking_back
from toolscale.synthesis.predicate_mutants import mutants

_AT_ONCE = 8
"""Mutants that are tried together; most examples notice one of the first."""


class Accepted(NamedTuple):
    """A call that a function accepts, by itself on the database."""

    call: Call
    trail: Trail


class Pair(NamedTuple):
    """The examples of a rule, as it is shown them."""

    breaks: Trail
    keeps: Trail


@dataclass(frozen=True)
class Trials:
    """An environment's functions at work, to try rules of its policy with."""

    sandbox: Sandbox
    accepted: Sequence[Accepted]

    def faults(self, module: str, pairs: Mapping[str, Pair]) -> dict[str, list[str]]:
        """Why rules of a module are not accepted, by name, for those that have a pair of examples."""
        return {rule: list(self._faults(module, rule, pairs)) for rule in pairs}

    def _faults(self, module: str, rule: str, pairs: Mapping[str, Pair]) -> Iterator[str]:
        breaks, keeps = pairs[rule]
        allowed = {f"the keeping example of `{other}`": pair.keeps for other, pair in pairs.items() if other != rule}
        if rule not in looking_back(module):
            allowed |= {_told(each.call): each.trail for each in self.accepted}
        named = ["its own breaking example", "its own keeping example", *allowed]
        found = self.sandbox.rules_broken_on([breaks, keeps, *allowed.values()], [rule], source=module)
        if stopped := [each for each in found if each.rule != rule]:
            yield f"`{rule}` never came to an end: {stopped[0].reason}"
            return
        sound = True
        for number, first in {each.trail: each for each in reversed(found) if each.failed}.items():
            sound = False
            yield f"on {named[number]}, {first.reason}"
        fired = {each.trail: each for each in reversed(found) if not each.failed}
        for number in sorted(fired.keys() - {0}):
            sound = False
            yield f"`{rule}` fires on {named[number]}, which the policy allows: {fired[number].reason}"
        at_the_end = len(breaks.steps) - 1
        if not any(each.trail == 0 and each.position == at_the_end and not each.failed for each in found):
            sound = False
            earlier = f" (only on its call {fired[0].position})" if 0 in fired else ""
            yield f"`{rule}` does not fire on the last call of its own breaking example{earlier}"
        if sound:
            yield from self._unnoticed(module, rule, breaks, keeps)

    def _unnoticed(self, module: str, rule: str, breaks: Trail, keeps: Trail) -> Iterator[str]:
        """Whether the examples would tell if the rule were another: each must fare otherwise under some mutant."""
        changed = mutants(module, rule)
        tried, silent, fires = 0, False, False
        while not (silent and fires) and (some := dict(islice(changed, _AT_ONCE))):
            tried += len(some)
            found = self._held("\n\n\n".join([module, *some.values()]), list(some), [breaks, keeps])
            silent |= bool(some.keys() - {each.rule for each in found if each.trail == 0})
            fires |= any(each.trail == 1 and not each.failed for each in found)
        if not tried:
            yield f"`{rule}` has no condition of its own: write what it compares into the rule itself"
            return
        if not silent:
            yield f"no mutation of `{rule}` is noticed by its breaking example: each of them fires on it too"
        if not fires:
            yield (
                f"no mutation of `{rule}` is noticed by its keeping example: none of them fires on it. Make it a near "
                "miss: the call of the breaking example, with the one thing otherwise that makes it right"
            )

    def _held(self, source: str, rules: list[str], trails: list[Trail]) -> list[BrokenRule]:
        """What so many rules say; one by one where one of them never came to an end."""
        found = self.sandbox.rules_broken_on(trails, rules, source=source)
        if len(rules) > 1 and any(each.rule not in rules for each in found):
            return [each for rule in rules for each in self._held(source, [rule], trails)]
        return found


def accepted_calls(functions: Sequence[Function], sandbox: Sandbox) -> list[Accepted]:
    """The examples that the functions' authors gave, as far as they succeed, each by itself on a fresh database.

    Other calls that succeed are no measure: functions may accept what only the policy forbids.
    """
    given = [Call(name=function.name, arguments=each) for function in functions for each in function.examples]
    return [Accepted(call, Trail.of(replay)) for call in given if (replay := sandbox.run([call])).ok]


def _told(call: Call) -> str:
    return f"{call.name}({str(call.arguments)[:300]}), an example of the function's own"
