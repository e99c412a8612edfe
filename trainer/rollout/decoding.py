"""How a policy is sampled from when it is evaluated: greedily, as the model's makers say, or at a temperature."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from transformers import GenerationConfig
from transformers.utils import GENERATION_CONFIG_NAME
from transformers.utils.hub import cached_file

from trainer.config import Config, Model


@dataclass(frozen=True)
class Decoding:
    """The distribution that tokens are drawn from, beside the model's own."""

    temperature: float = 0.0
    """0 is greedy."""
    top_p: float = 1.0
    top_k: int = 0
    """0 is all tokens."""
    min_p: float = 0.0
    repetition_penalty: float = 1.0

    def __str__(self) -> str:
        """In words, such as `temperature 0.6, top_p 0.95`."""
        beside = {name: value for name, value in asdict(self).items() if value != getattr(GREEDY, name)}
        said = [f"{name} {value:g}" for name, value in beside.items()]
        return ", ".join(said if self.temperature else ["greedy", *said])

    def as_figures(self) -> dict[str, Any]:
        """For metrics."""
        return asdict(self)

    @classmethod
    def read(cls, figures: Mapping[str, Any]) -> Self:
        """From what `as_figures` gave; figures of before evaluations said it are greedy."""
        return cls(*(figures.get(name, default) for name, default in GREEDY.as_figures().items()))


GREEDY = Decoding()


def evaluation_decoding(config: Config) -> Decoding:
    """How the one attempt at each held-out task is sampled."""
    asked = config.evaluation
    if asked.temperature is not None:
        return Decoding(asked.temperature)
    said = makers_config(config.model) if asked.sampling == "makers" else None
    if said is None:
        return GREEDY
    if not said.do_sample:
        return Decoding(repetition_penalty=said.repetition_penalty or GREEDY.repetition_penalty)
    silent = Decoding(1.0).as_figures()
    return Decoding(**{name: silent[name] if (own := getattr(said, name, None)) is None else own for name in silent})


def makers_config(model: Model) -> GenerationConfig | None:
    """The checkpoint's generation_config.json, if it has one."""
    try:
        return GenerationConfig.from_pretrained(model.path, revision=model.revision or "main")
    except (OSError, ValueError):
        return None


def makers_file(model: Model) -> bytes | None:
    """What that file holds, to the byte; transformers reads some that it would not write."""
    try:
        found = cached_file(model.path, GENERATION_CONFIG_NAME, revision=model.revision or "main")
        return Path(found).read_bytes() if found else None
    except (OSError, ValueError):
        return None
