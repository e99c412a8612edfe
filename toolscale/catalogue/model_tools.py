"""Models as tools, in the paper's roles: query writers, code writers, math models and generalists.

Every one is asked through the gateway, and costs its tokens at the price of the task's configuration. What a model
answered is data to whoever reads it; nothing of it is run but a code writer's program, in the interpreter's sandbox.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolscale.artifacts import FunctionSpec
from toolscale.artifacts.base import Json
from toolscale.catalogue.catalogue import CatalogueModel, ModelRole
from toolscale.catalogue.configuration import OfferedTool
from toolscale.catalogue.parameters import ProblemArguments, QuestionArguments, SearchNeed, SearchNeedAndPlace
from toolscale.catalogue.prices import dollars
from toolscale.errors import UserError
from toolscale.llm import BudgetSpent, Gateway, GatewayError
from toolscale.prompts import render
from toolscale.settings import Price
from toolscale.tools.base import ToolFailed
from toolscale.tools.tool import Tool, ToolAnswer, ToolKind

STAGE = "tool"
"""What the ledger calls the calls of models as tools."""

_LONGEST_QUERY = 400
_FENCED = re.compile(r"```(?:python|py)?[ \t]*\n(.*?)```", re.DOTALL)
_THINKING = re.compile(r"^.*?</think>", re.DOTALL)


@dataclass(frozen=True)
class Asker:
    """One model on behalf of one task: it knows what its tokens cost and how its time is told."""

    model: CatalogueModel
    gateway: Gateway
    price: Price
    task: str = ""
    domain: str = "orchestration"
    seed: int = 0
    sample: int = 0

    async def ask(self, messages: list[dict[str, Any]]) -> ToolAnswer:
        """The model's answer, without what it thought before it, and what it took.

        Raises:
            BudgetSpent, UserError: the run's budget does not bear it, or the user has to mend the settings.
        """
        gateway = self.gateway.with_model("agent", self.model.settings())
        try:
            reply = await gateway.chat(
                "agent",
                messages,
                [],
                stage=STAGE,
                domain=self.domain,
                task=self.task or None,
                seed=self.seed,
                sample=self.sample,
            )
        except (BudgetSpent, UserError):
            raise
        except GatewayError as error:
            return ToolAnswer(error=f"{self.model.name} did not answer: {error}")
        took = ToolAnswer(
            dollars=dollars(self.price, reply.prompt_tokens, reply.completion_tokens),
            seconds=self._seconds(messages, reply.completion_tokens, reply.seconds),
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
        )
        try:
            text = _THINKING.sub("", reply.text, count=1).strip()
        except GatewayError as error:
            return took.model_copy(update={"error": f"{self.model.name}: {error}"})
        if not text:
            cut = " within its longest answer" if reply.finish_reason == "length" else ""
            return took.model_copy(update={"error": f"{self.model.name} said nothing{cut}"})
        return took.model_copy(update={"content": text})

    def _seconds(self, messages: list[dict[str, Any]], completion_tokens: int, seconds: float) -> float:
        profile = self.model.latency
        if not self.model.simulated or profile is None:
            return seconds
        return profile.drawn(completion_tokens, seed=[self.model.name, messages, self.seed, self.sample])


class ModelTool:
    """A generalist or a math model: it answers a question."""

    kind: ToolKind = "model"

    def __init__(self, offered: OfferedTool, asker: Asker, role: ModelRole) -> None:
        self._offered, self._asker, self._role = offered, asker, role

    @property
    def spec(self) -> FunctionSpec:
        """Name, description with price and latency, parameters."""
        return self._offered.spec()

    async def call(self, arguments: Mapping[str, Json]) -> ToolAnswer:
        """Answer, or say in `error` why not."""
        try:
            return await self._answer(arguments)
        except ToolFailed as failure:
            return ToolAnswer(error=str(failure))

    async def _answer(self, arguments: Mapping[str, Json]) -> ToolAnswer:
        asked = QuestionArguments.read(arguments)
        return await self._asker.ask(render("expert", role=self._role, question=asked.question))


class QueryWriter(ModelTool):
    """A model that writes the query for a search that the task offers, and passes on what was found."""

    def __init__(self, offered: OfferedTool, asker: Asker, searches: Sequence[Tool]) -> None:
        super().__init__(offered, asker, "query_writer")
        self._searches = {search.spec.name: search for search in searches}

    async def _answer(self, arguments: Mapping[str, Json]) -> ToolAnswer:
        if len(self._searches) == 1:
            need, (search,) = SearchNeed.read(arguments), self._searches.values()
        else:
            place = SearchNeedAndPlace.read(arguments)
            need, search = place, self._search(place.search)
        written = await self._asker.ask(render("query_writer", question=need.question))
        if written.error is not None:
            return written
        query = " ".join(written.content.splitlines()[0].split()).strip("\"'` ")[:_LONGEST_QUERY]
        found = await search.call({"query": query})
        content = "" if found.error else f"Query: {query}\n\n{found.content}"
        return took_both(written, found).model_copy(update={"content": content, "error": found.error})

    def _search(self, name: str) -> Tool:
        if name not in self._searches:
            raise ToolFailed(f"argument `search`: there is {', '.join(self._searches)}, not {name}")
        return self._searches[name]


class CodeWriter(ModelTool):
    """A model that writes a program, which the interpreter's sandbox runs."""

    def __init__(self, offered: OfferedTool, asker: Asker, interpreter: Callable[[], Tool]) -> None:
        """``interpreter`` gives a fresh one: what one program defines, the next does not see."""
        super().__init__(offered, asker, "code_writer")
        self._interpreter = interpreter

    async def _answer(self, arguments: Mapping[str, Json]) -> ToolAnswer:
        asked = ProblemArguments.read(arguments)
        written = await self._asker.ask(render("code_writer", problem=asked.problem))
        if written.error is not None:
            return written
        program = "\n".join(_FENCED.findall(written.content)).strip() or written.content
        ran = await self._interpreter().call({"code": program})
        content = f"Program:\n```python\n{program}\n```\nOutput:\n{ran.shown}"
        return took_both(written, ran).model_copy(update={"content": content})


def took_both(first: ToolAnswer, second: ToolAnswer) -> ToolAnswer:
    """An answer without content that took what two took, one after the other."""
    return ToolAnswer(
        dollars=first.dollars + second.dollars,
        seconds=first.seconds + second.seconds,
        prompt_tokens=first.prompt_tokens + second.prompt_tokens,
        completion_tokens=first.completion_tokens + second.completion_tokens,
    )
