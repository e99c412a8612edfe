"""What a trajectory took: tokens at a price, or the dollars and seconds that the ledger wrote down."""

from typing import Any, NamedTuple

from toolscale.artifacts import Trajectory
from toolscale.errors import UserError
from toolscale.settings import Price
from toolscale.store import ModelCall, Store


class Spending(NamedTuple):
    """What a trajectory took, unsigned."""

    dollars: float
    seconds: float


def dollars_at(trajectory: Trajectory, price: Price) -> float:
    """Dollars of all tokens that the agent read and wrote in the episode, every turn's and the final answer's."""
    return (trajectory.prompt_tokens * price.input + trajectory.completion_tokens * price.output) / 1e6


def spent(store: Store, trajectory: Trajectory, *, model: str | None = None) -> Spending:
    """Dollars and seconds of the agent's model calls behind a trajectory, one for each of its messages.

    An answer that came out of the store counts what it took when it was given. The user's model is the user's own
    affair, and the sandbox's milliseconds are not in the ledger.

    Args:
        store: the ledger of the run that made the trajectory.
        trajectory: one attempt; its task's id and its number find the calls.
        model: only this model's calls, where several models made the same attempt.

    Raises:
        UserError: the ledger has not exactly one call for each message, or a call without a price.
    """
    attempt = f"attempt {trajectory.attempt} at {trajectory.task_id}"
    asked: dict[str, Any] = {"task": trajectory.task_id, "sample": trajectory.attempt, "role": "agent"}
    if model is not None:
        asked["model"] = model
    calls = store.rows(ModelCall, stage="episode", status="ok", **asked)
    messages = sum(message["role"] == "assistant" for message in trajectory.messages)
    if len(calls) != messages:
        raise UserError(
            f"{attempt}: the agent wrote {messages} messages, and the ledger at {store.url} has {len(calls)} calls for "
            "it: give the store that the trajectory was made with, and the model if several made this attempt"
        )
    dollars = [call.dollars for call in calls if call.dollars is not None]
    if len(dollars) != len(calls):
        unpriced = sorted({call.model for call in calls if call.dollars is None})
        raise UserError(f"{attempt}: calls of {', '.join(unpriced)} have no price in the ledger at {store.url}")
    return Spending(sum(dollars), sum(call.seconds for call in calls))
