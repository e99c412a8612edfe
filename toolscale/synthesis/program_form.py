"""What is wrong with a task program before it runs: its source, its functions, and the templates of its words."""

import ast
import re
from collections.abc import Iterator
from contextlib import suppress

from toolscale.artifacts import ProgramWording, TaskProgram
from toolscale.python_source import NotPython, parsed
from toolscale.synthesis.acceptance import import_problems
from toolscale.templates.template import certain_slots, compiled, slots, sound

WORDINGS = 3
"""Ways in which a request must be worded."""

MOST_TWISTS = 12
"""Twists that a program may bring."""

LONGEST_SOURCE = 20_000
"""Characters of a program."""

LONGEST_TEXT = 2_000
"""Characters of a template."""

MOST_ALIKE = 0.7
"""The share of words that two wordings may have in common."""

_GREETING = re.compile(
    r"[^\w{]*(?:hi|hello|hey|dear(?! me\b)|greetings|good (?:morning|day|afternoon|evening))\b(?!-)", re.IGNORECASE
)
_FIRST_CHOICE = re.compile(r"\W*\[([^\[\]]*)\]")
_ASIDE = re.compile(r"\s*[(\-\u2013\u2014]")


def form_problems(program: TaskProgram, functions: set[str]) -> Iterator[str]:
    """What is wrong with a program before it runs."""
    if len(program.wordings) < WORDINGS:
        yield f"`wordings`: there are {len(program.wordings)}; give {WORDINGS} or more, each in another voice"
    if len({wording.persona for wording in program.wordings}) < len(program.wordings):
        yield "`wordings`: two have the same persona"
    if len(program.twists) > MOST_TWISTS:
        yield f"`twists`: {len(program.twists)}; at most {MOST_TWISTS}"
    for where, template in _templates(program):
        if len(template) > LONGEST_TEXT:
            yield f"{where}: longer than {LONGEST_TEXT:,} characters"
            continue
        try:
            sound(template)
            compiled(template)
        except (ValueError, RecursionError) as error:
            yield f"{where}: {error}"
    yield from _word_problems(program)
    yield from _correction_problems(program)
    yield from _unknown_answers(program)
    yield from _source_problems(program, functions)


def slot_problems(where: str, wording: ProgramWording, facts: set[str], user: str, colour: set[str]) -> Iterator[str]:
    """Facts that a wording does not say, and slots that are no facts; `colour` may be left out."""
    text, known = slots(wording.text), slots(wording.known)
    if strange := sorted((text | known) - facts):
        yield f"{where} has the slot {', '.join(strange)}, which `draw` does not return"
    said = certain_slots(wording.text) | certain_slots(wording.known)
    if unsaid := sorted(facts - said - colour - {user}):
        yield (
            f"{where} does not say {', '.join(unsaid)}: each fact stands in `text` or `known`, whichever alternatives "
            "are taken"
        )
    if painted := sorted(known & colour):
        yield f"{where}: `known` says {', '.join(painted)}, which is colour: who the user is must be true"
    if not known:
        yield f"{where}: `known` must say who the user is: `{user}`, or what only their record has"


def _word_problems(program: TaskProgram) -> Iterator[str]:
    """What nobody would say so: a greeting in the middle, an aside in place of a noun, the same words again."""
    texts = [(f"wording {number}, `text`", wording.text) for number, wording in enumerate(program.wordings, start=1)]
    twists = [(f"twist `{twist.name}`", text) for twist in program.twists for text in twist.wordings]
    for where, text in (*texts, *twists):
        choice = _FIRST_CHOICE.match(text)
        openings = (text, *(choice[1].split("|") if choice else ()))
        if greeting := next(filter(None, map(_GREETING.match, openings)), None):
            yield f"{where} greets ({greeting[0].strip(' [')!r}): begin with the request, since it may come second"
    for twist in program.twists:
        if twist.replaces and any(_ASIDE.match(text) for text in twist.wordings):
            yield (
                f"twist `{twist.name}`: what stands for `{twist.replaces}` is a noun phrase that fits in its place, "
                'such as "the one for Friday", and no aside'
            )
    for number, (where, text) in enumerate(texts):
        for before, other in texts[:number]:
            if _likeness(text, other) > MOST_ALIKE:
                yield f"{where} says the same in the same words as {before.partition(',')[0]}: build it another way"
    if program.again and program.again in program.others:
        yield f"`others` and `again` both name `{program.again}`: what the same is done for is the user's own"


def _correction_problems(program: TaskProgram) -> Iterator[str]:
    for number, text in enumerate(program.corrections, start=1):
        where = f"correction {number}"
        with suppress(ValueError):  # brackets that do not pair are told of already
            if strange := sorted(slots(text) - {"at_first", "instead"}):
                yield f"{where} has the slot {', '.join(strange)}: there are `at_first` and `instead`"
            elif "instead" not in certain_slots(text):
                yield f"{where} does not say `instead`, the value that holds, whichever alternatives are taken"


def _likeness(one: str, other: str) -> float:
    """The share of the words of two templates that stand in both, slots and alternatives counted as words."""
    first, second = (set(re.findall(r"\w+", text.casefold())) for text in (one, other))
    return len(first & second) / max(1, len(first | second))


def _templates(program: TaskProgram) -> Iterator[tuple[str, str]]:
    for number, wording in enumerate(program.wordings, start=1):
        yield f"wording {number}, `text`", wording.text
        yield f"wording {number}, `known`", wording.known
        yield from ((f"wording {number}, `asks.{name}`", text) for name, text in wording.asks.items())
    for twist in program.twists:
        yield from ((f"twist `{twist.name}`", text) for text in twist.wordings)
        yield from ((f"twist `{twist.name}`, `asks.{name}`", text) for name, text in twist.asks.items())
    yield from ((f"correction {number}", text) for number, text in enumerate(program.corrections, start=1))


def _source_problems(program: TaskProgram, functions: set[str]) -> Iterator[str]:
    try:
        module = parsed(program.source, longest=LONGEST_SOURCE)
    except NotPython as error:
        yield f"`source` does not compile: {error}"
        return
    yield from import_problems(module)
    defined = {node.name: node for node in module.body if isinstance(node, ast.FunctionDef)}
    wanted = {"draw": ("db", "rng"), "solve": ("call", "facts")}
    for twist in program.twists:
        if twist.replaces:
            wanted[f"find_{twist.name}"] = ("call", "facts")
    optional = {f"draw_{twist.name}": ("db", "rng", "facts") for twist in program.twists}
    optional |= {f"then_{twist.name}": ("call", "facts", "told") for twist in program.twists}
    for name, parameters in (wanted | optional).items():
        node = defined.get(name)
        if node is None:
            if name in wanted:
                yield f"`source` must define `{name}({', '.join(parameters)})` at top level"
        elif len(node.args.args) != len(parameters) or node.args.vararg or node.args.kwonlyargs:
            yield f"`{name}` must take ({', '.join(parameters)})"
    known = {twist.name for twist in program.twists}
    for name in defined:
        hook, _, twist_name = name.partition("_")
        if hook in ("draw", "then", "find") and twist_name and twist_name not in known:
            yield f"`{name}`: there is no twist `{twist_name}`; names of helpers begin with `_`"
    if unknown := sorted(_called(module) - functions):
        yield f"there is no function {', '.join(f'`{name}`' for name in unknown)}"


def _unknown_answers(program: TaskProgram) -> Iterator[str]:
    asked = {name for wording in program.wordings for name in wording.asks}
    asked |= {name for twist in program.twists for name in twist.asks}
    yield from (f"`asks.{name}`: `answers` lists no `{name}`" for name in sorted(asked - program.answers.keys()))


def _called(module: ast.Module) -> set[str]:
    """The functions that a source calls by a name that is written out."""
    return {
        node.args[0].value
        for node in ast.walk(module)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "call" and node.args
        if isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str)
    }
