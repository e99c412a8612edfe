"""`offline/reference`: answers the factory's prompts from the reference domains. It is not a language model.

A pure function of the request: it reads the stage and the domain from the prompt's first lines, or recognises an
agent's conversation by its tools, and keeps nothing between requests.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from toolscale.artifacts import Call
from toolscale.errors import UserError
from toolscale.reference import clerk, preferences, teacher
from toolscale.reference.agent import next_move, outcomes_in, reply_as_user, text_of
from toolscale.reference.domain import ReferenceDomain, reference_domain
from toolscale.reference.enact import Script, advance
from toolscale.reference.program import World

Message = dict[str, Any]

CHARACTERS_PER_TOKEN = 4
"""The offline model has no tokenizer; its usage is counted by this rule of thumb."""


@dataclass(frozen=True)
class Request:
    """A chat request, as far as the offline model reads it."""

    messages: Sequence[Message]
    tools: Sequence[Message] = ()
    seed: int = 0

    def system(self, field: str) -> str:
        """What the prompt's first lines say of a field, such as `Stage`; empty if nothing."""
        found = re.search(rf"^{field}: (.+)$", text_of(self.messages[0]) if self.messages else "", re.MULTILINE)
        return found[1].strip() if found else ""

    @property
    def prompt(self) -> str:
        """The first user message."""
        return next((text_of(message) for message in self.messages if message["role"] == "user"), "")


def answer(request: Request) -> Message:
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


def _answer(request: Request) -> Call | str | dict[str, Any]:
    stage = request.system("Stage")
    if stage == "user":
        done = re.search(r"answer with (\S+) alone", text_of(request.messages[0]))
        return reply_as_user(text_of(request.messages[0]), request.messages[2:], done[1] if done else "")
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
    domain = reference_domain(request.system("Domain"))
    sent_back = clerk.was_sent_back(request.messages)
    match stage:
        case "subjects":
            return clerk.subjects(domain, request.seed)
        case "schema":
            return clerk.schema(domain)
        case "entries":
            return clerk.entries(domain, request.system("Subject"), request.seed, sent_back=sent_back)
        case "validation":
            return clerk.validation(domain, clerk.json_block(request.prompt, "New records"))
        case "functions_plan":
            return clerk.functions_plan(domain)
        case "function":
            return clerk.function(domain, request.system("Function"), request.seed, sent_back=sent_back)
        case "intents":
            return clerk.intents(domain)
        case "tasks" | "evolution":
            call, draft = advance(_teaching(stage, domain, request), outcomes_in(request.messages))
            return call if call is not None else draft or {}
    raise UserError(f"the offline model knows no stage `{stage}`; has prompts/ been changed?")


def _teaching(stage: str, domain: ReferenceDomain, request: Request) -> Script[teacher.Draft]:
    """The script that this prompt asks the teacher to follow."""
    prompt = request.prompt
    world = World(clerk.json_block(prompt, "An excerpt of the database"), domain.identity)
    if stage == "tasks":
        purpose = re.search(r"with this intent: (.+)$", prompt, re.MULTILINE)
        program = next((p for p in domain.programs if purpose and p.intent == purpose[1].strip()), None)
        if program is None:
            raise UserError(f"the offline model has no program for this intent in `{domain.name}`")
        return teacher.propose(domain, program, world, Random(f"{request.seed}:{program.name}"))
    old = clerk.json_block(prompt, "Old task")
    instructions = old["user_scenario"]["instructions"]
    words = f"{instructions['reason_for_call']}\n{instructions['known_info']}"
    persona = old["user_scenario"]["persona"]
    return teacher.evolve(domain, words, world, Random(f"{request.seed}:{words}"), persona=persona)
