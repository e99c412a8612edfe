"""What can go wrong with a model call: one class for each thing a user would do about it, each message one line."""
# ruff: noqa: N818 - the names say what happened; "Error" after each would add nothing

from toolscale.errors import UserError


class GatewayError(Exception):
    """A model call that brought no answer."""


class BadKey(GatewayError, UserError):
    """The provider's key is missing, or the provider refused it."""


class NoAddress(GatewayError, UserError):
    """A model of one's own has no address, so that a library would ask somebody else in its place."""


class UnknownModel(GatewayError, UserError):
    """Nobody serves a model of that name."""


class Unanswerable(GatewayError):
    """This call, as it stands, gets no answer; another one may. Any other failure is the endpoint's, for all calls."""

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
    """The endpoint points to another address, and nothing is sent where nobody said that it may be."""


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
    """Nobody knows what the model costs, so nobody could say what a run will."""


class BudgetSpent(GatewayError):
    """The run's budget does not bear another call; neither the call's fault nor the endpoint's."""

    def __init__(self, calls: int, dollars: float, reason: str) -> None:
        super().__init__(f"the budget is spent: {calls} calls for ${dollars:.4f} in this run; {reason}")
        self.calls = calls
        """Calls that the run has made; those in flight are not yet among them."""
        self.dollars = dollars
        self.reason = reason


class TimedOut(GatewayError):
    """No answer came in time, however often it was tried."""


class RetriesExhausted(GatewayError):
    """The endpoint failed or limited the rate each time."""


class Unreachable(RetriesExhausted):
    """No connection to the endpoint came about: an unknown host, nobody listening, or a certificate not trusted."""


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
