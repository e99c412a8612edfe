"""What a failed call means: litellm's many exceptions, made into the few that a user can act on."""

import os
import re
from collections.abc import Iterator

from toolscale.errors import UserError
from toolscale.llm.errors import (
    BadKey,
    BadRequest,
    ContextTooLong,
    QuotaExhausted,
    Refused,
    RetriesExhausted,
    TimedOut,
    Transient,
    UnknownModel,
)
from toolscale.llm.providers import is_ours, key_variable, litellm
from toolscale.llm.wellformed import well_formed

_SECRET_NAME = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)$")
_QUOTA = re.compile(r"insufficient_quota|exceeded your current quota|credit balance|billing", re.IGNORECASE)
_CONTEXT = re.compile(r"context.{0,12}(length|window)|maximum context|too many tokens", re.IGNORECASE)


def understood(error: Exception, model: str) -> Exception:
    """What an exception out of litellm means.

    A ``UserError`` that a provider raised comes back unchanged, and so does a bug in a provider of our own, which
    litellm would pass off as a connection that failed. What may pass comes back as ``Transient``.
    """
    known = litellm().exceptions
    causes = list(_causes(error))
    for cause in causes:
        if isinstance(cause, UserError):
            return cause
    first = causes[-1]
    if is_ours(model) and isinstance(first, Exception) and not isinstance(first, known.openai.OpenAIError | OSError):
        return first
    said = one_line(error)
    match error:
        case known.AuthenticationError() | known.PermissionDeniedError():
            return BadKey(f"{model}: the provider refused the key: set {key_variable(model)} to a valid one ({said})")
        case known.ContextWindowExceededError():
            return ContextTooLong(_too_long(model, said))
        case known.ContentPolicyViolationError() | known.RejectedRequestError():
            return Refused(f"{model}: the provider's content filter refused the request: reword it ({said})")
        case known.NotFoundError():
            return UnknownModel(f"{model}: the endpoint knows no such model: check its name and api_base ({said})")
        case known.PaymentRequiredError() | known.RateLimitError() if _QUOTA.search(said):
            return QuotaExhausted(f"{model}: the account has no credit left: top it up and run again ({said})")
        case known.RateLimitError():
            return Transient(
                RetriesExhausted(f"{model}: still limited after all retries: lower TOOLSCALE_MAX_IN_FLIGHT ({said})")
            )
        case known.Timeout() | TimeoutError():
            return Transient(TimedOut(f"{model}: no answer in time: raise TOOLSCALE_TIMEOUT_SECONDS ({said})"))
        case known.BadRequestError() if "LLM Provider NOT provided" in said:
            return UnknownModel(f"{model}: no provider is named: write it as provider/model, such as openai/{model}")
        case known.BadRequestError() if _CONTEXT.search(said):
            return ContextTooLong(_too_long(model, said))
        case known.BadRequestError() | known.UnprocessableEntityError():
            return BadRequest(f"{model}: the endpoint does not accept the request ({said})")
        case _:
            return Transient(
                RetriesExhausted(f"{model}: the endpoint kept failing: see that it is up and run again ({said})")
            )


def one_line(error: Exception) -> str:
    """What an exception says, on one line, short, and without any key of this process's variables."""
    text = re.sub(r"^(litellm\.\w+: )+", "", " ".join(redacted(well_formed(str(error))).split()))
    return text if len(text) <= 300 else text[:297] + "..."


def redacted(text: str) -> str:
    """The text with the value of each secret variable (``*_KEY``, ``*_TOKEN``, ...) blotted out."""
    for name, value in os.environ.items():
        if len(value) >= 8 and _SECRET_NAME.search(name) and value in text:
            text = text.replace(value, f"<{name}>")
    return text


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The exception and what led to it, the first cause last."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__


def _too_long(model: str, said: str) -> str:
    return f"{model}: the messages do not fit into its context: use a model with a longer one ({said})"
