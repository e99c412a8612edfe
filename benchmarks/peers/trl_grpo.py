"""TRL's GRPOTrainer on the trainer's tasks, run by its own interpreter: ``python trl_grpo.py SETTINGS``.

SETTINGS is a JSON file of benchmarks/trainer.py. A line of JSON is appended to its ``log`` when training begins and
after every step; whoever starts it takes the time and the CPU.

TRL gets what makes it fastest here: the shop's functions run in its own process without a sandbox, calls wait for their
latency side by side (they are coroutines), one message has as few tokens as ours, and no reference model is kept.
"""

import asyncio
import json
import random
import sys
from pathlib import Path

import torch
from datasets import Dataset
from transformers import AutoTokenizer, TrainerCallback
from trl import GRPOConfig, GRPOTrainer
from trl.chat_template_utils import qwen3_template

settings = json.loads(Path(sys.argv[1]).read_text())
functions = {}
exec(compile(Path(settings["functions"]).read_text(), "functions", "exec"), functions)
database = Path(settings["database"]).read_text()
least, most = settings["latency"]
waits = random.Random(0)


class Shop:
    """The parcel shop of trainer/demo, as TRL wants an environment: its public methods are the tools."""

    def reset(self, **row):
        """A fresh database, and what the row's task wants."""
        self._database = json.loads(database)
        self._golden = row["golden"]
        self._facts = row["facts"]

    async def _call(self, name, **arguments):
        if most:
            await asyncio.sleep(waits.uniform(least, most))
        try:
            return functions[name](self._database, **arguments)
        except ValueError as error:
            return {"error": str(error)}

    async def last_day(self, parcel: str):
        """Until when a parcel is kept.

        Args:
            parcel: the parcel's number.
        """
        return await self._call("last_day", parcel=parcel)

    async def keep_longer(self, parcel: str, days: int):
        """Keep a parcel longer.

        Args:
            parcel: the parcel's number.
            days: how many.
        """
        return await self._call("keep_longer", parcel=parcel, days=days)

    async def move(self, parcel: str, locker: str):
        """Move a parcel to another locker.

        Args:
            parcel: the parcel's number.
            locker: the locker's number.
        """
        return await self._call("move", parcel=parcel, locker=locker)

    async def send_back(self, parcel: str):
        """Send a parcel back.

        Args:
            parcel: the parcel's number.
        """
        return await self._call("send_back", parcel=parcel)

    def _solved(self, said):
        wanted = json.loads(database)
        for call in json.loads(self._golden):
            functions[call["name"]](wanted, **call["arguments"])
        return float(self._database == wanted and all(fact in said for fact in self._facts))


def solved(completions, environments, **_):
    """1 where the database is as the golden calls leave it, and the facts were told."""
    last = [completion[-1].get("content") or "" if completion else "" for completion in completions]
    return [shop._solved(said) for shop, said in zip(environments, last, strict=True)]


class Log(TrainerCallback):
    """Says when a step is done."""

    def _say(self, **values):
        with Path(settings["log"]).open("a") as file:
            file.write(json.dumps(values) + "\n")

    def on_train_begin(self, args, state, control, **_):
        """The first step begins."""
        self._say(step=0)

    def on_step_end(self, args, state, control, **_):
        """A step is done."""
        self._say(step=state.global_step)

    def on_log(self, args, state, control, logs, **_):
        """What TRL measured."""
        if "reward" in logs:
            shown = ("reward", "completions/mean_length", "tools/call_frequency")
            self._say(**{name: logs[name] for name in shown if name in logs})


tokenizer = AutoTokenizer.from_pretrained(settings["model"])
tokenizer.response_template = qwen3_template
# The tools are written into the template as our rollouts have them, so that both sample from the same prompts.
tokenizer.chat_template = f"{{%- set tools = {json.dumps(settings['tools'])} -%}}{tokenizer.chat_template}"
torch.manual_seed(0)
trainer = GRPOTrainer(
    model=settings["model"],
    processing_class=tokenizer,
    reward_funcs=solved,
    environment_factory=Shop,
    train_dataset=Dataset.from_list(settings["tasks"]),
    args=GRPOConfig(
        output_dir=settings["out"],
        use_cpu=True,
        bf16=settings["dtype"] == "bfloat16",
        model_init_kwargs={"dtype": "float32"},
        gradient_checkpointing=False,
        per_device_train_batch_size=settings["rollouts"],
        gradient_accumulation_steps=settings["tasks_per_step"],
        num_generations=settings["rollouts"],
        max_steps=settings["steps"],
        learning_rate=settings["learning_rate"],
        lr_scheduler_type="constant",
        temperature=settings["temperature"],
        beta=0.0,
        loss_type="dapo",
        max_completion_length=settings["completion_tokens"],
        max_tool_calling_iterations=settings["turns"] - 1,
        generation_kwargs={"max_new_tokens": settings["message_tokens"]},
        use_vllm=settings["vllm"],
        vllm_mode="colocate",
        vllm_max_model_length=settings["context_tokens"],
        dataloader_num_workers=0,
        logging_steps=1,
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
        seed=0,
    ),
    callbacks=[Log()],
)
trainer.train()
