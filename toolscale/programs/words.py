"""Goals in their user's words: the templates of programs and twists, filled, and what leads from one to the next."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from toolscale.artifacts import Goal, ProgramTwist, ProgramWording, TaskProgram
from toolscale.templates.template import Pen, kinds_of_slots, render, words_of

ALSO = (
    "[One more thing.|There is something else.|And a second matter.|I am writing about something else as well.|"
    "I have another request, too.|Then there is this.|Something else while I am at it.] "
)
ALSO_ON = "[also|and then|one more thing|plus|while i am at it|something else]: "
INSTEAD = (
    "[If that cannot be done, there is something I want instead.|Should that not be possible, I would rather have this."
    "|In case that is refused, here is what I want instead.|If you have to say no, then let me ask this.] "
)
INSTEAD_ON = "[if that is not possible|if you cannot|in case that is refused]: "
IF_MORE = (
    "[If {called} comes to more than {above}, there is something else I want.|Only if {called} is above {above}, I "
    "also want what comes next.|Should {called} be more than {above}, I have one more request, otherwise not.|What "
    "follows I want only if {called} is over {above}.] "
)
IF_MORE_ON = "[if {called} comes to more than {above}|only if {called} is over {above}]: "
IF_LESS = (
    "[If {called} stays under {below}, there is something else I want.|Only if {called} is below {below}, I also want "
    "what comes next.|Should {called} be less than {below}, I have one more request, otherwise not.|What follows I "
    "want only if {called} is under {below}.] "
)
IF_LESS_ON = "[if {called} stays under {below}|only if {called} is below {below}]: "
LEADS = {
    "if": (IF_MORE, IF_LESS, IF_MORE_ON, IF_LESS_ON),
    "instead": (INSTEAD, INSTEAD_ON),
    "also": (ALSO, ALSO_ON),
}
"""How a further goal is joined -> what may lead over to it. What ends in a colon stands before small letters."""
AGAIN = (
    "[The same for {again}, please.|Please do exactly the same for {again}.|And the same goes for {again}."
    "|I want just that for {again} as well.]"
)
CORRECTION = (
    "[Sorry, not {at_first}: make that {instead}.|No, wait, I meant {instead}, not {at_first}."
    "|Let me correct myself: {instead} rather than {at_first}.|Oh no, I mixed that up: {instead}, not {at_first}.]"
)
TOTAL = (
    "[And tell me what {called} comes to for all of them together.|What is {called} in total, over all of them?"
    "|Please also give me the sum, over all of them, of {called}.]"
)
"""What joins the words of programs. Slots without a kind take that of the slot that they stand for."""

_GREETING = re.compile(
    r"\A(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|dear \w+)"
    r"(?: there| all| everybody)?(?:\s*[,!.:]+| [–-])\s+",
    re.IGNORECASE,
)
"""Matches a greeting at the start of a request: nobody greets in the middle of a message."""
_TRIES = 8


@dataclass(frozen=True)
class Words:
    """What a user says, a line for each sentence, and which words ask for which answer."""

    persona: str
    text: str
    known: str
    asked: Mapping[tuple[int, str, str], str] = field(default_factory=dict)
    """`(goal, twist, answer)` -> the words that ask for it."""
    totals: Mapping[tuple[int, str], str] = field(default_factory=dict)
    """`(goal, answer)` -> the words that ask for its sum."""


def words(programs: Mapping[str, TaskProgram], goals: Sequence[Goal], rng: Random, wording: int) -> Words:
    """The goals as one user puts them, in the wording of that number, whatever number a program has.

    Raises:
        KeyError: a slot has no fact.
    """
    pen, persona, known = Pen(rng), "", ""
    lines: list[str] = []
    asked: dict[tuple[int, str, str], str] = {}
    totals: dict[tuple[int, str], str] = {}
    first: ProgramWording | None = None
    for place, goal in enumerate(goals):
        program = programs[goal.program]
        own = _wording(program, wording, like=first)
        first = first or own
        if not place:
            persona, known = own.persona, render(own.known, goal.facts, pen)
        said = dict(goal.facts)
        twists = [(program.twist(each.name), each.facts) for each in goal.twists]
        for twist, drawn in twists:
            if twist.replaces:
                said[twist.replaces] = _worded(twist, {**goal.facts, **drawn}, pen)
        if goal.at_first is not None:
            said[program.changes] = goal.at_first
        request = render(own.text, said, pen)
        asked |= {(place, "", name): found for name, found in _asking(own.asks, said, request, pen).items()}
        if place:
            request = _without_greeting(request)
            asking = programs[goals[goal.bound.goal].program] if goal.bound else program
            request = _lead(goal, asking, request, lines, pen) + request
        lines.append(request)
        if goal.at_first is not None:
            facts = {"at_first": goal.at_first, "instead": goal.facts[program.changes]}
            lines.append(render(spelt_as(_correction(program, pen), own.text, program.changes), facts, pen))
        for twist, drawn in twists:
            if not twist.replaces:
                facts = {**goal.facts, **drawn}
                line = _worded(twist, facts, pen)
                found = _asking(twist.asks, facts, line, pen)
                asked |= {(place, twist.name, name): said_so for name, said_so in found.items()}
                lines.append(line)
        again = spelt_as(AGAIN, own.text, program.again)
        lines += [render(again, {"again": value}, pen) for value in goal.repeats]
        for name in goal.totals:
            line = render(TOTAL, {"called": program.answers[name].called}, pen)
            totals[place, name] = line
            lines.append(line)
    return Words(persona, "\n".join(lines), known, asked, totals)


def _wording(program: TaskProgram, number: int, like: ProgramWording | None) -> ProgramWording:
    """The wording of that number; of somebody who writes in small letters, or does not, as another wording has it."""
    alike = [each for each in program.wordings if like is None or _in_small(each.text) == _in_small(like.text)]
    among = alike or program.wordings
    return among[number % len(among)]


def _without_greeting(request: str) -> str:
    rest = _GREETING.sub("", request)
    return rest if rest == request or request[0].islower() else rest[:1].upper() + rest[1:]


def _in_small(template: str) -> bool:
    letter = re.search(r"[^\W\d_]", re.sub(r"\{[^}]*\}", "", template))
    return letter is not None and letter[0].islower()


def _correction(program: TaskProgram, pen: Pen) -> str:
    own = program.corrections
    return own[pen.alternative(len(own))] if own else CORRECTION


def _worded(twist: ProgramTwist, facts: Mapping[str, object], pen: Pen) -> str:
    return render(twist.wordings[pen.alternative(len(twist.wordings))], facts, pen)


def _asking(asks: Mapping[str, str], facts: Mapping[str, object], text: str, pen: Pen) -> dict[str, str]:
    """Answer -> the words of the text that ask for it, where they stand there."""
    found = {name: words_of(template, facts, text, pen) for name, template in asks.items()}
    return {name: said for name, said in found.items() if said}


def _lead(goal: Goal, asking: TaskProgram, request: str, said: Sequence[str], pen: Pen) -> str:
    """What leads over to a further request, other than before; `asking` is the program whose answer it hangs on."""
    facts: dict[str, object] = {}
    full, before_small = LEADS[goal.joined][0], LEADS[goal.joined][-1]
    if (bound := goal.bound) is not None:
        full, before_small = (IF_MORE, IF_MORE_ON) if bound.above is not None else (IF_LESS, IF_LESS_ON)
        side = "above" if bound.above is not None else "below"
        facts = {"called": asking.answers[bound.answer].called, side: f"{bound.figure:g}"}
    template = before_small if request[:1].islower() else full
    for _ in range(_TRIES):
        lead = render(template, facts, pen)
        if not any(line.startswith(lead) for line in said) and "comes to comes to" not in lead:
            break
    return lead


def spelt_as(template: str, text: str, slot: str) -> str:
    """The template with its slots of the kind that a slot has in a text."""
    kind = kinds_of_slots(text).get(slot, "text")
    return re.sub(r"\{(\w+)\}", rf"{{\1:{kind}}}", template)
