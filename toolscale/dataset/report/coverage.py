"""How far tasks reach into their domains: which functions golden calls name, and which rules they put to the test."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolscale.dataset.contents import Contents
from toolscale.dataset.report.replayed import Replayed
from toolscale.environment import not_checkable_in, rules_in
from toolscale.printable import in_one_line


@dataclass
class Coverage:
    """A domain's functions and rules, and the tasks that reach them."""

    functions: Sequence[tuple[str, str, int]]
    """Name, kind, and how many tasks of the dataset need it; most first."""
    sentences: Mapping[str, str]
    """Rule -> what the policy says."""
    judged: Sequence[str]
    """What of the policy a model judges, since no program can."""
    replayed: int = 0
    """Tasks of which the rules in play are known."""
    tasks: Counter[str] = field(default_factory=Counter)
    """Rule -> tasks of these in which it is in play."""
    together: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Function and rule -> tasks of these in which the rule is in play on a call of the function."""

    @property
    def used(self) -> int:
        """How many functions some task needs."""
        return sum(count > 0 for _, _, count in self.functions)

    @property
    def unused(self) -> list[str]:
        """The functions that no task needs."""
        return [name for name, _, tasks in self.functions if not tasks]

    @property
    def tested(self) -> int:
        """How many rules are in play in some task."""
        return sum(self.tasks[rule] > 0 for rule in self.sentences)

    def as_json(self) -> dict[str, Any]:
        """As the page's script has it: the last are triples of places and a count."""
        functions = [name for name, _, _ in self.functions]
        rules = list(self.sentences)
        return {
            "functions": [list(each) for each in self.functions],
            "rules": [[name, in_one_line(says), self.tasks[name]] for name, says in self.sentences.items()],
            "replayed": self.replayed,
            "together": [
                [functions.index(function), rules.index(rule), count]
                for (function, rule), count in sorted(self.together.items())
                if function in functions
            ],
        }


def coverage(contents: Contents, replayed: Sequence[Replayed]) -> dict[str, Coverage]:
    """Domain -> its coverage: functions by all tasks of the dataset, rules by those that were replayed."""
    functions: dict[str, list[tuple[str, str, int]]] = defaultdict(list)
    for domain, name, kind, tasks in contents.tables.rows(
        "select domain, name, kind, tasks from functions_used order by domain, tasks desc, name"
    ):
        functions[domain].append((str(name), str(kind), int(tasks)))
    rules: dict[str, str] = {}
    for domain, source in contents.tables.rows("select domain, rules from environments order by domain, id"):
        rules.setdefault(domain, source)
    found = {
        domain: Coverage(functions[domain], rules_in(source), not_checkable_in(source))
        for domain, source in rules.items()
    }
    for one in replayed:
        mine = found[one.task.domain]
        mine.replayed += 1
        mine.tasks.update(frozenset().union(*one.in_play))
        named = zip(one.task.golden_calls, one.in_play, strict=True)
        mine.together.update({(call.name, rule) for call, rules in named for rule in rules})
    return found
