"""What a failed call means: the many exceptions of litellm and the openai SDK, made into the few to act on."""

import json
import math
import re
import socket
import ssl
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from toolscale.bounded import BadlyPacked, TooManyBytes
from toolscale.errors import UserError, causes_of
from toolscale.llm.endpoints import COMPATIBLE, placed
from toolscale.llm.errors import (
    BadKey,
    BadRequest,
    ContextTooLong,
    Limited,
    QuotaExhausted,
    Refused,
    RetriesExhausted,
    SentElsewhere,
    TimedOut,
    Transient,
    UnknownModel,
    Unreachable,
)
from toolscale.llm.providers import is_ours, key_variable, provider_name
from toolscale.llm.redaction import redacted
from toolscale.llm.wellformed import well_formed

_QUOTA = re.compile(r"insufficient_quota|exceeded your current quota|credit balance|billing", re.IGNORECASE)
_CONTEXT = re.compile(
    r"ContextWindowExceeded|context.{0,12}(length|window)|maximum context|too many tokens", re.IGNORECASE
)
_FILTER = re.compile(
    r"ContentPolicyViolation|RejectedRequest|content.{0,4}(filter|policy|management)|moderation_blocked", re.IGNORECASE
)
_NO_KEY = re.compile(r"Missing credentials|api_key client option must be set", re.IGNORECASE)
_PASSING = {408, 409, 425}
"""Statuses below 500 that may not come again."""


def understood(error: Exception, model: str, api_base: str | None = None) -> Exception:
    """What an exception out of litellm or the openai SDK means; litellm's are subclasses of the SDK's.

    A ``UserError`` that a provider raised comes back unchanged, and so does a bug in a provider of our own, which
    litellm would pass off as a connection that failed. What may pass comes back as ``Transient``.
    """
    import openai

    causes = list(causes_of(error))
    for cause in causes:
        if isinstance(cause, UserError):
            return cause
    first = causes[-1]
    if is_ours(model) and isinstance(first, Exception) and not isinstance(first, openai.OpenAIError | OSError):
        return first
    said = one_line(error)
    place = placed(model, api_base)  # not in what may become a reject: a dataset's rows name no URL
    if (against_the_rules := _against_the_rules(causes, place)) is not None:
        return against_the_rules
    if (unreachable := _unreachable(causes, f"{place}: the endpoint cannot be reached", said)) is not None:
        return unreachable
    if (refused := _refused(error, model, place, said)) is not None:
        return refused
    match error:
        case openai.RateLimitError():
            final = RetriesExhausted(
                f"{place}: the endpoint limits the rate, and did so until TOOLSCALE_DEADLINE_SECONDS had passed: "
                f"raise that, or lower TOOLSCALE_MAX_IN_FLIGHT if others use the endpoint too ({said})"
            )
            return Limited(final, next(filter(None, map(_retry_after, causes)), None))
        case openai.APITimeoutError() | TimeoutError() if not _dropped(causes):
            return Transient(TimedOut(f"{place}: no answer in time: raise TOOLSCALE_TIMEOUT_SECONDS ({said})"))
        case _:
            return Transient(
                RetriesExhausted(f"{place}: the endpoint kept failing: see that it is up and run again ({said})")
            )


def _refused(error: Exception, model: str, place: str, said: str) -> Exception | None:
    """What it means that the endpoint refuses: the key, the model or the account; None if it does not."""
    import openai

    status = getattr(error, "status_code", None)
    match error:
        case _ if _NO_KEY.search(said):
            return BadKey(f"{model} needs a key: set {_key_variable(model)} ({said})")
        case openai.AuthenticationError() | openai.PermissionDeniedError():
            return BadKey(f"{place}: the provider refused the key: set {_key_variable(model)} to a valid one ({said})")
        case openai.NotFoundError():
            return UnknownModel(f"{place}: the endpoint knows no such model: check its name and api_base ({said})")
        case openai.APIError() if status == 402 or (status in {400, 429} and _QUOTA.search(said)):
            return QuotaExhausted(f"{place}: the account has no credit left: top it up and run again ({said})")
        case openai.BadRequestError() if (unfit := _unfit(error, model, said)) is not None:
            return unfit
        case openai.RateLimitError():
            return None
        case openai.APIError() if isinstance(status, int) and 400 <= status < 500 and status not in _PASSING:
            return BadRequest(f"{place}: the endpoint does not accept the request ({said})", status)
    return None


def _unfit(error: Exception, model: str, said: str) -> Exception | None:
    """What it means that the endpoint takes no such request; None if it does not say."""
    kind = f"{type(error).__name__} {said}"
    if "LLM Provider NOT provided" in said:
        return UnknownModel(f"{model}: no provider is named: write it as provider/model, such as openai/{model}")
    if _CONTEXT.search(kind):
        return ContextTooLong(
            f"{model}: the messages do not fit into its context: use a model with a longer one ({said})"
        )
    if _FILTER.search(kind):
        return Refused(f"{model}: the provider's content filter refused the request: reword it ({said})")
    return None


def _against_the_rules(causes: list[BaseException], place: str) -> Exception | None:
    """What it means that an answer was broken off; None if none was. A redirect is the same at the next try."""
    from toolscale.llm.wire import Elsewhere

    for cause in causes:
        match cause:
            case Elsewhere():
                return SentElsewhere(
                    f"{place}: the endpoint points to {cause.origin}, and a request goes only where it was sent: set "
                    "api_base to the address where the endpoint really is"
                )
            case TooManyBytes():
                return Transient(
                    RetriesExhausted(
                        f"{place}: the endpoint keeps sending answers of {cause}: check api_base and any proxy, or "
                        "raise TOOLSCALE_MAX_ANSWER_BYTES"
                    )
                )
            case BadlyPacked():
                return Transient(RetriesExhausted(f"{place}: the endpoint's answers cannot be unpacked: {cause}"))
    return None


def _unreachable(causes: list[BaseException], subject: str, said: str) -> Exception | None:
    """What it means that no connection came about; None if one did. Only a certificate is the same at the next try."""
    import aiohttp

    for cause in causes:
        match cause:
            case ssl.SSLError() | aiohttp.ClientConnectorSSLError() | aiohttp.ClientConnectorCertificateError():
                return Unreachable(
                    f"{subject}: TLS fails: check that api_base begins with the right one of http:// and https://; "
                    f"if the certificate is one of your own, name its file in SSL_CERT_FILE ({said})"
                )
            case socket.gaierror():
                return Transient(
                    Unreachable(f"{subject}: nobody knows its host: check api_base, the network and any proxy ({said})")
                )
            case ConnectionRefusedError():
                return Transient(
                    Unreachable(f"{subject}: nobody listens there: see that it is up, and check api_base ({said})")
                )
    return None


def _dropped(causes: list[BaseException]) -> bool:
    """True for a connection that ended too early, which the SDK's aiohttp transport passes off as a timeout."""
    import aiohttp

    return any(
        isinstance(cause, aiohttp.ClientConnectionError) and not isinstance(cause, TimeoutError) for cause in causes
    )


def one_line(error: Exception) -> str:
    """What an exception says, on one line, short, and without any key of this process's variables."""
    text = re.sub(r"^(litellm\.\w+: )+", "", " ".join(redacted(well_formed(_words(error))).split()))
    text = re.sub(r" ssl:\w+(?= \[)", "", text)  # aiohttp's note of a setting, also where there is no TLS
    return text if len(text) <= 300 else text[:297] + "..."


def _words(error: Exception) -> str:
    """The endpoint's own words where it has any, else the exception's, or those of what caused it."""
    response, body = getattr(error, "response", None), getattr(error, "body", None)
    if type(error).__module__.startswith("openai"):
        if response is not None:
            return f"HTTP {response.status_code}{_complaint(body)}".removesuffix(f": HTTP {response.status_code}")
        if error.__cause__ is not None:  # the SDK itself says no more than "Connection error."
            return str(error.__cause__) or type(error.__cause__).__name__
    return str(error) or type(error).__name__


def _complaint(body: Any) -> str:
    match body:
        case {"message": str(message), "code": str(code)}:
            return f", {code}: {message}"
        case {"message": str(message)}:
            return f": {message}"
        case str() if body.lstrip().startswith("<"):
            return ", with a web page, as a proxy sends: check api_base and any proxy"
        case None | "":
            return ""
        case _:
            return f": {body if isinstance(body, str) else json.dumps(body)}"


def _retry_after(error: BaseException) -> float | None:
    """Seconds that the endpoint asks for: ``Retry-After`` (seconds or a date) or OpenAI's ``retry-after-ms``."""
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    headers = headers or getattr(error, "headers", None) or getattr(error, "litellm_response_headers", None) or {}
    asked, exact = headers.get("retry-after"), headers.get("retry-after-ms")
    try:
        seconds = float(exact) / 1000 if exact else float(asked) if asked else None
    except ValueError:
        seconds = _until(asked or "")
    return seconds if seconds is not None and math.isfinite(seconds) and seconds >= 0 else None


def _until(date: str) -> float | None:
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return None
    return max(0.0, (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds())


def _key_variable(model: str) -> str:
    compatible = COMPATIBLE.get(provider_name(model))
    return compatible.key if compatible else key_variable(model)
