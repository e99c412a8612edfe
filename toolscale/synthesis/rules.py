"""Stage: rules. From the policy and the functions to predicates that say which calls break it.

The teacher writes one module and, for each rule, a call that breaks it and one that just keeps it. All is tried in the
sandbox, and what fails goes back with the reasons. What no program can check it names, in the policy's own words; so
is what it never gets right. A judge reads these sentences beside each task's golden calls (`synthesis/judgement.py`).
"""

import ast
import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from pydantic import BaseModel

from toolscale.artifacts import Database, DatabaseSchema, Entry, EnvironmentSpec, Function, Reject, Rule
from toolscale.environment import PRELOADED_MODULES, Sandbox, rules_in
from toolscale.llm import MalformedAnswer, Unanswerable
from toolscale.prompts import render
from toolscale.python_source import parsed, written
from toolscale.synthesis.acceptance import import_problems
from toolscale.synthesis.assembly import database_of
from toolscale.synthesis.demonstrations import demonstration_for
from toolscale.synthesis.excerpt import Excerpts
from toolscale.synthesis.plan import PlanAnswer
from toolscale.synthesis.rule_examples import RuleExample, trail_of
from toolscale.synthesis.rule_trials import Pair, Trials, accepted_calls
from toolscale.synthesis.run import DomainRun
from toolscale.synthesis.sifted import Sifted
from toolscale.synthesis.sources import functions_module, rules_module

ROUNDS = 4
"""How often the rules are asked for before those that are still at fault are left to the judge."""

SHOWN = 2
"""Rules of another domain that demonstrate the form."""


class RuleExamples(BaseModel):
    """The examples of one rule."""

    rule: str
    breaks: RuleExample
    keeps: RuleExample


class RulesAnswer(BaseModel):
    """What the model answers with."""

    source: str = ""
    examples: list[RuleExamples] = []
    not_checkable: list[str] = []


async def write_rules(
    run: DomainRun,
    schema: DatabaseSchema,
    entries: list[Entry],
    functions: list[Function],
    functions_plan: PlanAnswer,
) -> Sifted[Rule]:
    """The policy as predicates on calls, and the sentences that no program can check; refused answers beside them.

    The teacher writes each predicate with a call that breaks it and one that just keeps it. In the sandbox it must fire
    on the first and on nothing that the policy allows, and its examples must notice a mutation. A predicate that never
    passes, and what no program can check, is left to a judge who reads it beside each task's golden calls.

    Raises:
        GatewayError: the model could not be had.
    """
    database = database_of(schema, entries)
    environment = EnvironmentSpec(
        domain=run.domain.name,
        now=run.domain.now,
        seed=run.seed,
        functions=[function.spec() for function in functions],
        source=functions_module(functions),
        database=database,
    )
    with Sandbox(environment) as sandbox:
        accepted = await asyncio.to_thread(accepted_calls, functions, sandbox)
        writing = Writing(functions_plan.policy, Trials(sandbox, accepted))
        messages = render("rules", **_shown(run, schema, database, functions, functions_plan))
        rejects: list[Reject] = []

        def refused(raw: str, reasons: list[str]) -> None:
            rejects.append(Reject(domain=run.domain.name, stage="rules", check="rules", reasons=reasons, raw=raw))

        async def problems(answer: RulesAnswer) -> list[str]:
            return await asyncio.to_thread(writing.problems, answer)

        try:
            await run.typed("rules", messages, RulesAnswer, check=problems, on_refused=refused, rounds=ROUNDS)
        except Unanswerable as error:
            if not isinstance(error, MalformedAnswer):
                rejects.append(Reject(domain=run.domain.name, stage="rules", check=error.kind, reasons=error.reasons))
        return Sifted(writing.rules(), rejects)


def _shown(
    run: DomainRun, schema: DatabaseSchema, database: Database, functions: Sequence[Function], plan: PlanAnswer
) -> dict[str, object]:
    """What the prompt is given."""
    demonstration = demonstration_for(run.domain.name)
    shown = [*rules_in(demonstration.rules)][:SHOWN]
    examples = [each for each in demonstration.rule_examples if each["rule"] in shown]
    return {
        "domain": run.domain,
        "schema": schema.json_schema,
        "database": Excerpts(schema, database).draw(f"rules:{run.seed}", size=30),
        "policy": plan.policy,
        "functions": [
            function.model_dump(mode="json", include={"name", "kind", "source", "examples"}) for function in functions
        ],
        "demo_domain": demonstration.name,
        "demo_rules": _alone(demonstration.rules, shown),
        "demo_examples": examples,
        "modules": PRELOADED_MODULES,
    }


class Writing:
    """The rules of one policy, from the first answer to what is kept of the last."""

    def __init__(self, policy: str, trials: Trials) -> None:
        self._policy = policy
        self._trials = trials
        self._sound: list[Rule] = []
        self._left: list[str] = []

    def problems(self, answer: RulesAnswer) -> list[str]:
        """What is wrong with an answer; what is not wrong with it is remembered."""
        sentences = [sentence for sentence in answer.not_checkable if _stands_in(sentence, self._policy)]
        unknown = [
            f"`not_checkable`: {sentence[:120]!r} does not stand in the policy: copy the sentence word by word"
            for sentence in answer.not_checkable
            if sentence not in sentences
        ]
        self._sound, self._left = [], sentences
        try:
            module, stated = _usable(answer.source)
        except ValueError as error:
            return [f"the source cannot be used: {error}", *unknown]
        if not stated and not answer.not_checkable:
            return ["there is neither a rule nor a sentence that no program can check"]
        faults = self._faults(module, stated, answer)
        for rule, sentence in stated.items():
            if faults.get(rule):
                self._left.append(sentence)
            else:
                examples = next(each for each in answer.examples if each.rule == rule)
                self._sound.append(_rule(module, rule, sentence, examples))
        strays = [f"`examples`: there is no rule `{each.rule}`" for each in answer.examples if each.rule not in stated]
        return [*(fault for of_rule in faults.values() for fault in of_rule), *unknown, *strays]

    def rules(self) -> list[Rule]:
        """The predicates of the latest answer that stood their trial, and all that is left to a judge."""
        left = self._left if self._sound or self._left else _paragraphs(self._policy)
        judged = [
            Rule(name=f"not_checkable_{number}", sentence=sentence, by="judge")
            for number, sentence in enumerate(dict.fromkeys(left), start=1)
        ]
        return [*self._sound, *judged]

    def _faults(self, module: str, stated: Mapping[str, str], answer: RulesAnswer) -> dict[str, list[str]]:
        """Why rules are not accepted, by name."""
        faults: dict[str, list[str]] = {rule: [] for rule in stated}
        pairs: dict[str, Pair] = {}
        for rule in stated:
            given = [each for each in answer.examples if each.rule == rule]
            if len(given) != 1:
                faults[rule] = [
                    f"`{rule}` has {len(given) or 'no'} pairs of examples: give one that breaks, one that keeps it"
                ]
                continue
            trails = []
            for name, example in (("breaks", given[0].breaks), ("keeps", given[0].keeps)):
                try:
                    trails.append(trail_of(example, self._trials.sandbox))
                except ValueError as error:
                    faults[rule].append(f"`{name}` of `{rule}`: {error}")
            if len(trails) == 2:
                pairs[rule] = Pair(*trails)
        return faults | self._trials.faults(module, pairs)


def _usable(source: str) -> tuple[str, Mapping[str, str]]:
    """The module that is left of a source, as it will stand in the environment, with its rules.

    Raises:
        ValueError: it does not compile, imports what the sandbox does not have, or holds something that is no rule.
    """
    if problems := import_problems(parsed(source)):
        raise ValueError("; ".join(problems))
    stated = rules_in(source)
    module = rules_module(
        [Rule(name=name, sentence=said, by="program", source=_alone(source, [name])) for name, said in stated.items()]
    )
    if rules_in(module).keys() != stated.keys():
        raise ValueError("a rule is defined twice, or calls another: what rules share begins with `_`")
    return module, stated


def _rule(module: str, name: str, sentence: str, examples: RuleExamples) -> Rule:
    return Rule(
        name=name,
        sentence=sentence,
        by="program",
        source=_alone(module, [name]),
        breaks=examples.breaks.model_dump(mode="json", exclude_unset=True),
        keeps=examples.keeps.model_dump(mode="json", exclude_unset=True),
    )


def _alone(source: str, rules: Sequence[str]) -> str:
    """What of a module its rules need, each statement as it was written."""
    statements = _statements(source)
    needed, found = set(rules), set[str]()
    while found != needed:
        found = set(needed)
        needed = found.union(*(each.uses for each in statements if found & each.binds))
    return "\n\n\n".join(each.text for each in statements if needed & each.binds)


class _Statement(NamedTuple):
    """A top-level statement as it is written, with the names that it binds and those that stand in it."""

    text: str
    binds: frozenset[str]
    uses: frozenset[str]


@lru_cache(maxsize=16)
def _statements(source: str) -> tuple[_Statement, ...]:
    return tuple(
        _Statement(
            written(each),
            frozenset(_bound(each)),
            frozenset(node.id for node in ast.walk(each) if isinstance(node, ast.Name)),
        )
        for each in parsed(source).body
    )


def _bound(statement: ast.stmt) -> Iterator[str]:
    """The names that a top-level statement binds."""
    match statement:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            yield from ((alias.asname or alias.name).partition(".")[0] for alias in names)
        case ast.Expr():
            return
        case _:
            for node in ast.walk(statement):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    yield node.id


def _stands_in(sentence: str, policy: str) -> bool:
    return bool(sentence.strip()) and _plain(sentence) in _plain(policy)


def _plain(text: str) -> str:
    """A text without the marks of Markdown, on one line."""
    return " ".join(re.sub(r"[*_`#>]+|^\s*(?:[-+]|\d+\.)\s", " ", text, flags=re.MULTILINE).casefold().split())


def _paragraphs(policy: str) -> list[str]:
    """A policy in parts that a judge can name, without its headings."""
    return [line.strip() for line in policy.splitlines() if line.strip() and not line.startswith("#")]
