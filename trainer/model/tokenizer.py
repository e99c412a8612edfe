"""The checkpoint's tokenizer, with the chat template that training uses."""

from pathlib import Path

from transformers import AutoTokenizer, PreTrainedTokenizerBase

from toolscale.errors import UserError
from trainer.config import Model

_A_TRAININGS = ("config.yaml", "metrics.jsonl")
"""What lies in every training's folder, and in no model's."""


def open_tokenizer(model: Model) -> PreTrainedTokenizerBase:
    """The checkpoint's tokenizer, with the configured chat template where there is one.

    Raises:
        UserError: there is no tokenizer, or no such template.
    """
    try:
        tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(model.path, revision=model.revision)
    except (OSError, ValueError) as error:
        if told := _of_a_training(Path(model.path)):
            raise UserError(f"model.path: {model.path} {told}") from None
        raise UserError(
            f"model.path: no tokenizer at {model.path} ({str(error).strip().splitlines()[0]}); give a folder that "
            "`save_pretrained` wrote for model and tokenizer, or a name on the Hub that can be reached from here"
        ) from None
    if model.chat_template is not None:
        try:
            tokenizer.chat_template = model.chat_template.read_text(encoding="utf-8")
        except OSError as error:
            raise UserError(f"model.chat_template: {model.chat_template} cannot be read: {error.strerror}") from None
    return tokenizer


def _of_a_training(path: Path) -> str:
    """What to name in place of a training's folder, or of one of its checkpoints; nothing where it is neither."""
    around = (path, *path.parents[:2])
    run = next((each for each in around if all((each / name).is_file() for name in _A_TRAININGS)), None)
    if run is None:
        return ""
    step = f" --step {int(path.name[5:])}" if path.name.startswith("step-") and path.name[5:].isdigit() else ""
    export = f"`python -m trainer export {run}{step} --to DIR` writes the policy of a checkpoint as one"
    finished = not step and (run / "model" / "config.json").is_file()
    own = f"take {run / 'model'}; " if finished else ""
    return f"is of a training, and no model: {own}{export}"
