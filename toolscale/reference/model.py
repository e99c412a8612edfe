"""`offline/reference`: answers the factory's prompts from the reference domains. It is not a language model.

A pure function of the request: it reads the stage and the domain from the prompt's first lines, or recognises an
agent's conversation by its tools, and keeps nothing between requests.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from toolscale.artifacts import Call
from toolscale.errors import UserError
from toolscale.messages import Message, text_of
from toolscale.reference import clerk, preferences, solver, teacher
from toolscale.reference.agent import next_move, outcomes_in, reply_as_tau2_user, reply_as_user
from toolscale.reference.domain import ReferenceDomain, reference_domain
from toolscale.reference.enact import Script, advance
from toolscale.reference.program import World

_BARE_FIGURE = re.compile(r"[-+]?\d[\d.,]*")

_OPTION = re.compile(r"^- option \d+: (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class OfflineRequest:
    """A chat request, as far as the offline model reads it."""

    messages: Sequence[Message]
    tools: Sequence[Message] = ()
    seed: int = 0

    def system(self, field: str) -> str:
        """What the prompt's first lines say of a field, such as `Stage`; empty if nothing."""
        return _field(self.system_prompt, field)

    def asked(self, field: str) -> str:
        """What the prompt says of a field that differs from call to call, such as `Subject`; empty if nothing."""
        return self.system(field) or _field(self.prompt, field)

    @property
    def system_prompt(self) -> str:
        """The first message."""
        return text_of(self.messages[0]) if self.messages else ""

    @property
    def prompt(self) -> str:
        """The first user message."""
        return next((text_of(message) for message in self.messages if message["role"] == "user"), "")


def _field(text: str, field: str) -> str:
    found = re.search(rf"^{field}: (.+)$", text, re.MULTILINE)
    return found[1].strip() if found else ""


def answer(request: OfflineRequest) -> Message:
    """The assistant message that answers a request.

    Raises:
        UserError: the domain is not a reference domain, or the prompt is not one of the factory's.
    """
    said = _answer(request)
    if isinstance(said, Call):
        function = {"name": said.name, "arguments": json.dumps(said.arguments, ensure_ascii=False)}
        identity = f"call_{sum(message['role'] == 'tool' for message in request.messages)}"
        return {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": identity, "type": "function", "function": function}],
        }
    content = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
    return {"role": "assistant", "content": content}


def _answer(request: OfflineRequest) -> Call | str | dict[str, Any]:
    stage = request.system("Stage")
    if stage == "user":
        done = re.search(r"answer with (\S+) alone", text_of(request.messages[0]))
        return reply_as_user(text_of(request.messages[0]), request.messages[2:], done[1] if done else "")
    if not stage and "<scenario>" in request.system_prompt:
        return reply_as_tau2_user(request.system_prompt, request.messages[2:])
    if not stage and request.tools:
        return next_move(request.messages, request.tools, request.seed)
    if not stage:
        raise UserError(
            "the offline model answers only this factory's prompts; for anything else name a real model, "
            "such as --model openai/gpt-5-mini"
        )
    if stage == "preferences":
        count = re.search(r"Write (\d+) of them", text_of(request.messages[0]))
        tools = clerk.json_block(request.prompt, "Tools:")
        return preferences.propose(request.system("Theme"), int(count[1]) if count else 1, tools, request.seed)
    if stage == "validate_preference":
        pairs = clerk.json_block(request.prompt, "Pairs:")
        return preferences.judge(pairs, clerk.json_block(request.prompt, "Tools:"))
    if stage == "domains":
        raise UserError(
            "the offline model proposes no domains, it only knows its own; name a real model, "
            "such as --model openai/gpt-5-mini"
        )
    domain = reference_domain(request.system("Domain"))
    if stage not in _ANSWERS:
        raise UserError(f"the offline model knows no stage `{stage}`; has prompts/ been changed?")
    return _ANSWERS[stage](domain, request)


def _entries(domain: ReferenceDomain, request: OfflineRequest) -> dict[str, Any]:
    part, _, of = (request.asked("Part") or "1 of 1").partition(" of ")
    sent_back = clerk.was_sent_back(request.messages)
    return clerk.entries(
        domain, request.asked("Subject"), request.seed, part=int(part), of=int(of), sent_back=sent_back
    )


def _function(domain: ReferenceDomain, request: OfflineRequest) -> dict[str, Any]:
    sent_back = clerk.was_sent_back(request.messages)
    return clerk.function(domain, request.asked("Function"), request.seed, sent_back=sent_back)


def _intents(domain: ReferenceDomain, request: OfflineRequest) -> dict[str, Any]:
    least = re.search(r"none empty, at least (\d+)", request.prompt)
    return clerk.intents(domain, int(least[1]) if least else 1)


def _programs(domain: ReferenceDomain, request: OfflineRequest) -> dict[str, Any]:
    asked = re.search(r"^Write the program for this one: (.+)$", request.prompt, re.MULTILINE)
    sent_back = sum(message["role"] == "assistant" for message in request.messages)
    return clerk.programs(domain, asked[1].strip() if asked else "", request.seed, times_sent_back=sent_back)


def _openness(domain: ReferenceDomain, request: OfflineRequest) -> dict[str, Any]:
    said = request.prompt.partition("<user>\n")[2].partition("\n</user>")[0]
    looked_up = clerk.json_block(request.prompt, "What was looked up")
    return solver.openness(domain, said, looked_up, _choices(request.prompt))


def _task(domain: ReferenceDomain, request: OfflineRequest) -> Call | dict[str, Any]:
    call, draft = advance(_teaching(request.system("Stage"), domain, request), outcomes_in(request.messages))
    return call if call is not None else _with_kinds(draft or {})


_ANSWERS: dict[str, Callable[[ReferenceDomain, OfflineRequest], Call | str | dict[str, Any]]] = {
    "subjects": lambda domain, request: clerk.subjects(domain, request.seed),
    "schema": lambda domain, request: clerk.schema(domain, request.seed),
    "entries": _entries,
    "validation": lambda domain, request: clerk.validation(domain, clerk.json_block(request.prompt, "New records")),
    "functions_plan": lambda domain, _: clerk.functions_plan(domain),
    "function": _function,
    "rules": lambda domain, _: clerk.rules(domain),
    "intents": _intents,
    "programs": _programs,
    "openness": _openness,
    "rewording": lambda domain, request: clerk.rewording(
        domain, clerk.json_block(request.prompt, "Requests:"), request.seed
    ),
    "policy": lambda domain, _: clerk.judgement(),
    "tasks": _task,
    "evolution": _task,
}
"""Stage of a domain -> who answers its prompt."""


def _choices(prompt: str) -> list[solver.Asked]:
    """The choices of a prompt of the stage openness."""
    headed = re.split(r"^Choice \d+: what to give to `(\w+)` beside (.+)$", prompt, flags=re.MULTILINE)[1:]
    return [
        solver.Asked(function, json.loads(beside), [json.loads(option) for option in _OPTION.findall(rest)])
        for function, beside, rest in zip(headed[::3], headed[1::3], headed[2::3], strict=True)
    ]


def _teaching(stage: str, domain: ReferenceDomain, request: OfflineRequest) -> Script[teacher.Draft]:
    """The script that this prompt asks the teacher to follow."""
    prompt = request.prompt
    error_rate = teacher.STUBBORN_RATE if _was_answered(request.messages) else teacher.ERROR_RATE
    world = World(clerk.json_block(prompt, "An excerpt of the database"), domain.identity)
    if stage == "tasks":
        purpose = re.search(r"with this intent: (.+)$", prompt, re.MULTILINE)
        program = next((p for p in domain.programs if purpose and p.intent == purpose[1].strip()), None)
        if program is None:
            raise UserError(f"the offline model has no program for this intent in `{domain.name}`")
        rng = Random(f"{request.seed}:{program.name}")
        return teacher.propose(domain, program, world, rng, error_rate=error_rate)
    old = clerk.json_block(prompt, "Old task")
    instructions = old["user_scenario"]["instructions"]
    words = f"{instructions['reason_for_call']}\n{instructions['known_info']}"
    persona = old["user_scenario"]["persona"]
    rng = Random(f"{request.seed}:{words}")
    return teacher.evolve(domain, words, world, rng, persona=persona, error_rate=error_rate)


def _with_kinds(draft: teacher.Draft) -> teacher.Draft:
    """The draft that says of its bare figures that they are numbers: its programs know no more of them."""
    told = [
        {"fact": fact, "kind": "number"} if _BARE_FIGURE.fullmatch(fact) else fact
        for fact in draft.get("communicate_info", ())
    ]
    return {**draft, "communicate_info": told} if told else draft


def _was_answered(messages: Sequence[Message]) -> bool:
    """Whether a draft was given and has come back."""
    return any(message["role"] == "assistant" and not message.get("tool_calls") for message in messages)
