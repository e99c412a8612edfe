"""Who may use a served orchestrator, and how much: keys with budgets and limits, and what each has spent."""

import hmac
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from toolscale.errors import UserError
from toolscale.openai_api.chat import ApiError
from toolscale.secret import secret_in
from toolscale.toml_file import read_toml

_MINUTE = 60.0


class Limits(BaseModel):
    """What one key may take. Dollars count the orchestrator's tokens and every tool's fee."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_dollars: float = Field(default=inf, gt=0, description="In all, over restarts of the server too.")
    max_dollars_per_request: float = Field(default=inf, gt=0, description="No further turn begins beyond it.")
    at_once: int = Field(default=8, gt=0, description="Requests at the same time.")
    requests_per_minute: int = Field(default=600, gt=0, description="In any sixty seconds.")


class KeySettings(Limits):
    """One `[[key]]` of a file of keys. The key itself stands in the environment."""

    name: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$", description="What its spending is booked under.")
    variable: str = Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", description="Environment variable that holds the key.")


def _differ(keys: list[KeySettings]) -> list[KeySettings]:
    if len({key.name for key in keys}) != len(keys):
        raise ValueError("two keys have the same name")
    return keys


class _KeyFile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    key: Annotated[list[KeySettings], AfterValidator(_differ), Field(min_length=1)]


class _Expense(BaseModel):
    """One line of the file of spending."""

    key: str
    dollars: float


@dataclass
class Account:
    """One key's requests under way, and its money."""

    name: str
    limits: Limits
    book: Callable[[str, float], None]
    """Told of each expense: the account's name, and dollars."""
    secret: str | None = None
    """None: everybody's."""
    spent: float = 0.0
    _held: float = 0.0
    _in_flight: int = 0
    _begun: deque[float] = field(default_factory=deque)

    @property
    def left(self) -> float:
        """Dollars that no request has spent or may spend."""
        return self.limits.max_dollars - self.spent - self._held

    def spend(self, dollars: float) -> None:
        """Book an expense at once, so that a server that is killed has lost none."""
        if dollars:
            self.spent += dollars
            self.book(self.name, dollars)

    @contextmanager
    def request(self) -> Iterator[float | None]:
        """Admit a request for as long as the block lasts; gives the dollars that it may spend, None if any.

        What it may spend is held for it, so requests side by side cannot spend the same dollar.

        Raises:
            ApiError: the key's money is spent, or it has too many requests (429).
        """
        now = time.monotonic()
        while self._begun and now - self._begun[0] >= _MINUTE:
            self._begun.popleft()
        if self.spent >= self.limits.max_dollars:
            said = f"the budget of {self.limits.max_dollars:g} dollars is spent"
            raise ApiError(429, "budget_spent", said, code="insufficient_quota")
        if self.left <= 0:
            said = "requests under way may spend all that is left: wait for them, or set `max_dollars_per_request`"
            raise ApiError(429, "budget_held", said, code="rate_limit_exceeded")
        if self._in_flight >= self.limits.at_once:
            said = f"{self.limits.at_once} requests are under way already"
            raise ApiError(429, "at_once", said, code="rate_limit_exceeded")
        if len(self._begun) >= self.limits.requests_per_minute:
            said = f"more than {self.limits.requests_per_minute} requests in a minute"
            raise ApiError(429, "too_many", said, code="rate_limit_exceeded")
        held = min(self.limits.max_dollars_per_request, self.left)
        self._begun.append(now)
        self._in_flight += 1
        self._held += held if held < inf else 0.0
        try:
            yield held if held < inf else None
        finally:
            self._in_flight -= 1
            self._held -= held if held < inf else 0.0


class Accounts:
    """All keys of a server; their spending is kept in a file."""

    def __init__(
        self, spending: Path, keys: Sequence[tuple[KeySettings, str]] = (), everybody: Limits | None = None
    ) -> None:
        """`keys` come with their secrets; `everybody`, if given, are the limits of requests without a key."""
        self._file = spending
        spent = _spent(spending)
        self._accounts = [Account(key.name, key, self._book, secret, spent.get(key.name, 0.0)) for key, secret in keys]
        if everybody is not None:
            self._accounts.append(Account("everybody", everybody, self._book, None, spent.get("everybody", 0.0)))

    @classmethod
    def read(cls, file: Path, spending: Path) -> "Accounts":
        """The keys of a TOML file.

        Raises:
            UserError: it cannot be read, a variable is empty, or two keys are the same.
        """
        keys = read_toml(file, _KeyFile, "the keys").key
        secrets = [secret_in(key.variable, f"{file}: the key `{key.name}`") for key in keys]
        if len(set(secrets)) != len(secrets):
            raise UserError(f"{file}: two keys have the same secret, so nobody could tell whose a request is")
        return cls(spending, list(zip(keys, secrets, strict=True)))

    def of(self, authorization: str) -> Account:
        """Whose a request is.

        Raises:
            ApiError: nobody's (401).
        """
        sent = authorization.encode(errors="surrogateescape")
        found = None
        for account in self._accounts:  # all of them, so that the time taken tells nothing
            if account.secret is None or hmac.compare_digest(sent, f"Bearer {account.secret}".encode()):
                found = found or account
        if found is None:
            raise ApiError(401, "wrong_key", "the API key is missing or wrong", code="invalid_api_key")
        return found

    def _book(self, name: str, dollars: float) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("a", encoding="utf-8") as file:
            file.write(_Expense(key=name, dollars=dollars).model_dump_json() + "\n")


def _spent(file: Path) -> dict[str, float]:
    """Key -> dollars. A last line that a crash cut off is taken away, so that the next expense has a line of its own.

    Raises:
        UserError: another line is no expense.
    """
    found: dict[str, float] = {}
    if not file.exists():
        return found
    whole, _, cut = file.read_text(encoding="utf-8").rpartition("\n")
    if cut:
        file.write_text(f"{whole}\n" if whole else "", encoding="utf-8")
    for number, line in enumerate(whole.splitlines(), start=1):
        try:
            expense = _Expense.model_validate_json(line)
        except ValidationError:
            raise UserError(f"{file}: line {number} is no expense; mend it, or move the file away") from None
        found[expense.key] = found.get(expense.key, 0.0) + expense.dollars
    return found
