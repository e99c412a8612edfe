"""A model's own optimizer, and its steps from the micro-batches of all processes."""

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from toolscale.errors import UserError
from trainer.config import Optimization
from trainer.distributed import Processes, full
from trainer.heap import keep_freed
from trainer.learning.optimizer import adamw, learning_rate
from trainer.model.decoder import Decoder
from trainer.model.packing import Microbatch


class Descent:
    """AdamW on a model's parameters. Every process takes the same steps, each with the micro-batches that it has."""

    def __init__(
        self,
        model: Decoder,
        settings: Optimization,
        steps: int,
        processes: Processes,
        rate: str = "optimization.learning_rate",
    ) -> None:
        """
        Args:
            model: whose parameters are trained.
            settings: AdamW's.
            steps: how many the training has, for the schedule of the learning rate.
            processes: the processes that train.
            rate: the setting of the learning rate, for an error's sentence.
        """
        self.model, self.settings, self.steps, self.processes = model, settings, steps, processes
        self.optimizer = adamw(model, settings)
        self._rate_setting = rate
        self._trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
        if processes.device.type == "cpu":
            keep_freed()

    def rate(self, step: int) -> float:
        """The learning rate of a step, from 0."""
        return learning_rate(self.settings, step, self.steps)

    def step(
        self, batches: Sequence[Microbatch], loss: Callable[[int, Microbatch], Tensor], step: int
    ) -> tuple[float, float]:
        """One optimizer step.

        Args:
            batches: this process's.
            loss: of the micro-batch at a place, a share of the sum over all of all processes; it asks the model.
            step: from 0, for the learning rate.

        Returns:
            The loss of all processes, and the norm of its gradient before it was clipped.

        Raises:
            UserError: one of them is not finite; the weights are still those before the step.
        """
        self.optimizer.zero_grad(set_to_none=True)
        own = 0.0
        for place, batch in enumerate(self.processes.in_step(batches)):
            part = loss(place, batch) if batch else self.model.idle()
            # FSDP takes the mean over the processes; `part` is a share of the sum over them.
            (part * self.processes.size).backward()  # type: ignore[no-untyped-call]
            own += part.item()
        (whole,) = self.processes.sums([own])
        norm = full(torch.nn.utils.clip_grad_norm_(self._trained, self.settings.max_grad_norm)).item()
        if not (math.isfinite(whole) and math.isfinite(norm)):
            self.optimizer.zero_grad(set_to_none=True)
            raise UserError(
                f"step {step}: the loss is {whole} and the norm of its gradient {norm}; the weights stay as they were. "
                f"Lower {self._rate_setting}; --resume goes on from the last checkpoint"
            )
        for parameters in self.optimizer.param_groups:
            parameters["lr"] = self.rate(step)
        self.optimizer.step()
        # Those of policy and critic would else take memory at the same time.
        self.optimizer.zero_grad(set_to_none=True)
        return whole, norm

    def tensors(self) -> dict[str, Tensor]:
        """Weights that learn, and moments, by name; what is loaded into them is loaded into the training."""
        tensors = {}
        for name, parameter in self.model.named_parameters():
            if not parameter.requires_grad:
                continue
            tensors[f"model/{name}"] = parameter.detach()
            for moment, value in self.optimizer.state.get(parameter, {}).items():
                tensors[f"optimizer/{name}/{moment}"] = value
        return tensors
