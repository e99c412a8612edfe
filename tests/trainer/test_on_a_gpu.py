"""What a GPU's kernels, and tensors that lie on two devices, could break: the same numbers as on the CPU.

Without a GPU all of it runs on the CPU, so that these tests themselves are known to work. They want no fixture of
others: `benchmarks/gpu_smoke.sh` runs them where the packages of the core's tests are not installed.
"""

import asyncio
import random
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from trainer.config import Model, Rollouts  # noqa: E402
from trainer.distributed import Processes  # noqa: E402
from trainer.learning.learner import Learner  # noqa: E402
from trainer.learning.reference import AsItBegan  # noqa: E402
from trainer.learning.watch import Watch  # noqa: E402
from trainer.model.packing import microbatches  # noqa: E402
from trainer.model.policy import Policy  # noqa: E402
from trainer.output.checkpoint import Checkpoints  # noqa: E402
from trainer.rollout.engine import Sampling  # noqa: E402
from trainer.rollout.transformers_engine import TransformersEngine  # noqa: E402
from trainer.sequence import TokenSequence  # noqa: E402

from .chance import LORA, VOCABULARY, critic, groups, learner, policy, write_model  # noqa: E402

pytestmark = pytest.mark.gpu

CPU = torch.device("cpu")
HERE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("model"), tied=False)


def pupil(folder: Path, device: torch.device, way: str = "grpo", dtype: str = "float32") -> Learner:
    """One that uses everything: an old policy, a reference, several micro-batches, and what the way names."""
    processes = Processes(device=device)
    settings: dict[str, object] = {"dtype": dtype, "activation_checkpointing": True}
    if way == "lora":
        torch.manual_seed(1)
        settings["lora"] = LORA
    learning = policy(folder, processes, **settings)
    reference = AsItBegan(learning) if way == "lora" else policy(folder, processes, dtype=dtype)
    if way != "lora":
        reference.requires_grad_(False)
    return learner(
        learning,
        {"kl_coefficient": 0.1, "old_policy": "recompute", "minibatches": 2, "dual_clip": 3.0},
        {"tokens_per_microbatch": 40, "learning_rate": 1e-3, "max_grad_norm": 1.0, "offload": way == "offload"},
        processes=processes,
        reference=reference,
        critic=critic(folder, processes, dtype=dtype) if way == "ppo" else None,
        ppo={"critic_learning_rate": 1e-3, "gae_lambda": 0.9},
    )


def taught(pupil: Learner, steps: range = range(2)) -> tuple[list[dict[str, float]], dict[str, torch.Tensor]]:
    figures = [pupil.update(*groups(random.Random(step), 3), step, Watch()) for step in steps]
    return figures, {name: each.detach().cpu().clone() for name, each in pupil.tensors().items()}


@pytest.mark.parametrize("way", ["grpo", "offload", "ppo", "lora"])
def test_updates_are_those_of_the_cpu(folder, way):
    figures, tensors = taught(pupil(folder, HERE, way))
    expected, there = taught(pupil(folder, CPU, way))
    for mine, theirs in zip(figures, expected, strict=True):
        assert mine == pytest.approx(theirs, rel=2e-3, abs=1e-4)
    assert tensors.keys() == there.keys()
    for name, each in there.items():
        if name.endswith("/step"):
            assert torch.equal(tensors[name], each)
        elif name.startswith("model/"):
            torch.testing.assert_close(tensors[name], each, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("way", ["grpo", "lora"])
def test_updates_in_bfloat16_are_near_those_in_float32(folder, way):
    figures, _ = taught(pupil(folder, HERE, way, "bfloat16"))
    expected, _ = taught(pupil(folder, CPU, way))
    for mine, theirs in zip(figures, expected, strict=True):
        for name in ("loss", "entropy", "grad_norm"):
            assert mine[name] == pytest.approx(theirs[name], rel=0.2, abs=0.05), name


@pytest.mark.parametrize("way", ["grpo", "offload", "ppo", "lora"])
def test_a_training_goes_on_from_a_checkpoint_where_it_stood(folder, way, tmp_path):
    whole, again = pupil(folder, HERE, way), pupil(folder, HERE, way)
    taught(whole, range(1))
    saved = Checkpoints(tmp_path).save(1, whole.tensors(), {"step": 1})
    assert Checkpoints(tmp_path).load(saved, again.tensors()) == {"step": 1}
    for name, each in whole.tensors().items():
        assert torch.equal(again.tensors()[name].cpu(), each.cpu()), name
    (one,), first = taught(whole, range(1, 2))
    (other,), second = taught(again, range(1, 2))
    # A GPU adds up in another order each time.
    assert other == pytest.approx(one, rel=1e-3, abs=1e-4)
    for name, each in first.items():
        torch.testing.assert_close(second[name], each, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("lora", [None, LORA])
def test_the_weights_that_an_engine_gets_are_those_of_the_cpu_and_lie_here(folder, lora):
    given = {}
    for device in (HERE, CPU):
        torch.manual_seed(1)
        given[device.type] = dict(policy(folder, Processes(device=device), dtype="bfloat16", lora=lora).weights())
    for name, each in given["cpu"].items():
        assert given[HERE.type][name].device.type == HERE.type
        # Scattered alike to the bit; what is merged is a product.
        torch.testing.assert_close(given[HERE.type][name].cpu(), each, rtol=0, atol=1e-6 if lora else 0)


def shared(draw: random.Random, prompt: int, own: int) -> list[TokenSequence]:
    """Four sequences with one prompt."""
    first = [draw.randrange(VOCABULARY) for _ in range(prompt)]
    made = []
    for _ in range(4):
        sequence = TokenSequence.of_prompt(first)
        sequence.append_sampled([draw.randrange(VOCABULARY) for _ in range(own)], [-1.0] * own, 0)
        made.append(sequence)
    return made


@pytest.mark.parametrize(("dtype", "within"), [("float32", 1e-4), ("bfloat16", 0.2)])
def test_a_prompt_that_is_shared_is_read_as_if_it_were_not(folder, dtype, within):
    made = policy(folder, Processes(device=HERE), dtype=dtype)
    sequences = [each for _ in range(2) for each in shared(random.Random(1), 40, 20)]
    (together,) = microbatches(sequences, 100_000)
    together = together.to(HERE)
    assert len(together.spans) > 2
    grouped = made(together).logprobs
    grouped.sum().backward()
    gradients = {name: each.grad.clone() for name, each in made.named_parameters()}
    made.zero_grad()
    alone = {}
    for owner, each in enumerate(sequences):
        (batch,) = microbatches([each], 100_000)
        scores = made(batch.to(HERE)).logprobs
        scores.sum().backward()
        alone[owner] = scores
    for owner, scores in alone.items():
        torch.testing.assert_close(grouped[together.owners == owner], scores, rtol=0, atol=within)
    for name, each in made.named_parameters():
        assert (gradients[name] - each.grad).norm() / each.grad.norm() < within, name


def test_what_transformers_samples_here_is_as_likely_as_the_trainer_finds_it(folder):
    settings = Rollouts(backend="transformers", context_tokens=64, max_prompt_tokens=32)
    model = Model(path=str(folder), dtype="float32")
    engine = TransformersEngine.load(model, settings, [1], HERE)
    made = policy(folder, Processes(device=HERE))
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.mul_(1.1)

    async def sampled() -> list[TokenSequence]:
        await engine.load_weights(made.weights(), 3)
        prompts = [[5, 6, 7, number] for number in range(6)]
        done = await asyncio.gather(*(engine.sample(each, Sampling(20, seed=each[-1])) for each in prompts))
        sequences = []
        for prompt, each in zip(prompts, done, strict=True):
            sequence = TokenSequence.of_prompt(prompt)
            sequence.append_sampled(each.ids, each.logprobs, each.version)
            sequences.append(sequence)
        await engine.close()
        return sequences

    (batch,) = microbatches(asyncio.run(sampled()), 100_000)
    batch = batch.to(HERE)
    with torch.no_grad():
        torch.testing.assert_close(made(batch).logprobs, batch.behaviour, rtol=0, atol=1e-4)


def test_a_policy_loads_here_with_what_computes_its_positions(folder):
    made = policy(folder, Processes(device=HERE))
    assert {each.device.type for each in (*made.parameters(), *made.buffers())} == {HERE.type}
    assert isinstance(made, Policy)
