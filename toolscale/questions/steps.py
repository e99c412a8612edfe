"""Single steps of tool-calling chats, as ToolRL trains on them (section 3.1): a dialogue, and what goes on with it."""

import json
import re
from typing import Literal

from pydantic import Field

from toolscale.artifacts import Call, content_id
from toolscale.artifacts.base import Artifact, Json
from toolscale.messages import Message
from toolscale.prompts import render
from toolscale.rewards.toolrl import Design, ToolRLReward, TrainingProgress, output_reward

CALLS, RESPONDS = "A tool can do this, so I call it.", "No tool is needed here, so I answer."
"""Thoughts of a message whose own were not recorded. ToolRL's published data has two such sentences for all of them."""

_RIGHT_CALLS, _RIGHT = 3.0, 4.0
"""ToolRL's reward of a step that is right in its calls; and in its form too."""

_EXACT = Design(granularity="coarse")
"""The original granularity gives the whole reward also where a golden function is called once more."""

_FIELD = re.compile(r"<(/?(?:user|think|tool_call|response|obs)>)")


class OfferedFunction(Artifact):
    """A function of a set: names are as others chose them, with spaces and capitals."""

    name: str
    description: str = ""
    parameters: dict[str, Json]


class Utterance(Artifact):
    """A message of a dialogue: what a user said, an assistant thought, called and said, or tools gave back."""

    speaker: Literal["user", "assistant", "tool"]
    text: str = ""
    calls: list[Call] = Field(default_factory=list)
    thought: str = ""
    """An assistant's; empty where it was not recorded."""

    def written(self) -> str:
        """The message in ToolRL's fields; a field's tag within a text loses its brackets, so that it opens none."""
        text = _without_tags(self.text)
        if self.speaker == "user":
            return f"<user> {text} </user>"
        if self.speaker == "tool":
            return f"<obs> {text} </obs>"
        lines = [f"<think> {_without_tags(self.thought) or (CALLS if self.calls else RESPONDS)} </think>"]
        if self.calls:
            lines += ["<tool_call>", *map(_written_call, self.calls), "</tool_call>"]
        if text or not self.calls:
            lines.append(f"<response> {text} </response>")
        return "\n".join(lines)


class Step(Artifact):
    """One step: the tools, the dialogue before it, and the golden calls; none where the right step is a response."""

    id: str
    tools: list[OfferedFunction]
    history: list[Utterance]
    golden_calls: list[Call]
    response: str = ""
    """What the golden step says to the user; no reward looks at its words."""
    thought: str = ""
    """What the golden step thinks, where that was recorded."""
    split: Literal["train", "eval"] = "train"

    @property
    def family(self) -> str:
        """Shared by the steps of one chat, which must not be torn apart by a split."""
        return content_id("chat", [tool.name for tool in self.tools], self.history[0].text if self.history else "")

    @property
    def golden_output(self) -> str | None:
        """The step to be imitated; None where it is a response whose words nobody recorded."""
        if not self.golden_calls and not self.response:
            return None
        said = Utterance(speaker="assistant", text=self.response, calls=self.golden_calls, thought=self.thought)
        return said.written()

    def messages(self) -> list[Message]:
        """ToolRL's prompt: tools and format, then the dialogue so far."""
        return render("single_step", tools=[_shown(tool) for tool in self.tools], history=_rounds(self.history))

    def reward(
        self, output: str, design: Design | None = None, progress: TrainingProgress | None = None
    ) -> ToolRLReward:
        """ToolRL's reward of what a model wrote for this step."""
        return output_reward(
            output,
            self.golden_calls,
            responds=bool(self.response) or not self.golden_calls,
            design=design or Design(),
            progress=progress or TrainingProgress(),
        )

    def makes_its_calls(self, output: str) -> bool:
        """Whether the calls are the golden ones and no others, in any order; the format does not matter."""
        return self.reward(output, _EXACT).correctness >= _RIGHT_CALLS

    def is_right(self, output: str) -> bool:
        """Whether the format is right, and the calls are the golden ones and no others."""
        return self.reward(output, _EXACT).final >= _RIGHT


def identified(step: Step) -> Step:
    """The step with the id that follows from its tools, dialogue and calls: one thought of twice is one step."""
    told = [[part.model_dump(mode="json") for part in parts] for parts in (step.tools, step.history, step.golden_calls)]
    return step.model_copy(update={"id": content_id("step", *told)})


def _without_tags(text: str) -> str:
    return _FIELD.sub(lambda tag: tag[1].strip("/>"), text)


def _written_call(call: Call) -> str:
    """A line of `<tool_call>`; a tag within a value is escaped as JSON allows it, so that the value is the same."""
    line = json.dumps({"name": call.name, "parameters": call.arguments})
    return _FIELD.sub(r"\\u003c\1", line)


def _shown(tool: OfferedFunction) -> dict[str, str]:
    """A function as the prompt lists it. The published data shows properties in ASCII, and no schema around them."""
    required = tool.parameters.get("required")
    return {
        "name": tool.name,
        "description": tool.description,
        "properties": json.dumps(tool.parameters.get("properties") or {}),
        "required": json.dumps(required) if required else "",
    }


def _rounds(history: list[Utterance]) -> list[str]:
    """Each message with what stands before it: what tools gave back follows its calls, all else an empty line."""
    return [
        ("" if place == 0 else "\n" if said.speaker == "tool" else "\n\n") + said.written()
        for place, said in enumerate(history)
    ]
