"""The packages that come with the extra `train` alone, and what is said where one of them is missing."""

from collections.abc import Iterator
from contextlib import contextmanager

from toolscale.errors import UserError

PACKAGES = ("peft", "safetensors", "tensorboard", "torch", "transformers", "vllm")


@contextmanager
def its_packages() -> Iterator[None]:
    """Whatever is imported within. Raises UserError where it takes one of these packages and that is not there."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in PACKAGES:
            raise
        raise UserError(
            f"{package} is not installed here: run `make setup-trainer` and use .venv-trainer/bin/python, or on a GPU "
            "`make setup-gpu` and .venv-gpu/bin/python"
        ) from None
