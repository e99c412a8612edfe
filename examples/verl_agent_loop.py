"""verl on a split of a dataset: a loop of its own, since a verdict needs the calls and the last message together.

python examples/verl_agent_loop.py data/dataset rows       # rows/train.parquet, rows/eval.parquet

    data.train_files=rows/train.parquet  data.val_files=rows/eval.parquet  data.return_raw_chat=True
    actor_rollout_ref.rollout.mode=async
    actor_rollout_ref.rollout.multi_turn.enable=True  actor_rollout_ref.rollout.multi_turn.format=hermes
    actor_rollout_ref.rollout.agent.agent_loop_config_path=examples/verl_agent_loop.yaml

There is no `tool_config_path`: each task brings its tools, with schemas that verl's own model of them cannot hold.
"""

import asyncio
import json
import sys
from functools import cache
from math import inf
from pathlib import Path
from typing import Any

from verl.experimental.agent_loop.tool_agent_loop import AgentState, ToolAgentLoop
from verl.tools.schemas import ToolResponse

from toolscale.serving.play import PlayError
from toolscale.serving.sessions import Sessions
from toolscale.serving.tasks import load_tasks


@cache
def sessions_of(data: str) -> Sessions:
    """One for each worker process of verl; it ends with the process."""
    return Sessions(load_tasks(data), most=4096, idle_seconds=inf)


class ToolScaleLoop(ToolAgentLoop):
    """verl makes one for each rollout."""

    async def run(self, sampling_params: dict[str, Any], **row: Any) -> Any:
        sessions = sessions_of(row["extra_info"]["data"])
        opened = await asyncio.to_thread(sessions.open, row["extra_info"]["task_id"])
        self.play, self.said, self.last = opened.play, [], None
        self.tool_schemas = opened.play.tools
        try:
            output = await super().run(sampling_params, **row)
            output.reward_score = await asyncio.to_thread(self._reward)
            return output
        finally:
            sessions.close(opened.id)

    async def _handle_generating_state(self, agent_data: Any, *given: Any, **named: Any) -> Any:
        state = await super()._handle_generating_state(agent_data, *given, **named)
        text, calls = await self.tool_parser.extract_tool_calls(agent_data.response_ids)
        cut_off = len(agent_data.response_mask) >= self.response_length
        ended = state == AgentState.TERMINATED and not calls and not cut_off
        if ended:
            self.last = text
        else:
            self.said.append(text)
        return state

    async def _call_tool(self, tool_call: Any, *_: Any, **__: Any) -> tuple[ToolResponse, float, dict[str, Any]]:
        try:
            arguments = json.loads(tool_call.arguments)
            text, _ok = await asyncio.to_thread(self.play.call, tool_call.name, arguments)
        except (ValueError, PlayError) as error:
            text = json.dumps({"error": str(error)})
        return ToolResponse(text=text), 0.0, {}

    def _reward(self) -> float:
        """The verdict: 0 for who was still calling when turns or tokens ran out."""
        if self.last is None:
            return 0.0
        for text in self.said:
            self.play.say(text)
        return self.play.finish(self.last).reward


def rows(data: str, split: str) -> list[dict[str, Any]]:
    """A split as verl reads it; `agent_name` names the loop."""
    made = []
    with Sessions(load_tasks(data), most=1, idle_seconds=inf) as sessions:
        for index, task_id in enumerate(sessions.tasks.ids(split)):
            opened = sessions.open(task_id)
            system, user = opened.play.system, opened.play.instruction
            sessions.close(opened.id)
            prompt = [{"role": "system", "content": system}, {"role": "user", "content": user}]
            extra = {"data": data, "task_id": task_id, "split": split, "index": index}
            made.append({"data_source": "toolscale", "agent_name": "toolscale", "prompt": prompt, "extra_info": extra})
            made[-1]["reward_model"] = {"style": "rule", "ground_truth": ""}
    return made


def main(data: str, out: str) -> None:
    import pandas as pd

    Path(out).mkdir(parents=True, exist_ok=True)
    for split in load_tasks(data).splits:
        pd.DataFrame(rows(str(Path(data).resolve()), split)).to_parquet(Path(out) / f"{split}.parquet")


if __name__ == "__main__":
    main(*sys.argv[1:])
