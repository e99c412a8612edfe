"""The reward vector of a rollout: its calls, its outcome, what its tokens and its tools cost, and its seconds."""

from toolscale.artifacts import Trajectory, Verdict
from toolscale.catalogue.prices import dollars, schedule
from toolscale.errors import UserError
from toolscale.rewards import RewardVector
from toolscale.settings import Price
from trainer.config import Rewarding
from trainer.exercise import Playable, QuestionExercise


def reward_vector(
    trajectory: Trajectory, verdict: Verdict, exercise: Playable, paid: float, seconds: float, prices: Rewarding
) -> RewardVector:
    """The paper's M (section 3.2) of a trajectory at an exercise.

    Every message is paid for as an endpoint bills it, the final answer too: all tokens that it read and all that it
    wrote. `paid` is what the tools cost beside that. The seconds run from the instruction to the last message.
    """
    price = token_price(exercise, prices)
    spent = dollars(price, trajectory.prompt_tokens, trajectory.completion_tokens) + paid
    return RewardVector.of(trajectory, exercise.offered, solved=verdict.solved, dollars=spent, seconds=seconds)


def token_price(exercise: Playable, prices: Rewarding) -> Price:
    """What the policy's own tokens cost: under the question's schedule where `priced_as` says as whom, else as set.

    Raises:
        UserError: the schedule does not list that model.
    """
    if prices.priced_as and isinstance(exercise, QuestionExercise) and exercise.task.configuration:
        name = exercise.task.configuration.schedule
        listed = schedule(name).price_of_served(prices.priced_as)
        if listed is None:
            raise UserError(
                f"rewarding.priced_as: the schedule `{name}` lists no {prices.priced_as}; name another model"
            )
        return Price(input=listed.input, output=listed.output)
    return Price(input=prices.dollars_per_million_prompt_tokens, output=prices.dollars_per_million_sampled_tokens)
