"""What an engine in bfloat16 sees of adapters that are merged into its weights: rounded to nearest, and scattered.

    python benchmarks/merged.py [--folder FOLDER] [--steps 12] [--rates 1e-5 1e-4]

SmolLM2-135M with adapters of rank 32 learns a few batches of a page of these docs, in float32. Then, over another
piece of the page, the KL a token between the policy itself and a model with the rounded weights, whose arithmetic is
float32 too: the rounding of weights alone.
"""

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
sys.path[0] = str(ROOT)  # Not this file's folder: there `trainer` would be another file.

import torch  # noqa: E402
from torch import Tensor  # noqa: E402
from transformers import AutoModelForCausalLM, AutoTokenizer  # noqa: E402

from trainer.config import Model  # noqa: E402
from trainer.demo.model import write_smollm2  # noqa: E402
from trainer.model import lora  # noqa: E402
from trainer.model.lora import is_adapter  # noqa: E402
from trainer.model.policy import Policy  # noqa: E402

LENGTH, BATCHES = 128, 4


def in_bfloat16(policy: Policy, *, nearest: bool) -> dict[str, Tensor]:
    """The merged weights as an engine in bfloat16 holds them."""
    scattered = lora.scattered
    if nearest:
        lora.scattered = lambda weight, *_: weight.float()
    try:
        return {name: each.bfloat16().float() for name, each in policy.weights()}
    finally:
        lora.scattered = scattered


def main() -> None:
    """A row for each rate."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--rates", type=float, nargs="+", default=[1e-5, 1e-4])
    asked = parser.parse_args()
    with TemporaryDirectory() as made:
        folder = asked.folder or Path(made) / "smollm2"
        write_smollm2(folder)
        measure(folder, asked.steps, asked.rates)


def measure(folder: Path, steps: int, rates: list[float]) -> None:
    page = (ROOT / "docs/training.md").read_text(encoding="utf-8")
    ids = torch.tensor(AutoTokenizer.from_pretrained(folder)(page)["input_ids"])
    batches = [ids[None, place * LENGTH : (place + 1) * LENGTH] for place in range(BATCHES)]
    aside = ids[None, 3000:3193]
    # Frozen weights are as the trainer has them in bfloat16; what is computed with them is float32.
    policy = Policy.load(Model(path=str(folder), dtype="bfloat16", lora={"rank": 32, "alpha": 64}))
    engine = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    base = likelihoods(engine, aside, {})
    adapters = {name: each for name, each in policy.named_parameters() if is_adapter(name)}
    begun = {name: each.detach().clone() for name, each in adapters.items()}
    print("| rate | the policy has moved | mismatch to nearest | scattered | seen of it to nearest | scattered |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: |")
    for rate in rates:
        policy.float()
        for name, each in adapters.items():
            each.data.copy_(begun[name])
        optimizer = torch.optim.AdamW(adapters.values(), lr=rate, weight_decay=0)
        for step in range(steps):
            batch = batches[step % BATCHES]
            policy.model(batch, labels=batch).loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        exact = likelihoods(engine, aside, dict(policy.weights()))
        for name, parameter in policy.named_parameters():
            if not is_adapter(name):
                parameter.data = parameter.data.bfloat16()
        seen = [likelihoods(engine, aside, in_bfloat16(policy, nearest=each)) for each in (True, False)]
        figures = [divergence(exact, base), *(divergence(each, exact) for each in seen)]
        figures += [divergence(each, base) for each in seen]
        print(f"| {rate:g} | " + " | ".join(f"{each:.1e}" for each in figures) + " |", flush=True)


@torch.no_grad()
def likelihoods(engine: torch.nn.Module, ids: Tensor, weights: dict[str, Tensor]) -> Tensor:
    """Log-probabilities [T, V] with these weights."""
    own = dict(engine.named_parameters())
    for name, each in weights.items():
        own[name].copy_(each)
    logits: Tensor = engine(ids).logits[0]
    return logits.log_softmax(-1)


def divergence(one: Tensor, other: Tensor) -> float:
    """KL(one || other), the mean over tokens."""
    return (one.exp() * (one - other)).sum(-1).mean().item()


if __name__ == "__main__":
    main()
