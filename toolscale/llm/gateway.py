"""The gateway: the one way from the factory to a model. Cached, durable, bounded, retried, priced, recorded."""

import asyncio
import copy
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self, TypeVar, overload
from weakref import WeakKeyDictionary

from pydantic import BaseModel

from toolscale.artifacts import Json
from toolscale.llm.budget import Budget, Caps
from toolscale.llm.budgets import budget_of
from toolscale.llm.endpoints import see_that_it_has_an_address, speaks_openai
from toolscale.llm.errors import GatewayError, MalformedAnswer
from toolscale.llm.modes import Modes
from toolscale.llm.offer import Offer
from toolscale.llm.prices import Prices
from toolscale.llm.purpose import Purpose
from toolscale.llm.redaction import without_secrets
from toolscale.llm.reply import ChatReply, kept_reply
from toolscale.llm.request import Request, embedding_request, make_request
from toolscale.llm.sight import Meter, Sight
from toolscale.llm.traffic import Traffic
from toolscale.llm.typed import AnswerForm, sent_back
from toolscale.messages import Message
from toolscale.settings import AnswerMode, ModelSettings, Price, Settings
from toolscale.stages import Role

if TYPE_CHECKING:
    from toolscale.llm.batches import Batches
    from toolscale.llm.embeddings import Embedded
    from toolscale.store import Store

T = TypeVar("T", bound=BaseModel)
Checked = TypeVar("Checked")

Check = Callable[[Checked], list[str] | Awaitable[list[str]]]
"""A caller's own validation of an answer: the reasons against it."""

OnRefused = Callable[[str, list[str]], None]
"""Hears of an answer that was not accepted: its text, and the reasons."""


class Gateway:
    """Model calls by role. Every method may be awaited thousands of times at once, from any event loop.

    A call that was answered before, in this run or another, is answered from the store and makes no request.
    All methods raise ``GatewayError`` (see its subclasses), or ``UserError`` for what the settings can mend.
    """

    def __init__(
        self, settings: Settings, store: "Store", *, run: str | None = None, side_by_side: bool = False
    ) -> None:
        """``run`` names the run that pays. A later gateway of that run has of its budget what the ledger says is left.

        ``side_by_side``: other gateways spend the run's budget at the same time, in this process or in others.
        """
        self._settings = settings
        self._store = store
        self._run = run
        self._prices = Prices(settings.prices)
        self._budget = budget_of(settings, self._prices, store, run, side_by_side=side_by_side)
        self._modes = Modes(store)
        self._meter = Meter()
        self._traffic: WeakKeyDictionary[asyncio.AbstractEventLoop, Traffic] = WeakKeyDictionary()
        self._batches: WeakKeyDictionary[asyncio.AbstractEventLoop, Batches] = WeakKeyDictionary()

    async def text(
        self,
        role: Role,
        messages: list[Message],
        *,
        stage: str,
        domain: str,
        task: str | None = None,
        seed: int = 0,
        sample: int = 0,
        **params: Any,
    ) -> str:
        """The model's answer as text. ``params`` go to the endpoint as they are, such as ``temperature=0.2``.

        Raises:
            Refused: the model declined to answer.
        """
        reply = await self._call(Purpose(role, stage, domain, task), messages, None, params, seed=seed, sample=sample)
        return reply.text

    async def chat(
        self,
        role: Role,
        messages: list[Message],
        tools: list[dict[str, Any]] | Offer,
        *,
        stage: str,
        domain: str,
        task: str | None = None,
        seed: int = 0,
        sample: int = 0,
        **params: Any,
    ) -> ChatReply:
        """The model's next message in a conversation in which it may call tools (OpenAI's form)."""
        return await self._call(Purpose(role, stage, domain, task), messages, tools, params, seed=seed, sample=sample)

    @overload
    async def typed(
        self,
        role: Role,
        messages: list[Message],
        answer: type[T],
        *,
        check: Check[T] | None = None,
        on_refused: OnRefused | None = None,
        stage: str,
        domain: str,
        task: str | None = None,
        seed: int = 0,
        sample: int = 0,
        rounds: int = 3,
    ) -> T: ...

    @overload
    async def typed(
        self,
        role: Role,
        messages: list[Message],
        answer: dict[str, Any],
        *,
        check: Check[Any] | None = None,
        on_refused: OnRefused | None = None,
        stage: str,
        domain: str,
        task: str | None = None,
        seed: int = 0,
        sample: int = 0,
        rounds: int = 3,
    ) -> Json: ...

    async def typed(
        self,
        role: Role,
        messages: list[Message],
        answer: type[BaseModel] | dict[str, Any],
        *,
        check: Check[Any] | None = None,
        on_refused: OnRefused | None = None,
        stage: str,
        domain: str,
        task: str | None = None,
        seed: int = 0,
        sample: int = 0,
        rounds: int = 3,
    ) -> Any:
        """An answer of a given form: a pydantic model, or a JSON value that a JSON Schema (2020-12) admits.

        What a program can mend is mended. For the rest the model is told what was wrong and asked again, at most
        ``rounds`` times in all. ``check`` is the caller's own validation: the reasons against the answer, none if it
        is good. It must depend on the answer alone, or a run that is resumed asks again. ``on_refused`` hears of every
        answer that was not accepted, with the reasons.

        Raises:
            MalformedAnswer: the last answer was still wrong; it carries the raw text and the reasons.
        """
        form, purpose = AnswerForm.of(answer), Purpose(role, stage, domain, task)
        if rounds < 1:
            raise MalformedAnswer("", ["it was never asked for: `rounds` is below 1"])

        async def asked_in(mode: AnswerMode) -> ChatReply:
            asked, params = form.ask(messages, mode)
            return await self._call(purpose, asked, None, params, seed=seed, sample=sample)

        wait = stage not in self._settings.batch_stages
        mode, reply = await self._modes.ask(self._settings.for_role(role), form, asked_in, wait=wait)
        asked, params = form.ask(messages, mode)
        for done in range(rounds):
            if done:
                reply = await self._call(purpose, asked, None, params, seed=seed, sample=sample)
            raw = reply.text
            value, reasons = form.read(raw, cut_off=reply.finish_reason == "length")
            misshapen = bool(reasons)
            if not reasons and check is not None:
                found = check(value)
                reasons = found if isinstance(found, list) else await found
            if not reasons:
                return value
            if on_refused is not None:
                on_refused(raw, reasons)
            # An endpoint may take the schema and never show it to the model: the first complaint of it carries it.
            asked = sent_back(asked, raw, reasons, form.shown() if mode == "schema" and misshapen and not done else "")
        raise MalformedAnswer(raw, reasons)

    async def embed(self, model: ModelSettings, texts: list[str], *, stage: str, domain: str) -> "Embedded":
        """One vector for each text from an embedding model, which no role has: it goes with the index that it made."""
        from toolscale.llm.embeddings import Embedded, vectors_of

        request = embedding_request(model.model, model.api_base, texts)
        reply = await self._answer(request, Purpose("embedder", stage, domain))
        dollars = self._prices.dollars(model.model, *reply.usage)
        return Embedded(vectors_of(reply, len(texts)), reply.prompt_tokens, dollars)

    def with_model(self, role: Role, model: ModelSettings) -> Self:
        """This gateway with another model for a role: the same store, run, budget, limits and connections."""
        other = copy.copy(self)
        models = {**self._settings.models, role: model}
        other._settings = self._settings.model_copy(update={"models": models})
        return other

    def price_of(self, model: str) -> Price:
        """What a model's tokens really cost, by litellm's string; without it no call of the model can be made.

        Raises:
            UnknownPrice: nobody knows.
        """
        return self._prices.look_up(model)

    def sight(self) -> Sight:
        """What the gateway is doing now and has done since it was made; may be asked from any thread."""
        return self._meter.read(queue for traffic in list(self._traffic.values()) for queue in traffic.queues)

    def end(self, reason: str) -> None:
        """Make no further call, as if the budget were spent: those that are out are finished and kept."""
        if self._budget is None:
            self._budget = Budget(Caps(), self._prices, wave=self._settings.max_in_flight)
        self._budget.end(reason)

    def batches(self) -> "Batches":
        """The calls of this event loop that wait for a batch."""
        from toolscale.llm.batches import Batches

        loop = asyncio.get_running_loop()
        if loop not in self._batches:
            self._batches[loop] = Batches(self._settings, self._store, self._record_late)
        return self._batches[loop]

    async def close(self) -> None:
        """Let go of the connections of this event loop. The store stays open: it belongs to the caller."""
        if self._budget is not None:
            await self._budget.close()
        batches = self._batches.pop(asyncio.get_running_loop(), None)
        if batches is not None:
            await batches.close()
        traffic = self._traffic.pop(asyncio.get_running_loop(), None)
        if traffic is not None:
            await traffic.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.close()

    async def _call(
        self,
        purpose: Purpose,
        messages: list[Message],
        tools: list[dict[str, Any]] | Offer | None,
        params: dict[str, Any],
        *,
        seed: int,
        sample: int,
    ) -> ChatReply:
        """Answer a call of a role."""
        assert purpose.role != "embedder"
        chosen = self._settings.for_role(purpose.role)
        request = make_request(
            chosen.model, chosen.api_base, messages, tools, {**_defaults(chosen), **params}, seed=seed, sample=sample
        )
        reply = await self._answer(request, purpose)
        return reply.within(request.params.get("max_tokens"))

    async def _answer(self, request: Request, purpose: Purpose) -> ChatReply:
        """Answer a request: from a flight that is under way, from the store, or from the endpoint."""
        traffic = self._traffic.get(loop := asyncio.get_running_loop())
        if traffic is None:
            traffic = self._traffic[loop] = Traffic(self._settings)
        flight = traffic.flights.get(request.key)
        if flight is not None:
            self._meter.cached += 1
            return replace(await asyncio.shield(flight), cached=True)
        flight = asyncio.create_task(self._fly(request, purpose, traffic))
        traffic.flights[request.key] = flight
        flight.add_done_callback(lambda done: _land(traffic, request.key, done))
        # Shielded: a caller that gives up neither takes the answer from the others who wait for it nor wastes it.
        return await asyncio.shield(flight)

    async def _fly(self, request: Request, purpose: Purpose, traffic: Traffic) -> ChatReply:
        """Find the answer in the store, or get it and write it there before anybody sees it."""
        answered = await self._store.find(request.key)
        if answered is not None:
            self._meter.cached += 1
            return kept_reply(*answered)
        see_that_it_has_an_address(request.model, request.api_base)
        self._prices.look_up(request.model)
        if self._budget is None:
            return await self._paid(request, purpose, traffic)
        async with self._budget.flight(request, batch=self._can_wait(request, purpose)) as out:
            out.reply = await self._paid(request, purpose, traffic)
            return out.reply

    def _can_wait(self, request: Request, purpose: Purpose) -> bool:
        return purpose.stage in self._settings.batch_stages and speaks_openai(request.model)

    async def _paid(self, request: Request, purpose: Purpose, traffic: Traffic) -> ChatReply:
        """Get the answer from the endpoint, and write it down."""
        started = time.perf_counter()
        self._meter.under_way += 1
        try:
            if self._can_wait(request, purpose):
                late = await self.batches().ask(request, purpose)
                if late is not None:
                    return late
            reply = without_secrets(await traffic.ask(request, purpose.stage))
            reply = replace(reply, seconds=time.perf_counter() - started)
        except GatewayError as error:
            await self._record(request, purpose, started, error)
            raise error from None  # what caused it may quote the key, and logs print causes
        finally:
            self._meter.under_way -= 1
        with traffic.writing(request):
            await self._record(request, purpose, started, reply)
        return reply

    async def _record_late(self, request: Request, purpose: Purpose, reply: ChatReply, seconds: float) -> None:
        """Write a call that a batch answered."""
        await self._record(request, purpose, time.perf_counter() - seconds, reply, batch=True)

    async def _record(
        self,
        request: Request,
        purpose: Purpose,
        started: float,
        outcome: ChatReply | GatewayError,
        *,
        batch: bool = False,
    ) -> None:
        """Write the call to the store, which is cache and ledger in one."""
        from toolscale.store import ModelCall, ToolList

        call = ModelCall(
            key=request.key,
            created_at=datetime.now(UTC),
            role=purpose.role,
            stage=purpose.stage,
            domain=purpose.domain,
            task=purpose.task,
            run=self._run,
            endpoint=request.endpoint,
            model=request.model,
            sample=request.sample,
            tools=request.tools.hash if request.tools else None,
            prompt_tokens=0,
            completion_tokens=0,
            dollars=0.0,
            seconds=time.perf_counter() - started,
            status="ok",
        )
        if isinstance(outcome, ChatReply):
            call.response = outcome.kept()
            call.prompt_tokens, call.completion_tokens = outcome.prompt_tokens, outcome.completion_tokens
            call.cached_tokens, call.cache_write_tokens = outcome.cached_tokens, outcome.cache_write_tokens
            call.seconds = outcome.seconds or call.seconds
            call.dollars = self._prices.dollars(request.model, *outcome.usage, batch=batch)
        else:
            call.status, call.error = type(outcome).__name__, str(outcome)
        tools = [ToolList(hash=request.tools.hash, tools=request.tools.body)] if request.tools else []
        await self._store.save_call(call, request.messages, request.params, *tools)
        if call.status == "ok":
            self._meter.answered(call.prompt_tokens, call.completion_tokens, call.dollars, call.cached_tokens or 0)
        else:
            self._meter.failed += 1


def _defaults(chosen: ModelSettings) -> dict[str, Any]:
    """The parameters that the settings give to every call of a role."""
    return {name: value for name in ("temperature", "max_tokens") if (value := getattr(chosen, name)) is not None}


def _land(traffic: Traffic, key: str, flight: asyncio.Task[ChatReply]) -> None:
    del traffic.flights[key]
    if not flight.cancelled():
        flight.exception()  # seen, also where every caller has given up meanwhile
