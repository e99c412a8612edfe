"""Micro-batches: many sequences in one forward pass, and the prompt that several of them share in it only once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

import torch
from torch import Tensor

from trainer.model.attention import Span
from trainer.sequence import TokenSequence


@dataclass(frozen=True)
class Microbatch:
    """T tokens laid end to end, of which S predict a sampled one.

    A stretch is a run of tokens that attend to what precedes them in it. A prompt is one, and so is what follows it in
    each sequence; the latter attends to its prompt as well.
    """

    ids: Tensor
    """[T] int64."""
    positions: Tensor
    """[T] int64, counted in each token's own sequence."""
    stretches: Tensor
    """[T] int64, the stretch that a token is of, numbered in order and without gaps."""
    prefixes: Tensor
    """[T] int64, the stretch that goes before it; its own where there is none."""
    sources: Tensor
    """[S] int64, where in `ids` the token stands after which the sampled one came."""
    targets: Tensor
    """[S] int64, the sampled tokens."""
    owners: Tensor
    """[S] int64, which of the packed sequences each is of."""
    behaviour: Tensor
    """[S] float32, its log-probability under the policy that sampled it."""

    def to(self, device: torch.device) -> "Microbatch":
        """The same on another device."""
        return Microbatch(*(getattr(self, field.name).to(device) for field in fields(self)))

    @property
    def attends(self) -> Callable[..., Tensor]:
        """Whether a query position attends to a key position; in the form that flex attention asks for."""

        def attend(_batch: Tensor, _head: Tensor, query: Tensor, key: Tensor) -> Tensor:
            stretch = self.stretches[key]
            return (key <= query) & ((stretch == self.stretches[query]) | (stretch == self.prefixes[query]))

        return attend

    @property
    def spans(self) -> list[Span]:
        """Every stretch, in order, with the one that goes before it."""
        lengths = torch.unique_consecutive(self.stretches, return_counts=True)[1]
        ends = lengths.cumsum(0)
        places = [slice(end - length, end) for end, length in zip(ends.tolist(), lengths.tolist(), strict=True)]
        before = self.prefixes[ends - 1].tolist()
        return [
            (place, None if prefix == number else places[prefix])
            for number, (place, prefix) in enumerate(zip(places, before, strict=True))
        ]

    @property
    def mask(self) -> Tensor:
        """[1, 1, T, T] bool, True where a query (third) attends to a key (fourth)."""
        order = torch.arange(len(self.ids), device=self.ids.device)
        none = torch.zeros((), dtype=torch.int64, device=self.ids.device)
        return self.attends(none, none, order[:, None], order[None, :])[None, None]

    @property
    def plainly_causal(self) -> bool:
        """Whether one sequence is alone in it, so that attention needs no mask."""
        return torch.equal(self.positions, torch.arange(len(self.ids), device=self.ids.device))


def dummy() -> Microbatch:
    """The smallest micro-batch, for a process that has none left while others still have: its loss counts 0."""
    zero = torch.zeros(1, dtype=torch.int64)
    return Microbatch(zero, zero, zero, zero, zero, zero, zero, torch.zeros(1))


def microbatches(sequences: Sequence[TokenSequence], budget: int, share_prompts: bool = True) -> list[Microbatch]:
    """Pack `sequences` into as few micro-batches as first-fit-decreasing finds, each of at most `budget` tokens.

    A sequence is never cut: one that is longer than the budget has a micro-batch of its own. Sequences whose prompts
    are equal, or begin alike, read that once in each micro-batch that they share, which is exact: the same numbers,
    less work. What follows the last sampled token is left out, and so is a sequence without one.

    Args:
        sequences: each with a prompt of at least one token.
        budget: tokens of a micro-batch.
        share_prompts: False where the attention in use knows no masks.
    """
    bins: list[list[_Bundle]] = []
    for bundle in sorted(_bundles(sequences, budget, share_prompts), key=lambda bundle: -bundle.tokens):
        for packed in bins:
            if sum(other.tokens for other in packed) + bundle.tokens <= budget:
                packed.append(bundle)
                break
        else:
            bins.append([bundle])
    return [_laid_out(packed) for packed in bins]


@dataclass
class _Bundle:
    """Sequences with one prompt, or one beginning of it, and their places among those that are to be packed."""

    prompt: list[int]
    members: list[tuple[int, TokenSequence]]
    tokens: int


def _bundles(sequences: Sequence[TokenSequence], budget: int, share_prompts: bool) -> list[_Bundle]:
    bundles: list[_Bundle] = []
    latest: dict[tuple[int, ...], _Bundle] = {}
    for place, sequence in enumerate(sequences):
        if not sequence.sampled_count:
            continue
        if not sequence.prompt_length or any(sequence.sampled[: sequence.prompt_length]):
            raise ValueError(f"sequence {place} has no prompt before its first sampled token")
        prompt = sequence.ids[: sequence.prompt_length]
        more = sequence.read - len(prompt)
        bundle = latest.get(tuple(prompt)) if share_prompts else None
        if bundle is None or bundle.tokens + more > budget:
            bundle = latest[tuple(prompt)] = _Bundle(prompt, [], len(prompt))
            bundles.append(bundle)
        bundle.members.append((place, sequence))
        bundle.tokens += more
    return _merged(bundles, budget) if share_prompts else bundles


def _merged(bundles: Sequence[_Bundle], budget: int) -> list[_Bundle]:
    """Where prompts begin alike, share the beginning instead if that is less to read: the tasks of a domain have the
    policy and the tools in common."""
    merged: list[_Bundle] = []
    for bundle in bundles:
        for other in merged:
            common = _alike(other.prompt, bundle.prompt)
            again = sum((len(each.prompt) - common) * (len(each.members) - 1) for each in (other, bundle))
            tokens = other.tokens + bundle.tokens - common + again
            if again < common and tokens <= budget:
                other.prompt, other.tokens = other.prompt[:common], tokens
                other.members += bundle.members
                break
        else:
            merged.append(bundle)
    return merged


def _alike(one: Sequence[int], other: Sequence[int]) -> int:
    """How many tokens two prompts begin with in common."""
    shortest = min(len(one), len(other))
    return next((place for place in range(shortest) if one[place] != other[place]), shortest)


def _laid_out(bundles: Sequence[_Bundle]) -> Microbatch:
    ids: list[int] = []
    positions: list[int] = []
    stretches: list[int] = []
    prefixes: list[int] = []
    scored: list[tuple[int, int, int, float]] = []
    stretch = 0

    def lay(tokens: list[int], first: int, prefix: int) -> None:
        nonlocal stretch
        ids.extend(tokens)
        positions.extend(range(first, first + len(tokens)))
        stretches.extend([stretch] * len(tokens))
        prefixes.extend([prefix] * len(tokens))
        stretch += bool(tokens)

    for bundle in bundles:
        length, last_of_prompt, prompt_stretch = len(bundle.prompt), len(ids) + len(bundle.prompt) - 1, stretch
        lay(bundle.prompt, 0, prompt_stretch)
        for place, sequence in bundle.members:
            start = len(ids)
            lay(sequence.ids[length : sequence.read], length, prompt_stretch)
            for at, sampled in enumerate(sequence.sampled):
                if sampled:
                    source = last_of_prompt if at == length else start + at - 1 - length
                    scored.append((source, sequence.ids[at], place, sequence.logprobs[at]))
    sources, targets, owners, behaviour = zip(*scored, strict=True)
    return Microbatch(
        ids=torch.tensor(ids),
        positions=torch.tensor(positions),
        stretches=torch.tensor(stretches),
        prefixes=torch.tensor(prefixes),
        sources=torch.tensor(sources),
        targets=torch.tensor(targets),
        owners=torch.tensor(owners),
        behaviour=torch.tensor(behaviour, dtype=torch.float32),
    )
