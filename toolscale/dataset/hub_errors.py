"""What the Hub's client raises, as one line that says what to do."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus

from toolscale.errors import UserError

_OUT_OF_SPACE = re.compile(r"quota|storage limit|out of storage|exceed\w* .*storage", re.IGNORECASE)


@contextmanager
def told_plainly(repository: str, endpoint: str) -> Iterator[None]:
    """Turn whatever the client raises inside into a `UserError`; a mistake of ours passes as it is."""
    import httpx
    from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled

    try:
        yield
    except OfflineModeIsEnabled:
        raise UserError("the Hub's client is switched offline: unset HF_HUB_OFFLINE and push again") from None
    except (HfHubHTTPError, httpx.HTTPError, RuntimeError, ValueError) as error:
        cause = _cause(error)
        if isinstance(cause, HfHubHTTPError):
            raise UserError(_of_response(cause, repository, endpoint)) from error
        if isinstance(cause, httpx.HTTPError):
            reason = str(cause) or type(cause).__name__
            raise UserError(
                f"{endpoint} cannot be reached ({reason}): see to the network, or to TOOLSCALE_HUB_ENDPOINT"
            ) from error
        if _OUT_OF_SPACE.search(str(error)):
            raise UserError(_no_space(repository, str(error))) from error
        if isinstance(error, ValueError) and re.search(r"LFS|README\.md|metadata|improperly", str(error)):
            raise UserError(f"the Hub refuses {repository}: {error}") from error
        raise


def _cause(error: BaseException) -> BaseException:
    """The answer or the broken connection at the bottom of what the client wrapped around it."""
    import httpx

    deepest, seen = error, error
    while seen.__cause__ is not None:
        seen = seen.__cause__
        if isinstance(seen, httpx.HTTPError) and not isinstance(seen, httpx.HTTPStatusError):
            deepest = seen
    return deepest


def _of_response(error: "object", repository: str, endpoint: str) -> str:
    from huggingface_hub.errors import HfHubHTTPError

    assert isinstance(error, HfHubHTTPError)
    status = error.response.status_code
    said = error.server_message or HTTPStatus(status).phrase if status in set(HTTPStatus) else error.server_message
    if status in (HTTPStatus.PAYMENT_REQUIRED, HTTPStatus.REQUEST_ENTITY_TOO_LARGE) or _OUT_OF_SPACE.search(said or ""):
        return _no_space(repository, said or "")
    if status == HTTPStatus.UNAUTHORIZED:
        return f"{endpoint} does not accept the token ({said}): set HF_TOKEN to a valid one, or `hf auth login` again"
    if status == HTTPStatus.FORBIDDEN:
        return (
            f"the token may not write to {repository} ({said}): take one with the role `write` for that owner, "
            "or another --repo, or --pull-request if the repository is not yours"
        )
    if status == HTTPStatus.NOT_FOUND:
        return f"{endpoint} knows no such place for {repository} ({said}): see to the owner's name and the endpoint"
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return f"{endpoint} limits the rate of requests ({said}): wait a few minutes and push again"
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return (
            f"{endpoint} fails with status {status} ({said}); nothing half-way is kept: push again later, "
            "and what arrived already is not sent twice"
        )
    return f"{endpoint} refuses the push to {repository} with status {status} ({said})"


def _no_space(repository: str, said: str) -> str:
    return f"no space for {repository} on the Hub ({said}): free some, raise the owner's quota, or choose another owner"
