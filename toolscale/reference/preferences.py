"""The offline model as one that proposes preferences over any catalogue, and as one that judges them.

What users say was written by hand: sentences about right answers, money and time that fit every catalogue, and
sentences about tools, some with a place for a maker or a tool.
"""

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any

Facts = Mapping[str, Any]
"""A tool as the prompt tells of it."""

Pair = dict[str, Any]

SLIPS = 0.05
"""The share of proposals in which the offline model gets a figure wrong, for the validator to find."""

OBJECTIVES = ("outcome", "compute", "latency")

GENERAL: Mapping[str, Sequence[tuple[tuple[float, float, float], str]]] = {
    "quality": (
        ((1, 0, 0), "All that counts is that the answer is right. Spend and wait as much as it takes."),
        ((1, 0, 0), "This goes into a court filing, so I need it correct; neither the bill nor the hour worries me."),
        ((1, 0, 0), "I would rather have a right answer tomorrow than a doubtful one now, and money is no concern."),
        ((1, 0.25, 0), "Get it right first of all. Only between equally good ways, take the one that costs less."),
        ((1, 0.25, 0), "Correctness comes first by far, though I do look at the bill at the end of the month."),
        ((1, 0, 0.25), "Please be right above everything; if two ways are as sure, I am glad of the quicker one."),
        ((1, 0, 0.25), "A mistake would be dear to us. After that, and far behind it, comes that I am waiting."),
        ((1, 0.25, 0.25), "Above all it must be correct. A little thrift and a little haste are welcome too."),
        ((1, 0.25, 0.25), "I check every figure of this, so be right; cost and time matter to me only a little."),
        ((1, 0.5, 0), "The answer has to be right, and half as important is that it does not cost much."),
        ((1, 0.5, 0), "Be correct, but mind my budget as well; I have all day."),
        ((1, 0, 0.5), "The answer has to be right, and half as important is that I get it soon."),
        ((1, 0, 0.5), "Be correct, but do not dawdle; our department pays whatever it costs."),
        ((1, 0.5, 0.25), "Right answers first, a small bill second, and a short wait last."),
        ((1, 0.25, 0.5), "Right answers first, a short wait second, and a small bill last."),
        ((0.75, 0, 0), "I am here for good answers and care about nothing else."),
    ),
    "budget": (
        ((0, 1, 0), "Please keep it as cheap as it can possibly be; nothing else matters to me today."),
        ((0, 1, 0), "My credit is nearly used up, so spend the least you can, however long it takes."),
        ((0.25, 1, 0), "Spend as little as you can. It would be nice if the answer were right, but I can check it."),
        ((0.5, 1, 0), "I pay for this out of my own pocket, so keep it cheap; a right answer matters half as much."),
        ((0.5, 1, 0), "Cost is my first concern and correctness my second; there is no hurry at all."),
        ((0.75, 1, 0), "Keep the bill low. I do want a right answer, nearly as much, and I can wait for it."),
        ((0, 1, 0.25), "The cheapest way, please; among cheap ways I slightly prefer a quick one."),
        ((0, 1, 0.5), "Save money first and time second; I only want a rough idea."),
        ((0.25, 1, 0.25), "I am a student with little money. Cheap is what counts, then right and quick, a bit."),
        ((0.25, 1, 0.25), "We run thousands of these a day, so every cent tells; the rest weighs little."),
        ((0.5, 1, 0.25), "Cheap first, then correct, and last of all quick."),
        ((0.25, 1, 0.5), "Cheap first, then quick, and last of all correct."),
        ((0.5, 1, 0.5), "Low cost is what I ask for most; being right and being quick count half as much, each."),
        ((0.75, 1, 0.25), "Mind the cost most, correctness nearly as much, and the time only a little."),
        ((0, 0.75, 0), "We are over budget this quarter: nothing matters now but to spend less."),
        ((0.75, 1, 0.5), "Our finance team watches this: cost first, closely followed by correctness, then time."),
    ),
    "speed": (
        ((0, 0, 1), "Just be quick. I need something on the screen, whatever it is and whatever it costs."),
        ((0, 0, 1), "I am in a live demonstration, so the only thing that counts is how soon you answer."),
        ((0.25, 0, 1), "Answer as fast as you can; if it is right as well, all the better."),
        ((0.5, 0, 1), "I have a meeting in two minutes. Fast is what counts, and being right half as much."),
        ((0.5, 0, 1), "Time is short and money is not; be quick first and correct second."),
        ((0.75, 0, 1), "I am on the phone with a customer: be fast, and nearly as much, be right."),
        ((0, 0.25, 1), "As fast as possible, please; if there is a choice among fast ways, a cheap one."),
        ((0, 0.5, 1), "Be quick first of all and cheap after that. A rough answer will do."),
        ((0.25, 0.25, 1), "Speed matters most by far; correctness and cost matter a little, and equally."),
        ((0.25, 0.25, 1), "I ask many small questions in a row, so do not keep me waiting; the rest is minor."),
        ((0.5, 0.25, 1), "Quick first, then correct, and last of all cheap."),
        ((0.25, 0.5, 1), "Quick first, then cheap, and last of all correct."),
        ((0.5, 0.5, 1), "A short wait is what I ask for most; a right answer and a low bill count half as much, each."),
        ((0.75, 0.25, 1), "Mind the time most, correctness nearly as much, and the cost only a little."),
        ((0, 0, 0.75), "I lose patience easily: what I care about is a short wait and nothing else."),
        ((0.75, 0.5, 1), "Our users leave when they wait: time first, closely followed by correctness, then cost."),
    ),
    "balance": (
        ((1, 1, 1), "I want it right, cheap and quick, and I would not give up one of them for another."),
        ((1, 1, 1), "Treat correctness, cost and time as equally important, and very important."),
        ((0.5, 0.5, 0.5), "I have no strong wishes: weigh correctness, cost and time about the same."),
        ((0.5, 0.5, 0.5), "A sensible middle way between right, cheap and quick is fine for me."),
        ((1, 1, 0), "Correct and cheap count the same for me. Take your time."),
        ((1, 1, 0), "I will run this overnight, so time is nothing; weigh the bill as much as the right answer."),
        ((1, 0, 1), "Correct and quick count the same for me. The company pays, so ignore the price."),
        ((1, 0, 1), "In an emergency room one needs the right answer at once; nobody asks what it costs."),
        ((0, 1, 1), "Something cheap and quick will do; I only want to see roughly where it goes."),
        ((0, 1, 1), "This is a smoke test of our software: spend little, be quick, and never mind the answer."),
        ((1, 1, 0.5), "Right and cheap are equally important, and quick is half as important."),
        ((1, 0.5, 1), "Right and quick are equally important, and cheap is half as important."),
        ((0.5, 1, 1), "Cheap and quick are equally important, and right is half as important."),
        ((1, 1, 0.25), "Weigh a right answer and a small bill alike; the wait matters only a little."),
        ((1, 0.25, 1), "Weigh a right answer and a short wait alike; the bill matters only a little."),
        ((0.25, 1, 1), "Weigh a small bill and a short wait alike; the right answer matters only a little."),
    ),
}

Which = Callable[[Facts], bool]


def _is_model(tool: Facts) -> bool:
    return bool(tool["kind"] == "model")


def _is_open(tool: Facts) -> bool:
    return _is_model(tool) and bool(tool["open_weights"])


def _is_closed(tool: Facts) -> bool:
    return _is_model(tool) and not tool["open_weights"]


def _reaches_the_web(tool: Facts) -> bool:
    return tool["kind"] in ("web_search", "extract_content") or tool["role"] == "query_writer"


def _stays_at_home(tool: Facts) -> bool:
    """Runs on the user's own machines; a query writer may send what it is told to a search service."""
    here = tool["kind"] in ("local_search", "code_interpreter", "function") or _is_open(tool)
    return here and tool["role"] != "query_writer"


def _of_kind(*kinds: str) -> Which:
    return lambda tool: tool["kind"] in kinds


def _in_role(*roles: str) -> Which:
    return lambda tool: tool["role"] in roles


def _not(which: Which) -> Which:
    return lambda tool: not which(tool)


ABOUT_TOOLS: Mapping[str, Sequence[tuple[Which, tuple[float, float, float], str]]] = {
    "privacy": (
        (
            _stays_at_home,
            (0, 0, 0),
            "I work for a company and its server holds confidential information. It has plenty of "
            "GPUs for open models and retrievers, so please avoid calls to outside services wherever you can.",
        ),
        (_stays_at_home, (0, 0, 0), "Nothing of this may leave our building; use what we can run on our own machines."),
        (_stays_at_home, (1, 0, 0), "These are patients' records. Keep to tools that can run in house, and be right."),
        (
            _stays_at_home,
            (0.5, 0, 0),
            "Use what can be hosted here, for reasons of data protection, and give the right answer "
            "half as much weight as that.",
        ),
        (_stays_at_home, (0, 1, 0), "Keep my data on my own hardware, and keep the cost down just as firmly."),
        (
            _stays_at_home,
            (0, 0, 0.5),
            "Our lawyers want all of it processed in house. Quick answers are welcome, half as much.",
        ),
        (
            _of_kind("local_search", "code_interpreter", "function"),
            (0, 0, 0),
            "I do not want any language model but you to see this. Use tools that run here and are no models.",
        ),
    ),
    "open_weights": (
        (_is_open, (0, 0, 0), "I believe in open models; whenever you ask a model, ask one whose weights are open."),
        (_is_open, (1, 0, 0), "Use models with open weights, so that others can repeat what I publish, and be right."),
        (_is_open, (0, 1, 0), "Use models with open weights, and among them those that cost us little."),
        (_is_open, (0.5, 0.5, 0), "Prefer open weights. Correct and cheap count too, half as much, each."),
        (_is_open, (0, 0, 1), "Only models with open weights, please, and only quick ways of using them."),
        (
            _is_closed,
            (0, 0, 0),
            "I have had better luck with commercial models whose weights are not public; use those.",
        ),
        (_is_closed, (1, 0, 0), "Ask the closed commercial models. What counts besides is that the answer is right."),
        (_is_closed, (0, 0, 0.5), "Rely on the commercial, closed models; half as important is that it goes fast."),
    ),
    "web": (
        (
            _of_kind("web_search", "extract_content"),
            (0, 0, 0),
            "I only believe what can be found on the internet; search it.",
        ),
        (
            _of_kind("web_search", "extract_content"),
            (1, 0, 0),
            "Look it up on the web before you answer, and get it right.",
        ),
        (_of_kind("web_search"), (0, 0, 0.5), "Search the web for the latest news on it, and be quick if you can."),
        (_of_kind("local_search"), (0, 0, 0), "All that you need stands in our own documents; search those."),
        (_of_kind("local_search"), (1, 0, 0), "Our handbook is indexed: search it rather than the web, and be right."),
        (_of_kind("local_search"), (0, 1, 0), "Search my own files, which costs nothing, and spend nothing elsewhere."),
        (
            _not(_reaches_the_web),
            (0, 0, 0),
            "Please do not search the web: I do not trust what stands there. Everything "
            "else may be used, and used freely.",
        ),
        (_not(_reaches_the_web), (1, 0, 0), "Work without the web, with any other tool, and reach the right answer."),
        (
            _not(_reaches_the_web),
            (0, 0, 0.5),
            "Use anything but the web, which is slow from here; some speed would help.",
        ),
        (
            _in_role("query_writer"),
            (0, 0, 0),
            "Let a model write the search queries for you whenever something is to be found.",
        ),
    ),
    "kind_of_tool": (
        (_of_kind("code_interpreter"), (0, 0, 0), "I trust computed results: run code for whatever can be computed."),
        (
            _of_kind("code_interpreter"),
            (1, 0, 0),
            "Check what you can by running Python, and make sure that it is right.",
        ),
        (
            lambda tool: tool["kind"] == "code_interpreter" or tool["role"] == "code_writer",
            (0, 0, 0),
            "Solve it with programs, your own or those that a model writes for you.",
        ),
        (
            _in_role("code_writer"),
            (0.5, 0, 0),
            "Have a coding model write the program; a right result counts half as much.",
        ),
        (_in_role("math"), (0, 0, 0), "Let models made for mathematics do the mathematics."),
        (_in_role("math"), (1, 0, 0), "Give the sums to a mathematics model, and see that they come out right."),
        (_in_role("generalist"), (0, 0, 0), "Ask general models what they think; I like to hear other opinions."),
        (_in_role("generalist"), (1, 0.5, 0), "Ask general models, be right, and keep the bill in mind half as much."),
        (_not(_is_model), (0, 0, 0), "Do not hand my questions on to other models; use search, code and such tools."),
        (_not(_is_model), (1, 1, 0), "No other models, please: plain tools, a right answer and a low cost."),
        (_is_model, (0, 0, 0), "Get help from other models as often as you like; that is what I subscribed for."),
    ),
}

OF_A_MAKER = (
    ((0, 0, 0), "We have a contract with {maker}, so use their models wherever a model is needed."),
    ((1, 0, 0), "I trust {maker} more than other makers; use their models, and make sure of the answer."),
    ((0, 1, 0), "Our credits are with {maker}. Use their models, and use the credits sparingly."),
)
NOT_OF_A_MAKER = ((0, 0, 0), "I would rather have no models by {maker}. Those of other makers are all welcome.")

OF_A_TOOL = (
    ((0, 0, 0), "I want to see {tool} at work, so use it as much as you can."),
    ((1, 0, 0), "I am testing {tool}: use it and no other, and see that the answer is right."),
    ((0, 1, 0), "Use {tool} where you use anything, and keep the bill small."),
    ((0.5, 0, 0.5), "My favourite is {tool}. Besides, a right answer and a short wait count half as much, each."),
)


def propose(theme: str, count: int, tools: Sequence[Facts], seed: int) -> dict[str, list[Pair]]:
    """At most so many pairs on a theme, a few with a slip; none where the catalogue has no tools to speak of."""
    rng = Random(f"{seed}:{theme}")
    pairs = list(_pairs(theme, tools))
    chosen = rng.sample(pairs, min(count, len(pairs)))
    return {"preferences": [_slipped(pair, rng) if rng.random() < SLIPS else pair for pair in chosen]}


def judge(pairs: Sequence[Pair], tools: Sequence[Facts]) -> dict[str, list[dict[str, Any]]]:
    """A verdict on each pair: whether it says and wants what a template over these tools does."""
    themes = (*GENERAL, *ABOUT_TOOLS, "vendor", "one_tool")
    known = {pair["instruction"]: pair["wants"] for theme in themes for pair in _pairs(theme, tools)}
    return {"verdicts": [_verdict(pair, known.get(pair["instruction"])) for pair in pairs]}


def _verdict(pair: Pair, meant: Mapping[str, float] | None) -> dict[str, Any]:
    wants = pair["wants"]
    if meant is None:
        reason = "the offline model knows no such instruction"
    else:
        different = sorted(name for name in {*meant, *wants} if meant.get(name, 0) != wants.get(name, 0))
        reason = f"the instruction says something else of {', '.join(different)}" if different else ""
    return {"number": pair["number"], "consistent": not reason, "reason": reason}


def _pairs(theme: str, tools: Sequence[Facts]) -> Iterator[Pair]:
    """All pairs on a theme that this catalogue has the tools for."""
    for objectives, said in GENERAL.get(theme, ()):
        yield _pair(said, [], objectives)
    for which, objectives, said in ABOUT_TOOLS.get(theme, ()):
        chosen = [tool["name"] for tool in tools if which(tool)]
        if 0 < len(chosen) < len(tools):
            yield _pair(said, chosen, objectives)
    if theme == "vendor":
        yield from _of_makers(tools)
    if theme == "one_tool":
        for tool in tools:
            for objectives, said in OF_A_TOOL:
                yield _pair(said.format(tool=_called(tool)), [tool["name"]], objectives)


def _of_makers(tools: Sequence[Facts]) -> Iterator[Pair]:
    makers = dict.fromkeys(tool["vendor"] for tool in tools if tool["vendor"])
    for maker in makers:
        own = [tool["name"] for tool in tools if tool["vendor"] == maker]
        for objectives, said in OF_A_MAKER:
            yield _pair(said.format(maker=maker), own, objectives)
        others = [tool["name"] for tool in tools if _is_model(tool) and tool["vendor"] != maker]
        if others:
            yield _pair(NOT_OF_A_MAKER[1].format(maker=maker), others, NOT_OF_A_MAKER[0])


def _called(tool: Facts) -> str:
    """What a user calls a tool: a model by its name and what it is for."""
    name = str(tool["name"]).replace("_", " ")
    if not tool["model"]:
        return f"the tool for {name}"
    return f"{str(tool['model']).rpartition('/')[2]} as {str(tool['role']).replace('_', ' ')}"


def _pair(said: str, chosen: Sequence[str], objectives: Sequence[float]) -> Pair:
    wants = dict.fromkeys(chosen, 1.0) | {
        name: float(how) for name, how in zip(OBJECTIVES, objectives, strict=True) if how
    }
    told = ", ".join(wants) if len(wants) <= 6 else f"{len(wants)} things"
    return {"instruction": said, "wants": wants, "explanation": f"The user asks for {told}."}


def _slipped(pair: Pair, rng: Random) -> Pair:
    """The pair with one figure that the instruction does not bear out."""
    slipped = copy.deepcopy(pair)
    name = rng.choice(sorted(slipped["wants"]))
    slipped["wants"][name] = round(1.1 - slipped["wants"][name], 2)
    return slipped
