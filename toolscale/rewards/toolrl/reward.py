"""R_final of one output, or of a whole episode (ToolRL, section 3.3)."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from toolscale.artifacts import Task, Trajectory
from toolscale.rewards.toolrl.correctness import AnyCall, Granularity, match_share
from toolscale.rewards.toolrl.fields import FieldName, format_reward, read_calls, read_fields, written_out
from toolscale.rewards.toolrl.schedules import LengthReward, Schedule, TrainingProgress, length_reward, scales


class Design(BaseModel):
    """Which of the paper's reward designs; the defaults are its own. Pydantic, so a configuration can hold it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    schedule: Schedule = "constant"
    granularity: Granularity = "original"
    length: LengthReward = "none"
    thinks: bool = Field(default=True, description="A well-formed message opens with its thoughts; else it may.")


@dataclass(frozen=True)
class ToolRLReward:
    """The parts of a reward, each on the scale of its step."""

    format: float
    correctness: float
    length: float = 0.0

    @property
    def final(self) -> float:
        """R_final, in [-3, 4] for the default design."""
        return self.format + self.correctness + self.length


_DESIGN, _START = Design(), TrainingProgress()


def output_reward(
    output: str,
    golden: Sequence[AnyCall],
    *,
    responds: bool,
    design: Design = _DESIGN,
    progress: TrainingProgress = _START,
) -> ToolRLReward:
    """The reward of one output, where the golden calls of that very step are known: the paper's setting.

    Args:
        output: what the model wrote, in ToolRL's fields.
        golden: the calls of this step; where there are none, a `<tool_call>` breaks the format.
        responds: whether the step has a `<response>`.
        design: which of the paper's designs.
        progress: the step of the training.
    """
    required: list[FieldName] = ["think"] if design.thinks or "think" in (read_fields(output) or {}) else []
    required += ["tool_call"] if golden else []
    required += ["response"] if responds else []
    try:
        share = match_share(read_calls(output), golden, design.granularity)
    except ValueError:  # calls that nobody can read are as wrong as calls can be
        share = 0.0
    return _on_scale(format_reward(output, required), share, think_length([output]), design, progress)


def episode_reward(
    trajectory: Trajectory, task: Task, design: Design = _DESIGN, progress: TrainingProgress = _START
) -> ToolRLReward:
    """The reward of an episode: all calls of the trajectory against all golden calls of its task.

    The format is right where each of the agent's messages is, written out in ToolRL's fields: thoughts (see
    `Design.thinks`), then calls, a response, or both. Which of these a turn needs the task does not say. The length is
    the mean over the messages.
    """
    outputs = [written_out(message) for message in trajectory.messages if message["role"] == "assistant"]
    well_formed = bool(outputs) and all(_well_formed(output, design.thinks) for output in outputs)
    share = match_share(trajectory.calls, task.golden_calls, design.granularity)
    return _on_scale(well_formed, share, think_length(outputs), design, progress)


def nothing_earned(design: Design = _DESIGN, progress: TrainingProgress = _START) -> ToolRLReward:
    """The reward of an episode that came to no end of its own: what messages earn that nobody can read."""
    return _on_scale(0, 0.0, 0.0, design, progress)


def think_length(outputs: Sequence[str]) -> float:
    """Words in the `<think>` field, the mean over the outputs; one that is not made of fields has none."""
    thoughts = [(read_fields(output) or {}).get("think", "") for output in outputs]
    return sum(len(thought.split()) for thought in thoughts) / len(thoughts) if thoughts else 0.0


def _well_formed(output: str, thinks: bool) -> bool:
    fields = (read_fields(output) or {}).keys()
    return bool(fields & {"tool_call", "response"}) and ("think" in fields or not thinks)


def _on_scale(
    well_formed: int, share: float, thinking: float, design: Design, progress: TrainingProgress
) -> ToolRLReward:
    scale = scales(design.schedule, progress)
    return ToolRLReward(
        format=scale.format.at(well_formed),
        correctness=scale.correctness.at(share),
        length=length_reward(thinking, design.length, progress),
    )
