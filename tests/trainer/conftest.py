"""What the trainer's tests share: a tiny random Llama with a tokenizer of its own, and a small domain with tasks.

Without torch there is no trainer, so its tests are not even collected: the core's tests stay free of it.
"""

import importlib.util
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from toolscale.artifacts import EnvironmentSpec, Task
from toolscale.prompts import render

from . import cloakroom

# Before torch starts its threads: those that spin while they wait make everything ten times slower on a loaded machine.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

collect_ignore_glob = ["*"] if importlib.util.find_spec("torch") is None else []

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

    from trainer.tasks.exercise import Exercise

TEMPLATE = Path(__file__).parents[2] / "trainer" / "templates" / "hermes.jinja"
VOCABULARY = 640


@pytest.fixture(scope="session")
def environment() -> EnvironmentSpec:
    """A cloakroom with two functions."""
    return cloakroom.environment()


@pytest.fixture(scope="session")
def tasks() -> list[Task]:
    """Twenty-four tasks of the cloakroom, each two golden calls and one fact to tell."""
    return cloakroom.tasks()


@pytest.fixture(scope="session")
def tokenizer(environment: EnvironmentSpec, tasks: list[Task]) -> "PreTrainedTokenizerFast":
    """A byte-level BPE trained on the cloakroom's texts, with ChatML's special tokens and a template with tools."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    system = render("agent", domain="cloakroom", policy=environment.policy, now=environment.now, direct=True)
    texts = [
        *(message["content"] for message in system),
        TEMPLATE.read_text(encoding="utf-8"),
        *(json.dumps(tool) for tool in environment.tools()),
        *(task.instruction for task in tasks),
        *(json.dumps(call.model_dump(include={"name", "arguments"})) for task in tasks for call in task.golden_calls),
    ]
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    bpe.train_from_iterator(
        texts,
        trainers.BpeTrainer(
            vocab_size=VOCABULARY,
            special_tokens=["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    made = PreTrainedTokenizerFast(
        tokenizer_object=bpe,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        additional_special_tokens=["<|im_start|>"],
    )
    made.chat_template = TEMPLATE.read_text(encoding="utf-8")
    return made


@pytest.fixture(scope="session")
def tiny_llama(tokenizer: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that `save_pretrained` wrote: two random layers (fp32, tied embeddings) and the tokenizer.

    Its heads are 32 wide, which vLLM's attention on the CPU takes.
    """
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    folder = tmp_path_factory.mktemp("tiny_llama")
    shape = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=128,
        intermediate_size=256,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=4096,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = LlamaForCausalLM(shape)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def dataset(environment: EnvironmentSpec, tasks: list[Task], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cloakroom's tasks as a dataset, with trajectories to be taught by. Nobody may write into it."""
    from .schooling import write_taught_dataset

    return write_taught_dataset(tmp_path_factory.mktemp("data") / "dataset", environment, tasks)


@pytest.fixture(scope="session")
def config(tiny_llama: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Settings of a short training of the tiny Llama on it."""
    from .schooling import write_tiny_settings

    return write_tiny_settings(tmp_path_factory.mktemp("config") / "tiny.yaml", tiny_llama)


@pytest.fixture(scope="session")
def exercises(environment: EnvironmentSpec, tasks: list[Task]) -> "list[Exercise]":
    """The tasks, each offered both functions."""
    from trainer.tasks.exercise import Exercise

    offered = tuple(function.name for function in environment.functions)
    return [Exercise(task, environment, offered) for task in tasks]


@pytest.fixture(scope="session")
def taught_llama(tiny_llama: Path, exercises: "list[Exercise]", tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny Llama after it has learned by heart how to make the calls: its rollouts have several turns."""
    from .teaching import teach

    return teach(tiny_llama, exercises, tmp_path_factory.mktemp("taught_llama"))
