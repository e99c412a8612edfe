"""A minute's lesson for the tiny Llama, so that what it samples has tool calls in it."""

import json
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from trainer.rollout.chat import Chat
from trainer.sequence import TokenSequence
from trainer.tasks.exercise import Exercise

STEPS = 60
BATCH = 8


def lesson(exercise: Exercise) -> list[dict[str, Any]]:
    """The golden calls as a conversation, one call a message, and the fact at the end."""
    find, hang = exercise.task.golden_calls
    hook = exercise.environment.database["coats"][find.arguments["ticket"]]["hook"]  # type: ignore[index, call-overload]
    label = exercise.task.communicate_info[0]
    messages = exercise.messages
    for call, result in ((find, {"ticket": find.arguments["ticket"], "hook": hook}), (hang, {"label": label})):
        function = {"name": call.name, "arguments": json.dumps(call.arguments)}
        messages.append(
            {"role": "assistant", "content": None, "tool_calls": [{"type": "function", "function": function}]}
        )
        messages.append({"role": "tool", "tool_call_id": "0", "content": json.dumps(result)})
    return [*messages, {"role": "assistant", "content": f"The label is {label}."}]


def teach(source: Path, exercises: list[Exercise], folder: Path) -> Path:
    """Fine-tune the checkpoint on all lessons and save it to `folder`."""
    tokenizer = AutoTokenizer.from_pretrained(source)
    model = AutoModelForCausalLM.from_pretrained(source, dtype=torch.float32)
    chat = Chat(tokenizer)
    sequences = [chat.recorded(lesson(exercise), exercise.tools) for exercise in exercises]
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.0)
    model.train()
    for step in range(STEPS):
        batch = [sequences[(step * BATCH + place) % len(sequences)] for place in range(BATCH)]
        ids, labels = _padded(batch)
        model(input_ids=ids, labels=labels).loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _padded(sequences: list[TokenSequence]) -> tuple[torch.Tensor, torch.Tensor]:
    longest = max(map(len, sequences))
    ids = torch.zeros(len(sequences), longest, dtype=torch.long)
    labels = torch.full_like(ids, -100)
    for row, sequence in enumerate(sequences):
        ids[row, : len(sequence)] = torch.tensor(sequence.ids)
        mine = torch.tensor(sequence.sampled)
        labels[row, : len(sequence)][mine] = ids[row, : len(sequence)][mine]
    return ids, labels
