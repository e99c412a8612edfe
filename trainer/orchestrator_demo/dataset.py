"""The demo's dataset: claims with experts and a preference in their rows, and lessons that hint at the best way."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from math import lcm
from pathlib import Path

from toolscale.artifacts import EnvironmentSpec, Task, Trajectory
from toolscale.artifacts.base import content_id
from toolscale.catalogue.catalogue import read_tools
from toolscale.checkers import judges_at_once
from toolscale.dataset import About, write_dataset
from toolscale.dataset.folder import SPLITS
from toolscale.dataset.splits import placements
from toolscale.environment import Sandbox, Session
from toolscale.episodes.tools import tool_content
from toolscale.instances import InstanceOptions, Instances
from toolscale.messages import Message
from toolscale.mock_endpoint.experts.expert import Expert, read_experts
from toolscale.preferences.preference import Preference, Preferences
from toolscale.prompts import render
from toolscale.rewards.preference import BEYOND_TOOLS
from toolscale.whole import whole_folder
from trainer.demo.dataset import gated
from trainer.orchestrator_demo import desk
from trainer.orchestrator_demo.ways import BEST, LARGE, WAYS, WISHES, Rule, Wish, always
from trainer.rollout.tool_calls import read_message

EXPERTS = Path(__file__).with_name("experts.toml")

PROMISES, FAULTS = 2, 4
"""Lessons of each preference and way: on promises of each remedy, and on each kind of fault. The best way has twice as
many: from lessons that favour none GRPO learns one way for all claims before it tells them apart.

Whoever decides a fault alone guesses always the same: if each guess were another, a small model would learn to guess
promises too, whose remedy it could read.
"""

WANTS: Mapping[Wish, Mapping[str, float]] = {
    # A right remedy is worth more than what can be saved: else guessing for nothing would be as good as asking.
    "low cost": {"outcome": 1.0, "compute": 0.9},
    "large": {"outcome": 1.0, LARGE: 1.0},
}
"""P of each preference, by name."""


Situation = tuple[str, Wish]
"""A claim's topic and its user's wish: what a good policy goes by."""
SITUATIONS: tuple[Situation, ...] = tuple(product(desk.KINDS, WISHES))


def places_of(folder: Path) -> dict[Situation, Path]:
    """The dataset of each situation."""
    return {(topic, wish): folder / f"{topic}-{wish.replace(' ', '_')}" for topic, wish in SITUATIONS}


def mix_of(folder: Path) -> list[dict[str, str | int]]:
    """What a training plays of the claims in `folder`: each way is the best as often as the next.

    Four situations of six call for the large expert. Were each played alike, asking it would be learnt for all before
    anything else is, and where a whole group does the same nothing is learnt any more.
    """
    best = {(topic, wish): BEST.chooses(topic, wish) for topic, wish in SITUATIONS}
    alike = Counter(best.values())
    whole = lcm(*alike.values())
    return [{"dataset": str(place), "share": whole // alike[best[at]]} for at, place in places_of(folder).items()]


def write_claims(folder: Path, catalogue: Path, seed: int = 0, orders: int = desk.ORDERS) -> None:
    """Write the desk's tasks to a folder for each situation, with lessons for the warm start; all or nothing.

    Args:
        folder: where to, with `preferences.json` beside the datasets.
        catalogue: offers the experts.
        seed: draws the orders, the experts' answers, and which task has which preference.
        orders: of each topic.

    Raises:
        UserError: the catalogue does not offer the demo's experts, or the disk refuses the folder.
    """
    with whole_folder(folder) as made:
        _write(made, catalogue, seed, orders)


def _write(folder: Path, catalogue: Path, seed: int, orders: int) -> None:
    instances = _instances(folder / "preferences.json", catalogue, seed)
    known = read_experts(EXPERTS)
    experts = {tool.name: known[tool.model.name] for tool in read_tools(str(catalogue)) if tool.model}
    environment = desk.environment(seed, orders)
    with Sandbox(environment) as sandbox, ThreadPoolExecutor(judges_at_once()) as threads:
        for topic in desk.KINDS:
            judged = gated(desk.tasks(environment, topic, seed), sandbox, threads)
            for wish in WISHES:
                own = [task for task in judged if _wish(task, environment, instances) == wish]
                kept = [task for task in own if all(gate.passed for gate in task.gates)]
                write_dataset(
                    places_of(folder)[topic, wish],
                    tasks=kept,
                    environments=[environment],
                    trajectories=_lessons(kept, sandbox, instances, experts, seed),
                    rejects=[],
                    rejected=[task for task in own if task not in kept],
                    about=About(models={"agent": ["script/claims-desk"]}),
                    instances=instances,
                )


def _wish(task: Task, spec: EnvironmentSpec, instances: Instances) -> Wish:
    """The same in every split."""
    preference = instances.of_task(task, spec, "train").preference
    assert preference is not None
    return preference.theme


def _instances(file: Path, catalogue: Path, seed: int) -> Instances:
    """Every task offers both experts, and has one of two preferences."""
    names = [tool.name for tool in read_tools(str(catalogue))]
    every = [_preference(wish, names) for wish in WISHES]
    preferences = Preferences(
        catalogue=catalogue.name,
        schedule="together",
        proposed_by="script/claims-desk",
        validated_by="",
        kept=[one.model_copy(update={"split": split}) for split in SPLITS for one in every],
        rejects=[],
    )
    file.write_text(preferences.model_dump_json(indent=1) + "\n", encoding="utf-8")
    needed = tuple(tool for tool in WAYS.values() if tool)
    options = InstanceOptions(str(catalogue), ("together",), file, seed=seed, needed=needed)
    return Instances.beside_functions(options)


def _preference(wish: Wish, tools: list[str]) -> Preference:
    wants, told = WANTS[wish], WISHES[wish]
    return Preference(
        id=content_id("preference", told, dict(wants)),
        theme=wish,
        instruction=told,
        tools=tools,
        vector=[wants.get(name, 0.0) for name in (*tools, *BEYOND_TOOLS)],
    )


def _lessons(
    tasks: Sequence[Task], sandbox: Sandbox, instances: Instances, experts: Mapping[str, Expert], seed: int
) -> list[Trajectory]:
    """Orders that each way settles rightly, by luck or by skill; the best way settles twice as many as each other."""
    placed = placements(tasks, {sandbox.spec.domain: sandbox.spec})
    taught = Counter[tuple[str, str, str]]()
    lessons: list[Trajectory] = []
    for task in (task for task in tasks if placed[task.id].split == "train"):
        instance = instances.of_task(task, sandbox.spec, "train")
        assert instance.preference is not None
        wish, told = instance.preference.theme, instance.preference.instruction
        remedy, best = task.golden_calls[-1].name, BEST.chooses(task.intent, wish)
        kind, enough = (remedy, PROMISES) if task.intent == "promise" else (task.intent, FAULTS)
        for attempt, (way, tool) in enumerate(WAYS.items()):
            if taught[told, way, kind] == (2 * enough if tool == best else enough):
                continue
            lesson = _lesson(task, told, always(tool), attempt, sandbox, experts, seed)
            if lesson.calls[-1].name == remedy:
                taught[told, way, kind] += 1
                lessons.append(lesson)
    return lessons


def _lesson(
    task: Task, told: str, rule: Rule, attempt: int, sandbox: Sandbox, experts: Mapping[str, Expert], seed: int
) -> Trajectory:
    """What comes of a rule at a task whose user prefers what is `told`; rows hold that apart from the conversation."""
    spec: EnvironmentSpec = sandbox.spec
    session = Session(sandbox)
    messages: list[Message] = [
        *render("agent", domain=spec.domain, policy=spec.policy, now=spec.now, direct=True),
        {"role": "user", "content": task.instruction},
    ]
    made = 0
    while True:
        heard = "\n".join([told, *(message["content"] or "" for message in messages)])
        said = read_message(rule.says(heard))
        if not said.calls:
            messages.append({"role": "assistant", "content": said.content})
            break
        (call,) = said.calls
        function = {"name": call.name, "arguments": json.dumps(call.arguments)}
        calls = [{"id": f"call_{made}", "type": "function", "function": function}]
        if call.name in experts:
            answer = experts[call.name].reply(str(call.arguments["question"]), seed).text
        else:
            answer = tool_content(session.call(call.name, call.arguments))
        messages += [
            {"role": "assistant", "content": said.content or None, "tool_calls": calls},
            {"role": "tool", "tool_call_id": f"call_{made}", "content": answer},
        ]
        made += 1
    return Trajectory(
        task_id=task.id,
        attempt=attempt,
        messages=messages,
        calls=list(session.replay.outcomes),
        agent_messages=[each["content"] for each in messages if each["role"] == "assistant" and each["content"]],
        termination="done",
    )
