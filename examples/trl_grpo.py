"""TRL's GRPOTrainer on a split of a dataset: the functions of a domain are the methods of its environment.

pip install 'trl>=1.16' 'transformers>=5.13' torch toolscale
python examples/trl_grpo.py data/dataset Qwen/Qwen3-0.6B
"""

import inspect
import sys
from collections.abc import Callable, Iterator
from math import inf
from typing import Any

from toolscale.serving.sessions import OpenSession, Sessions
from toolscale.serving.tasks import load_tasks

TYPES = {"string": str, "integer": int, "number": float, "boolean": bool, "array": list, "object": dict}


def environment_of(sessions: Sessions, functions: list[dict[str, Any]]) -> type:
    """A domain's environment: TRL offers its methods, documented as it wants them, as tools."""

    class Environment:
        _opened: OpenSession | None = None

        def reset(self, task_id: str, **_: Any) -> None:
            if self._opened:
                sessions.close(self._opened.id)
            self._opened = sessions.open(task_id)

        def _judged(self, completion: list[dict[str, Any]]) -> float:
            """The reward: 0 for who was still calling when the tokens ran out."""
            assert self._opened is not None
            if not completion or completion[-1]["role"] != "assistant" or completion[-1].get("tool_calls"):
                return 0.0
            *before, last = [each.get("content") or "" for each in completion if each["role"] == "assistant"]
            for text in before:
                self._opened.play.say(text)
            return self._opened.play.finish(last).reward

    for function in functions:
        setattr(Environment, function["name"], _method(function))
    return Environment


def _method(function: dict[str, Any]) -> Callable[..., str]:
    def method(self: Any, **given: Any) -> str:
        arguments = {name: value for name, value in given.items() if value is not None}
        return self._opened.play.call(function["name"], arguments)[0]

    properties, required = function["parameters"]["properties"], set(function["parameters"].get("required", []))
    types = {name: TYPES.get(each.get("type"), Any) for name, each in properties.items()}
    types = {name: kind if name in required else kind | None for name, kind in types.items()}
    described = "\n".join(f"    {name}: {each.get('description') or name}" for name, each in properties.items())
    method.__name__ = function["name"]
    method.__doc__ = f"{function['description']}\n\nArgs:\n{described}" if described else function["description"]
    method.__annotations__ = {**types, "return": str}
    ordered = sorted(types, key=lambda name: name not in required)
    method.__signature__ = inspect.Signature(
        [
            inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD),
            *(
                inspect.Parameter(
                    name,
                    inspect.Parameter.POSITIONAL_OR_KEYWORD,
                    default=inspect.Parameter.empty if name in required else None,
                    annotation=types[name],
                )
                for name in ordered
            ),
        ],
        return_annotation=str,
    )
    return method


def rows(sessions: Sessions, split: str) -> Iterator[dict[str, Any]]:
    """The dataset as TRL reads it; `environment` names the class."""
    for task_id in sessions.tasks.ids(split):
        opened = sessions.open(task_id)
        said = [
            {"role": "system", "content": opened.play.system},
            {"role": "user", "content": opened.play.instruction},
        ]
        yield {"prompt": said, "environment": opened.play.domain, "task_id": task_id}
        sessions.close(opened.id)


def environments(sessions: Sessions, split: str) -> dict[str, type]:
    """Domain -> the class of its environments."""
    specs = {spec.domain: spec for _, spec in map(sessions.tasks.get, sessions.tasks.ids(split))}
    return {
        domain: environment_of(sessions, [tool["function"] for tool in spec.tools()]) for domain, spec in specs.items()
    }


def solved(completions: list[Any], environments: list[Any], **_: Any) -> list[float]:
    """The reward function: the verdict."""
    return [each._judged(completion) for each, completion in zip(environments, completions, strict=True)]


SETTINGS = {"output_dir": "runs/trl", "max_completion_length": 4096, "num_generations": 8, "max_steps": 100}


def tokenizer_of(model: str) -> Any:
    """The model's tokenizer. One whose chat template knows no tools, such as SmolLM2's, gets Qwen2.5's: ChatML too."""
    from transformers import AutoTokenizer
    from trl.chat_template_utils import qwen2_5_chat_template, supports_tool_calling

    tokenizer = AutoTokenizer.from_pretrained(model)
    if not supports_tool_calling(tokenizer):
        tokenizer.chat_template = qwen2_5_chat_template
    return tokenizer


def trainer(sessions: Sessions, model: str, **settings: Any) -> Any:
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    return GRPOTrainer(
        model=model,
        processing_class=tokenizer_of(model),
        train_dataset=Dataset.from_list(list(rows(sessions, "train"))),
        reward_funcs=solved,
        environment_factory=environments(sessions, "train"),
        args=GRPOConfig(**SETTINGS | settings),
    )


def main(data: str, model: str) -> None:
    with Sessions(load_tasks(data), most=4096, idle_seconds=inf) as sessions:
        trainer(sessions, model).train()


if __name__ == "__main__":
    main(*sys.argv[1:])
