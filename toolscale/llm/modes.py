"""How an endpoint is best asked for a typed answer: found out by its first call, and remembered in the store.

The JSON-schema mode is asked for first. An endpoint that refuses it, or takes it and heeds it not, is asked in JSON
mode, and then for a fenced block. What it was asked in decides the cache's key, so the next run must ask the same.
"""

import asyncio
import hashlib
import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from toolscale.llm.endpoints import speaks_openai
from toolscale.llm.errors import BadRequest
from toolscale.llm.providers import is_ours, litellm, provider_name
from toolscale.llm.reply import ChatReply
from toolscale.llm.typed import AnswerForm
from toolscale.settings import AnswerMode, ModelSettings

if TYPE_CHECKING:
    from toolscale.store import Store

Ask = Callable[[AnswerMode], Awaitable[ChatReply]]
"""Makes the call in one mode."""

_MODES: tuple[AnswerMode, ...] = ("schema", "json", "text")
_EVERY_FORM = ""
_OF_THE_SCHEMA = re.compile(r"invalid.schema|schema conversion|grammar|keyword", re.IGNORECASE)
"""Words with which an endpoint refuses one schema, and not schemas as such."""


class EndpointModel(NamedTuple):
    """Whom a mode is remembered for."""

    endpoint: str
    model: str


class Modes:
    """The modes of all endpoints. May be used from any event loop."""

    def __init__(self, store: "Store") -> None:
        self._store = store
        self._known: dict[EndpointModel, dict[str, AnswerMode]] = {}
        """Endpoint and model -> id of a form, or ``_EVERY_FORM`` -> its mode."""
        self._probes: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[EndpointModel, asyncio.Event]] = (
            WeakKeyDictionary()
        )

    async def ask(
        self, chosen: ModelSettings, form: AnswerForm, ask: Ask, *, wait: bool = True
    ) -> tuple[AnswerMode, ChatReply]:
        """The reply, and the mode in which it was asked for: the settings', the remembered one, or one found out now.

        Of calls to an endpoint that nobody has met, one finds out and the others wait for it, unless ``wait`` is
        False: a batch takes hours. What the find-out paid for beside the reply is in the cache like any call.

        Raises:
            GatewayError: as ``ask`` does. Where every mode is refused, that is the first refusal, and nothing is
                remembered: the request is at fault for another reason.
        """
        settled = chosen.answers or ("schema" if is_ours(chosen.model) else None)
        if settled is not None:
            return settled, await ask(settled)
        place = EndpointModel(chosen.api_base or provider_name(chosen.model), chosen.model)
        if wait and self._mode(place, form) is None:
            probes = self._probes.setdefault(asyncio.get_running_loop(), {})
            if place not in probes:
                probes[place] = asyncio.Event()
                try:
                    return await self._found_out(place, chosen, form, ask)
                finally:
                    probes.pop(place).set()
            await probes[place].wait()
        mode = self._mode(place, form)
        if mode is None:
            return await self._found_out(place, chosen, form, ask)
        try:
            return mode, await ask(mode)
        except BadRequest as refusal:
            return await self._found_out(place, chosen, form, ask, refusal, below=mode)

    async def _found_out(
        self,
        place: EndpointModel,
        chosen: ModelSettings,
        form: AnswerForm,
        ask: Ask,
        refusal: BadRequest | None = None,
        below: AnswerMode | None = None,
    ) -> tuple[AnswerMode, ChatReply]:
        """The reply in the first mode that is neither refused nor ignored."""
        first, unheeded = refusal, None
        for mode in _modes_of(chosen) if below is None else _MODES[_MODES.index(below) + 1 :]:
            if first is not None and not _may_be_the_mode(first):
                break
            try:
                reply = await ask(mode)
            except BadRequest as error:
                first = first or error
                continue
            if _says_nothing(reply):
                return mode, reply
            if mode == "schema" and form.ignored_by(str(reply.message.get("content") or "")):
                unheeded = reply
                continue
            await self._remember(place, form, mode, first)
            return mode, reply
        if unheeded is not None:
            return "schema", unheeded
        if first is None:
            raise ValueError("no mode was asked for")
        raise first

    async def _remember(
        self, place: EndpointModel, form: AnswerForm, mode: AnswerMode, refusal: BadRequest | None
    ) -> None:
        """Keep what was found out, for every form, or for this one where its own schema was at fault."""
        from toolscale.store.tables import KnownMode

        known = self._known[place]
        only_this = refusal is not None and (_EVERY_FORM in known or _OF_THE_SCHEMA.search(str(refusal)))
        of = _id(form) if only_this else _EVERY_FORM
        if known.get(of) != mode:
            await self._store.save(KnownMode(endpoint=place.endpoint, model=place.model, form=of, mode=mode))
            known[of] = mode

    def _mode(self, place: EndpointModel, form: AnswerForm) -> AnswerMode | None:
        if place not in self._known:
            from toolscale.store.tables import KnownMode

            rows = self._store.rows(KnownMode, endpoint=place.endpoint, model=place.model)
            self._known[place] = {row.form: mode for row in rows for mode in _MODES if mode == row.mode}
        known = self._known[place]
        own = known.get(_id(form)) if known.keys() - {_EVERY_FORM} else None
        return own or known.get(_EVERY_FORM)


def _modes_of(chosen: ModelSettings) -> tuple[AnswerMode, ...]:
    """The modes worth trying. litellm leaves out what it believes a provider not to have, so its word is taken."""
    if speaks_openai(chosen.model):
        return _MODES
    library = litellm()
    if library.supports_response_schema(model=chosen.model):
        return _MODES
    try:
        accepted = library.get_supported_openai_params(model=chosen.model) or []
    except Exception:  # litellm raises one of its many kinds for a provider that it does not know
        accepted = []
    return _MODES[1:] if "response_format" in accepted else _MODES[2:]


def _may_be_the_mode(refusal: BadRequest) -> bool:
    """Whether another mode may be accepted: 400 and 422 say that a parameter was not, in whatever words."""
    return refusal.status in (None, 400, 422)


def _says_nothing(reply: ChatReply) -> bool:
    """Whether a reply shows nothing of how the mode was taken: the model declined, or was cut off."""
    return bool(reply.message.get("refusal")) or reply.finish_reason in ("length", "content_filter")


def _id(form: AnswerForm) -> str:
    return hashlib.sha256(form.shown().encode()).hexdigest()[:16]
