"""What can go wrong with a model call: one class for each thing a user would do about it, each message one line."""
# ruff: noqa: N818 - the names say what happened; "Error" after each would add nothing

from toolscale.errors import UserError


class GatewayError(Exception):
    """A model call that brought no answer."""


class BadKey(GatewayError, UserError):
    """The provider's key is missing, or the provider refused it."""


class NoAddress(GatewayError, UserError):
    """A self-hosted model has no address, and a library would ask somebody else in its place."""


class UnknownModel(GatewayError, UserError):
    """Nobody serves a model of that name."""


class Unanswerable(GatewayError):
    """This call cannot be answered as it is; another one may. Other failures are the endpoint's, for all calls."""

    raw = ""
    """What was answered, if anything."""

    @property
    def kind(self) -> str:
        """What went wrong, in a word, such as `Refused`."""
        return type(self).__name__

    @property
    def reasons(self) -> list[str]:
        """Why, one sentence a fault."""
        return [str(self)]


class ContextTooLong(Unanswerable):
    """The messages do not fit into the model's context."""


class SentElsewhere(GatewayError, UserError):
    """The endpoint redirects to another address; nothing is sent to addresses that were not configured."""


class QuotaExhausted(GatewayError):
    """The account has no credit left."""


class Refused(Unanswerable):
    """The model, or its provider's content filter, refused to answer."""


class BadRequest(GatewayError):
    """The endpoint does not accept the request, and would not accept it again."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        """HTTP status, where there was one."""


class UnknownPrice(GatewayError, UserError):
    """The model has no known price, so the cost of a run cannot be known."""


class BudgetSpent(GatewayError):
    """The run's budget does not allow another call; neither the call nor the endpoint is at fault."""

    def __init__(self, calls: int, dollars: float, reason: str) -> None:
        super().__init__(f"the budget is spent: {calls} calls for ${dollars:.4f} in this run; {reason}")
        self.calls = calls
        """Calls that the run has made; those in flight are not yet among them."""
        self.dollars = dollars
        self.reason = reason


class TimedOut(GatewayError):
    """No answer came in time, in any try."""


class RetriesExhausted(GatewayError):
    """The endpoint failed or limited the rate each time."""


class Unreachable(RetriesExhausted):
    """The endpoint cannot be reached: unknown host, nothing listening, or an untrusted certificate."""


class MalformedAnswer(Unanswerable):
    """The model's answers did not have the form that was asked for, not even after it was told why."""

    def __init__(self, raw: str, reasons: list[str]) -> None:
        super().__init__(f"no answer of the form that was asked for: {'; '.join(reasons)}")
        self.raw = raw
        self._reasons = reasons

    @property
    def kind(self) -> str:
        return "form"

    @property
    def reasons(self) -> list[str]:
        return self._reasons


class Transient(Exception):
    """A failure that may pass: never leaves the gateway, which tries again or raises ``final``."""

    def __init__(self, final: GatewayError) -> None:
        super().__init__(str(final))
        self.final = final


class Limited(Transient):
    """A call that the endpoint refused for its rate: no fault of the call, so it is tried for longer."""

    def __init__(self, final: GatewayError, retry_after: float | None) -> None:
        super().__init__(final)
        self.retry_after = retry_after
        """Seconds that the endpoint asks this call to wait; None if it does not say."""
