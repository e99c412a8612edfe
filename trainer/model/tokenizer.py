"""The checkpoint's tokenizer, with the chat template that training uses."""

from transformers import AutoTokenizer, PreTrainedTokenizerBase

from toolscale.errors import UserError
from trainer.config import Model


def open_tokenizer(model: Model) -> PreTrainedTokenizerBase:
    """The checkpoint's tokenizer, with the configured chat template where there is one.

    Raises:
        UserError: there is no tokenizer, or no such template.
    """
    try:
        tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(model.path, revision=model.revision)
    except (OSError, ValueError) as error:
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
