"""The reward vector of a rollout: its calls, its outcome, what its tokens and its tools cost, and its seconds."""

from collections.abc import Iterable

from toolscale.artifacts import Trajectory
from toolscale.catalogue.prices import dollars, schedule
from toolscale.errors import UserError
from toolscale.rewards import RewardVector
from toolscale.settings import Price
from trainer.config import Rewarding
from trainer.tasks.exercise import Playable


def reward_vector(
    trajectory: Trajectory, solved: bool, exercise: Playable, paid: float, seconds: float, prices: Rewarding
) -> RewardVector:
    """The paper's M (section 3.2) of a trajectory at an exercise.

    Every message is paid for as an endpoint bills it, the final answer too: all tokens that it read and all that it
    wrote. `paid` is what the tools cost beside that. The seconds run from the instruction to the last message.
    """
    price = token_price(exercise, prices)
    spent = dollars(price, trajectory.prompt_tokens, trajectory.completion_tokens) + paid
    return RewardVector.of(trajectory, exercise.offered, solved=solved, dollars=spent, seconds=seconds)


def token_price(exercise: Playable, prices: Rewarding) -> Price:
    """What the policy's own tokens cost: under the schedule of the drawn tools where `priced_as` says as whom.

    Where that schedule does not list the model, or nothing is drawn, they cost what the settings say.

    Raises:
        UserError: the schedule does not list the model, and the settings name no price either.
    """
    usual = Price(input=prices.dollars_per_million_prompt_tokens, output=prices.dollars_per_million_sampled_tokens)
    if not prices.priced_as or exercise.configuration is None:
        return usual
    name = exercise.configuration.schedule
    if listed := schedule(name).price_of_served(prices.priced_as):
        return Price(input=listed.input, output=listed.output)
    if not usual.input and not usual.output:
        raise UserError(
            f"rewarding.priced_as: the schedule `{name}` lists no {prices.priced_as}; name another model, or its price "
            "with rewarding.dollars_per_million_prompt_tokens and rewarding.dollars_per_million_sampled_tokens"
        )
    return usual


def check_prices(exercises: Iterable[Playable], prices: Rewarding) -> None:
    """Raises UserError where nobody says what the policy's tokens cost at an exercise."""
    for exercise in exercises:
        token_price(exercise, prices)
