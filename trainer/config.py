"""The configuration of a training: one pydantic model, filled from a YAML file and `--set a.b=value` on top of it.

How such files are read, and what users are told of them, is `trainer.settings_file`'s.
"""

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_args
from urllib.parse import urlsplit

import yaml
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from toolscale.errors import UserError
from toolscale.rewards.toolrl import Design, Granularity, LengthReward, Schedule
from trainer.settings_file import explained, put, read_values


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


def _arithmetic(asked: Any) -> Any:
    """`auto` becomes what this machine has arithmetic for; what is written down is what was used."""
    if asked != "auto":
        return asked
    from trainer.precision import native

    return native()


Precision = Annotated[Literal["float32", "bfloat16"], BeforeValidator(_arithmetic)]

Share = Annotated[float, Field(ge=0, le=1)]

Seconds = Annotated[float, Field(ge=0, le=3600)]

Rate = Annotated[float, Field(gt=0, le=1)]
"""Of learning: AdamW moves a weight by about as much a step."""

Momentum = Annotated[float, Field(ge=0, lt=1)]
"""How much of an average stays from step to step."""

LossName = Literal["grpo", "dr_grpo", "dapo", "gspo", "cispo"]

CLIPS: Mapping[LossName, tuple[float, float]] = {
    "grpo": (0.2, 0.2),
    "dr_grpo": (0.2, 0.2),
    "dapo": (0.2, 0.28),
    "gspo": (3e-4, 4e-4),
    "cispo": (1.0, 4.0),
}
"""How far the ratio may fall below 1 and rise above it, by the loss: its paper's numbers, and ScaleRL's for CISPO."""

DUAL_CLIP = 3.0
"""The cap of the ratio where A < 0, as verl and Ye et al. (arXiv 1912.09729) have it."""


class Lora(_Section):
    """Adapters of low rank, which learn in place of the weights. Without dropout: what samples has none either."""

    rank: int = Field(default=32, ge=1, le=512)
    alpha: int = Field(default=64, ge=1, description="An adapter's product counts alpha / rank.")
    targets: list[str] | None = Field(
        default=None, min_length=1, description="Names of linear layers, such as q_proj; None takes all but the head."
    )
    path: Path | None = Field(
        default=None, description="A folder with an adapter to begin with; None begins with one that changes nothing."
    )


class Model(_Section):
    """The checkpoint that training starts from."""

    path: str = Field(description="A folder that `save_pretrained` wrote, or a name on the Hub.")
    revision: str | None = None
    chat_template: Path | None = Field(default=None, description="A Jinja file that replaces the tokenizer's template.")
    template_arguments: dict[str, Any] = Field(
        default_factory=dict, description="What the template is given beside messages and tools: enable_thinking, say."
    )
    tool_calls: Literal["auto", "hermes", "qwen3_coder", "llama3_json", "pythonic", "mistral", "gemma4"] = Field(
        default="auto",
        description="The format of calls, by the name of vLLM's parser; `auto` is the one that the template writes.",
    )
    dtype: Precision = Field(
        default="bfloat16", description="`auto` is bfloat16 where the machine has arithmetic for it, else float32."
    )
    attention: str = Field(default="sdpa", description="transformers' `attn_implementation`.")
    activation_checkpointing: bool = False
    lora: Lora | None = Field(default=None, description="None trains every weight.")


class Source(_Section):
    """One of several datasets, and how often a task comes from it."""

    dataset: Path | None = Field(
        default=None, description="Folder of domain tasks, of questions or of steps; None is the command's --dataset."
    )
    share: float = Field(default=1.0, gt=0, description="Beside the others' shares; they need not sum to 1.")


class Curriculum(_Section):
    """Tasks drawn by how often they are solved: first by the dataset's pass rates, then by the policy's own."""

    target: float = Field(default=0.5, gt=0, lt=1, description="The pass rate of the tasks that are drawn most.")
    half_life: float = Field(
        default=20, gt=0, description="Steps after which the policy's own attempts at a task count half."
    )
    uniform: float = Field(
        default=0.1, gt=0, le=1, description="Share of the draws that do not look at rates, so that no task starves."
    )


class Data(_Section):
    """Which tasks, in which order."""

    mix: list[Source] | None = Field(
        default=None,
        min_length=1,
        description="None takes the command's --dataset alone. Shares are whole per cents.",
    )
    domains: list[str] | None = Field(default=None, description="None takes every domain of the dataset.")
    max_golden_calls: int | None = Field(default=None, ge=1)
    max_depth: int | None = Field(default=None, ge=0)
    pass_rates: tuple[Share, Share] = Field(default=(0.0, 1.0), description="Tasks whose pass rate lies within.")
    tools_per_task: int | None = Field(
        default=None,
        ge=1,
        description="Offer so many functions, golden ones among them, drawn by the seed; None offers all.",
    )
    shuffle: bool = True
    curriculum: Curriculum | None = Field(
        default=None, description="None goes through the tasks epoch by epoch; `{}` draws by pass rate."
    )


class Tools(_Section):
    """The tools of a catalogue (docs/orchestration.md): what questions are answered with, and tasks where wanted."""

    catalogue: str = Field(default="training", description="Where tools are found: a set, FILE.toml, or FILE.toml:SET.")
    schedule: str | None = Field(
        default=None,
        description="Prices of what a row leaves open; None takes together's for questions, and for each domain task "
        "one of the ten of training.",
    )
    index: Path | None = Field(default=None, description="Folder that local_search searches.")
    instructions: str | None = Field(
        default=None, description="The agent's, in place of the prompt `orchestrator`: short ones for a small model."
    )
    domain_tasks: bool = Field(
        default=False,
        description="Domain tasks too: each offers tools beside its functions, and its user may prefer something. Both "
        "are those of the task's row; where it has none, they are drawn by the settings below.",
    )
    preferences: Path | None = Field(
        default=None, description="preferences.json, from which each of these tasks is dealt one; None is none."
    )
    descriptions: Path | None = Field(default=None, description="Measured descriptions and latencies of the models.")
    seed: int = Field(
        default=0, ge=0, description="Draws these tools, prices and preferences: the same whatever a training's seed."
    )
    judge: bool = Field(
        default=False,
        description="Ask the judge model about answers that a program cannot decide; else these are wrong.",
    )

    @model_validator(mode="after")
    def _draws_for_somebody(self) -> Self:
        for name in ("preferences", "descriptions"):
            if getattr(self, name) and not self.domain_tasks:
                raise ValueError(
                    f"tools.{name} is for domain tasks, and questions have theirs in their rows: set "
                    "tools.domain_tasks to true, or leave it out"
                )
        return self


def _url(given: str) -> str:
    parts = urlsplit(given)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"`{given}` is no URL of a server, such as http://localhost:8000")
    return given


class Rollouts(_Section):
    """How episodes are played."""

    backend: Literal["vllm", "vllm-server", "transformers"] = "vllm"
    servers: list[Annotated[str, AfterValidator(_url)]] = Field(
        default_factory=list, description="Base URLs, for `vllm-server`."
    )
    weight_transfer: Literal["auto", "shm", "ipc", "nccl"] = "auto"
    dtype: Precision | None = Field(default=None, description="None takes the model's.")
    user_mode: Literal["direct", "simulated"] = Field(
        default="direct",
        description="Whether the user of a domain task says everything at once, or a model in the role `user` speaks.",
    )
    max_turns: int = Field(default=50, ge=1, description="The paper's 50 (section 4.1).")
    max_prompt_tokens: int = Field(default=24_000, ge=16, description="The paper's input limit: of the first prompt.")
    max_sampled_tokens: int = Field(default=8_000, ge=1, description="Of all messages of an episode.")
    max_message_tokens: int | None = Field(default=None, ge=1, description="At most so many in one message.")
    context_tokens: int = Field(default=32_000, ge=32, description="Prompt, messages and tool answers together.")
    temperature: float = Field(default=1.0, ge=0, le=10)
    top_p: float = Field(default=1.0, gt=0, le=1)
    at_once: int = Field(default=64, ge=1, description="Trajectories that one process plays side by side.")
    ahead: int = Field(
        default=0,
        ge=0,
        description="While the policy learns, play the next steps with weights up to so many versions old. Needs "
        "`old_policy: recompute` and, on GPUs, engines with GPUs of their own; 0 plays and learns in turn.",
    )
    oversample: float = Field(
        default=1.0,
        ge=1,
        description="Begin so many times the groups, take those that are whole first, and cancel the rest: quicker, "
        "and short episodes are overrepresented.",
    )
    sandboxes: int = Field(default=4, ge=1, description="Calls that run side by side.")
    kv_cache_gib: float | None = Field(default=None, gt=0, description="vLLM's cache; None lets vLLM choose.")
    gpu_memory_share: float = Field(default=0.4, gt=0, le=1, description="vLLM's share of a GPU that training shares.")
    sleep: bool | None = Field(
        default=None,
        description="vLLM in process gives its memory back while the policy learns; None does so on a GPU. A CPU gets "
        "none back.",
    )
    lora_as: Literal["merged", "adapter"] = Field(
        default="merged", description="What vLLM is given with `model.lora`: weights with it merged, or it alone."
    )
    tensor_parallel: int = Field(default=1, ge=1, description="GPUs of each server of `vllm-server`.")
    enforce_eager: bool = False
    tool_latency: tuple[Seconds, Seconds] = Field(
        default=(0.0, 0.0), description="Seconds, drawn evenly and by the seed, that every tool call takes longer."
    )


class Rewarding(_Section):
    """What a trajectory is worth."""

    kind: Literal["preference", "toolrl"] = Field(
        default="preference", description="The paper's M . P, or ToolRL's format and correctness."
    )
    parts: dict[str, float] | None = Field(
        default=None,
        min_length=1,
        description="In place of `kind`: parts by name, and what each counts in the sum (docs/rewards.md).",
    )
    preference: list[float] | dict[str, float] | None = Field(
        default=None,
        description="P, or what is wanted by name (tools, outcome, compute, latency), for every task that brings no "
        "preference of its own; None is outcome alone.",
    )
    schedule: Schedule = Field(
        default="constant", description="ToolRL's scales over training: constant, equal_maxima, two_stage, dynamic."
    )
    granularity: Granularity = Field(
        default="original", description="How finely ToolRL compares calls: original, finegrained, intermediate, coarse."
    )
    length: LengthReward = Field(default="none", description="ToolRL's reward for long thoughts: none, fixed, dynamic.")
    dollars_per_million_prompt_tokens: float = Field(default=0.0, ge=0)
    dollars_per_million_sampled_tokens: float = Field(default=0.0, ge=0)
    priced_as: str | None = Field(
        default=None,
        description="A model's name: with tools, tokens cost what it costs under their schedule, if that lists it.",
    )

    @property
    def by_preference(self) -> bool:
        """Whether domain tasks earn the paper's M . P, in which M is normalized over a task's rollouts."""
        return self.kind == "preference" if self.parts is None else "preference" in self.parts

    @model_validator(mode="after")
    def _is_one_reward(self) -> Self:
        if self.preference is not None and not self.by_preference:
            raise ValueError("preference is P of M . P: leave it out, or have `preference` among the parts")
        if self.parts is None:
            return self
        if self.kind == "toolrl":
            raise ValueError("parts stand in place of kind: leave kind out; ToolRL's are format and correctness")
        if not any(self.parts.values()):
            raise ValueError("parts: one of them has to count, and all weights are 0")
        if "length" in self.parts and self.length == "none":
            raise ValueError("parts: say with `length` (fixed or dynamic) how long thoughts should be")
        return self

    def design(self, *, thinks: bool) -> Design:
        """ToolRL's reward as configured; `thinks` where a well-formed message opens with its thoughts."""
        return Design(schedule=self.schedule, granularity=self.granularity, length=self.length, thinks=thinks)


class Algorithm(_Section):
    """GRPO (section 3.2 of the paper) in the form that `loss` names; most of it is PPO's as well."""

    tasks_per_step: int = Field(default=16, ge=1, description="Groups a step, over all processes.")
    rollouts_per_task: int = Field(default=8, ge=1, description="At least 2 for GRPO, which compares them.")
    loss: LossName = Field(
        default="dapo",
        description="Fixes whether ratios are a token's or a sequence's, how they are clipped, what the loss is a mean "
        "over, and whether advantages are divided by the std (docs/training.md). PPO's is grpo or dapo.",
    )
    clip_low: float | None = Field(
        default=None, gt=0, le=1, description="The ratio is clipped below 1 - clip_low; None takes the loss's own."
    )
    clip_high: float | None = Field(default=None, gt=0, description="And above 1 + clip_high; None likewise.")
    dual_clip: float | None = Field(
        default=None,
        gt=1,
        description="Where A < 0, a ratio above this counts as this; None is without. `auto`, or nothing, is 3 "
        "where old log-probabilities are recomputed, unless the loss caps every ratio (cispo).",
    )
    least_std: float = Field(default=0.1, ge=0, description="A group whose R has a smaller std is dropped.")
    std_eta: float = Field(
        default=0.0, ge=0, description="Added to the std that GRPO divides advantages by: ToolRL's eta."
    )
    redraw: int = Field(
        default=0,
        ge=0,
        description="Dropped groups are replaced by groups of other tasks (DAPO's dynamic sampling), up to so many "
        "times `tasks_per_step` of them a step; 0 replaces none.",
    )
    drop_malformed: bool = Field(
        default=False,
        description="The paper's format-consistency and invalid-output filters: what they find is not learnt from.",
    )
    epochs_per_batch: int = Field(default=1, ge=1, description="Updates on each batch of rollouts.")
    minibatches: int = Field(default=1, ge=1, description="Optimizer steps into which an epoch is cut.")
    old_policy: Literal["rollout", "recompute"] = Field(
        default="rollout",
        description="Whose log-probabilities stand below the ratio, the engine's or the trainer's; `recompute` adds "
        "truncated sampling. `auto`, or nothing, recomputes where the trainer or its engine computes in bfloat16.",
    )
    importance_cap: float = Field(default=2.0, gt=0, description="Cap of truncated importance sampling.")
    kl_coefficient: float = Field(
        default=0.0,
        ge=0,
        description="Weight of the KL to the starting checkpoint: in GRPO's loss, in PPO's rewards; 0 is none.",
    )

    @property
    def clip(self) -> tuple[float, float]:
        """How far the ratio may fall below 1 and rise above it."""
        low, high = CLIPS[self.loss]
        return low if self.clip_low is None else self.clip_low, high if self.clip_high is None else self.clip_high

    @property
    def asks_old(self) -> bool:
        """Whether the trainer's old log-probabilities take a pass of their own before GRPO's update.

        Where a batch is learnt from in one step, the pass that learns says them.
        """
        return self.old_policy == "recompute" and self.epochs_per_batch * self.minibatches > 1

    @model_validator(mode="after")
    def _fits_its_loss(self) -> Self:
        if self.loss == "dr_grpo" and self.std_eta:
            raise ValueError("std_eta is added to a std that dr_grpo does not divide by: set it to 0, or loss to grpo")
        if self.loss == "cispo" and self.dual_clip is not None:
            raise ValueError("dual_clip: cispo caps every ratio at 1 + clip_high already; leave dual_clip out")
        return self

    @model_validator(mode="after")
    def _redraws_what_is_dropped(self) -> Self:
        if self.redraw and (self.least_std == 0 or self.rollouts_per_task == 1):
            raise ValueError(
                "redraw replaces the groups that least_std drops, and here it drops none: set least_std above 0 and "
                "rollouts_per_task above 1, or leave redraw at 0"
            )
        return self


class PPO(_Section):
    """PPO in place of GRPO: a critic, a copy of the starting checkpoint, estimates the advantage of every token."""

    critic_learning_rate: Rate = Field(
        default=1e-5, description="All else of the critic's optimizer is as `optimization` says."
    )
    gamma: float = Field(default=1.0, ge=0, le=1, description="Discount from one sampled token to the next.")
    gae_lambda: float = Field(default=1.0, ge=0, le=1, description="1: returns less values; 0: errors of one step.")
    value_clip: float = Field(
        default=0.5, gt=0, description="How far a value may move from what it was before the batch, and still learn."
    )


class Optimization(_Section):
    """AdamW and the micro-batches that feed it."""

    learning_rate: Rate = 1e-6
    warmup_steps: int = Field(default=0, ge=0)
    schedule: Literal["constant", "linear", "cosine"] = "constant"
    weight_decay: float = Field(default=0.0, ge=0)
    betas: tuple[Momentum, Momentum] = (0.9, 0.999)
    max_grad_norm: float = Field(default=1.0, gt=0)
    offload: bool = Field(
        default=False, description="AdamW's moments lie in the host's memory, and come to the GPU for each step alone."
    )
    tokens_per_microbatch: int = Field(default=16_384, ge=1, description="Packed tokens in one forward pass.")


class WarmStart(_Section):
    """Supervised fine-tuning on successful trajectories and golden steps, before GRPO."""

    examples: int | None = Field(default=None, ge=1, description="None takes all of the train split.")
    epochs: int = Field(default=1, ge=1)
    batch: int = Field(default=8, ge=1)
    learning_rate: Rate = Field(default=1e-5, description="At the first batch; it falls to 0 by the last.")


class Evaluation(_Section):
    """Held-out tasks, every so many steps."""

    every: int = Field(default=10, ge=0, description="0 evaluates only before and after.")
    tasks: int | None = Field(default=None, ge=1, description="None takes the whole eval split.")
    samples: int = Field(
        default=1, ge=1, description="For pass@k beside pass@1, sampled as in rollouts; 1 is pass@1 alone."
    )
    sampling: Literal["makers", "greedy"] = Field(
        default="makers",
        description="Of the one attempt at each task: `makers` takes temperature, top_p, top_k, min_p and "
        "repetition_penalty from the checkpoint's generation_config.json, and is greedy where that says nothing.",
    )
    temperature: float | None = Field(default=None, ge=0, le=10, description="This one instead, and nothing beside it.")
    untrained: bool = Field(
        default=False,
        description="Before the warm start too: what the engine was started with, at step -1 of the metrics.",
    )


class Checkpoints(_Section):
    """What makes a training that was killed go on as if it had not been."""

    every: int = Field(default=10, ge=1)
    keep: int = Field(default=2, ge=1)


class Logging(_Section):
    """JSONL is always written; every rollout, and a page that shows them, unless they are switched off."""

    tensorboard: bool = False
    wandb_project: str | None = None
    trackio_project: str | None = None
    rollout_steps: int | None = Field(
        default=None, ge=0, description="Steps whose rollouts are kept, the newest ones; None keeps all, 0 writes none."
    )
    rescore_every: int = Field(
        default=10,
        ge=0,
        description="So often rollouts are scored again after their update, which shows what it did to each token: one "
        "more forward pass. 0 never does.",
    )
    report_every: int = Field(
        default=1,
        ge=0,
        description="So often report.html is made anew, and at the end; 0 leaves it to `trainer report`.",
    )


class Config(_Section):
    """A training, whole."""

    model: Model
    data: Data = Data()
    tools: Tools = Tools()
    rollouts: Rollouts = Rollouts()
    rewarding: Rewarding = Rewarding()
    algorithm: Algorithm = Algorithm()
    ppo: PPO | None = None
    optimization: Optimization = Optimization()
    warm_start: WarmStart | None = None
    evaluation: Evaluation = Evaluation()
    checkpoints: Checkpoints = Checkpoints()
    logging: Logging = Logging()
    steps: int = Field(default=100, ge=0, description="null is as if it were left out, which `epochs` wants.")
    epochs: int | None = Field(
        default=None, ge=1, description="In place of `steps`: as many as going so often through `train` takes."
    )
    seed: int = Field(default=0, ge=0, lt=2**63)

    @model_validator(mode="before")
    @classmethod
    def _takes_defaults_where_nothing_is_said(cls, values: Any) -> Any:
        """`steps: null`, and a section of which nothing but its name, or comments, is there, are as if left out."""
        if not isinstance(values, Mapping):
            return values
        empty = {name for name, field in cls.model_fields.items() if type(None) not in get_args(field.annotation)}
        return {name: value for name, value in values.items() if value is not None or name not in empty}

    @model_validator(mode="before")
    @classmethod
    def _corrects_in_bfloat16(cls, values: Any) -> Any:
        """`auto` becomes what was used, as in `Precision`."""
        if not isinstance(values, Mapping):
            return values
        algorithm, model, rollouts = (values.get(name) or {} for name in ("algorithm", "model", "rollouts"))
        if not all(isinstance(each, Mapping) for each in (algorithm, model, rollouts)):
            return values
        settled = {"old_policy": "auto", "dual_clip": "auto", **algorithm}
        if settled["old_policy"] == "auto":
            own = _arithmetic(model.get("dtype", "bfloat16"))
            exact = own == _arithmetic(rollouts.get("dtype") or own) == "float32"
            settled["old_policy"] = "rollout" if exact else "recompute"
        if settled["dual_clip"] == "auto":
            capped = settled["old_policy"] == "recompute" and settled.get("loss") != "cispo"
            settled["dual_clip"] = DUAL_CLIP if capped else None
        return {**values, "algorithm": settled}

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        rollouts, algorithm = self.rollouts, self.algorithm
        if rollouts.max_prompt_tokens >= rollouts.context_tokens:
            raise ValueError(
                f"rollouts.max_prompt_tokens is {rollouts.max_prompt_tokens}, which leaves no room in "
                f"rollouts.context_tokens, {rollouts.context_tokens}"
            )
        if bool(rollouts.servers) != (rollouts.backend == "vllm-server"):
            raise ValueError("rollouts.servers and rollouts.backend: vllm-server go together; give both or neither")
        if (parallel := rollouts.tensor_parallel) > 1 and rollouts.backend != "vllm-server":
            raise ValueError(
                f"rollouts.tensor_parallel is {parallel}, and a process that trains has one GPU for its engine: start "
                f"vLLM servers with --tensor-parallel-size {parallel} on other GPUs, and name them in rollouts.servers "
                "with rollouts.backend: vllm-server"
            )
        if algorithm.minibatches > algorithm.tasks_per_step:
            raise ValueError(
                f"algorithm.minibatches is {algorithm.minibatches}, over the {algorithm.tasks_per_step} groups a step"
            )
        if algorithm.rollouts_per_task == 1 and self.ppo is None:
            raise ValueError("algorithm.rollouts_per_task: GRPO compares 2 or more; PPO (`ppo: {}`) can do with 1")
        if algorithm.rollouts_per_task == 1 and self.rewarding.by_preference:
            raise ValueError(
                "algorithm.rollouts_per_task is 1, and M is normalized over a task's rollouts, so that R would always "
                "be 0: give 2 or more, or rewarding.kind: toolrl"
            )
        if self.ppo and algorithm.std_eta:
            raise ValueError("algorithm.std_eta belongs to GRPO's advantages; set it to 0 with `ppo`")
        if rollouts.tool_latency[0] > rollouts.tool_latency[1]:
            raise ValueError("rollouts.tool_latency is [least, most] in seconds")
        if self.data.pass_rates[0] > self.data.pass_rates[1]:
            raise ValueError("data.pass_rates is [least, most]")
        if self.epochs is not None and "steps" in self.model_fields_set:
            raise ValueError(
                "`steps` and `epochs` both say how long to train; take one out: --set steps=null leaves the epochs, "
                "--set epochs=null the steps"
            )
        return self

    @model_validator(mode="after")
    def _samples_what_it_scores(self) -> Self:
        if self.rollouts.temperature == 0:
            raise ValueError(
                "rollouts.temperature is 0, so that all rollouts of a task are alike and none has a probability: give "
                "some more, such as 1; evaluations are greedy by evaluation.sampling"
            )
        if self.rollouts.top_p < 1:
            raise ValueError("rollouts.top_p below 1 samples what the trainer does not score; leave it at 1")
        return self

    @model_validator(mode="after")
    def _can_learn_by_its_loss(self) -> Self:
        loss = self.algorithm.loss
        if self.ppo and loss not in ("grpo", "dapo"):
            raise ValueError(
                f"algorithm.loss: {loss} is made for a group's advantages, and with `ppo` they are the critic's: take "
                "grpo or dapo"
            )
        for name, own in zip(("clip_low", "clip_high"), CLIPS[loss], strict=True):
            given = getattr(self.algorithm, name)
            if loss in ("gspo", "cispo") and given is not None and not own / 10 <= given <= 10 * own:
                raise ValueError(
                    f"algorithm.{name} is {given:g}, and what {loss} clips is of another size: set it to null for "
                    f"{own:g}"
                )
        exact = self.model.dtype == (self.rollouts.dtype or self.model.dtype) == "float32"
        if loss == "gspo" and self.algorithm.old_policy == "rollout" and not exact:
            raise ValueError(
                "algorithm.loss: gspo clips at a few ten-thousandths, and in bfloat16 engine and trainer are further "
                "apart than that: set algorithm.old_policy to recompute"
            )
        return self

    @model_validator(mode="after")
    def _corrects_for_older_weights(self) -> Self:
        if self.rollouts.ahead and self.algorithm.old_policy != "recompute":
            raise ValueError(
                "rollouts.ahead samples with older weights than those that learn: set algorithm.old_policy to "
                "recompute, which corrects for that, or rollouts.ahead to 0"
            )
        return self

    @model_validator(mode="after")
    def _fits_the_engine(self) -> Self:
        rollouts = self.rollouts
        if rollouts.sleep and (rollouts.backend != "vllm" or rollouts.ahead):
            raise ValueError(
                "rollouts.sleep is for rollouts.backend: vllm, which then does not run ahead; leave it out"
            )
        if rollouts.servers and self.evaluation.untrained:
            raise ValueError(
                "evaluation.untrained plays the checkpoint as it came, and servers may hold another policy: play it by "
                "`python -m trainer evaluate`, which gives it to them"
            )
        if rollouts.lora_as == "adapter" and (self.model.lora is None or rollouts.backend != "vllm"):
            raise ValueError("rollouts.lora_as: adapter needs model.lora and rollouts.backend: vllm; set it to merged")
        return self

    def lasting(self, tasks: int) -> Self:
        """The same with its `epochs` of so many tasks as `steps`; the last step may begin another epoch."""
        if self.epochs is None:
            return self
        steps = -(-self.epochs * tasks // self.algorithm.tasks_per_step)
        return self.model_copy(update={"steps": steps, "epochs": None})

    @classmethod
    def read(cls, path: Path, changes: Mapping[str, Any] | None = None) -> Self:
        """The YAML file at `path`, or the preset of that name, with `changes` (dotted names to values) on top.

        Raises:
            UserError: there is no such file, it is not YAML, or a name or value in it is not possible.
        """
        values, file = read_values(path)
        for name, value in (changes or {}).items():
            put(values, name, value)
        return cls.of(values, str(file), changes or {})

    @classmethod
    def of(cls, values: Mapping[str, Any], source: str, changes: Collection[str] = ()) -> Self:
        """The configuration with these values; `source` says in errors where they stand, `changes` which it has not.

        Raises:
            UserError: a name or a value is not possible.
        """
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            raise UserError(explained(error, cls, source, changes)) from None

    def write(self, file: Path) -> None:
        """All settings as YAML, defaults included, for `read` to read; a file that is there is replaced whole."""
        values = json.loads(self.model_dump_json(exclude=None if self.epochs is None else {"steps"}))
        text = yaml.safe_dump(values, sort_keys=False, allow_unicode=True)
        beside = file.with_name(f".{file.name}")
        beside.write_text(text, encoding="utf-8")
        beside.replace(file)
