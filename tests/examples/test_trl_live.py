"""TRL itself trains by the example: two steps of SmolLM2-135M on tasks that the offline model made, on the CPU."""

from importlib.util import find_spec
from itertools import count, islice
from math import inf

import pytest

from tests.examples.test_trainers import example
from tests.reference.rehearsal import Stage, rehearse
from toolscale.dataset import About, write_dataset
from toolscale.dataset.splits import split_of
from toolscale.serving.sessions import Sessions
from toolscale.serving.tasks import load_tasks
from toolscale.synthesis.drafts import as_task

pytest.importorskip("trl")

pytestmark = pytest.mark.timeout(1800)

DOMAIN, TASKS, MOST_CALLS = "railway", 1, 2
SMALL = {
    "max_steps": 2,
    "num_generations": 2,
    "per_device_train_batch_size": 2,
    "learning_rate": 1e-4,
    "logging_steps": 1,
    "save_strategy": "no",
    "report_to": "none",
    "use_cpu": True,
    "bf16": False,
    "gradient_checkpointing": False,
}
"""One prompt a step, with two completions."""


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """SmolLM2-135M-Instruct out of its package, with its own chat template, which knows no tools."""
    from transformers import AutoTokenizer

    from trainer.demo.model import FILE, PACKAGE, write_smollm2

    folder = tmp_path_factory.mktemp("trl") / "smollm2"
    write_smollm2(folder)
    source = find_spec(PACKAGE).submodule_search_locations[0]
    AutoTokenizer.from_pretrained(source, gguf_file=FILE).save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A split of one short task, whose domain offers the functions that it needs: more is hours on a CPU."""
    stage = Stage(DOMAIN)
    drafts = (each.draft for each in rehearse(stage, stage.domain.programs, 1, 40, depth=0) if not each.infeasible)
    short = (draft for draft in drafts if len(draft["golden_calls"]) <= MOST_CALLS)
    names = (name for name in map(f"{DOMAIN}-{{}}".format, count()) if split_of(name) == "train")
    tasks = [as_task(DOMAIN, name, draft) for name, draft in zip(names, islice(short, TASKS), strict=False)]
    needed = {call.name for task in tasks for call in task.golden_calls}
    spec = stage.spec.model_copy(update={"functions": [one for one in stage.spec.functions if one.name in needed]})
    folder = tmp_path_factory.mktemp("trl") / "dataset"
    write_dataset(
        folder, tasks=tasks, environments=[spec], trajectories=[], rejects=[], rejected=[], about=About(dollars=None)
    )
    stage.sandbox.close()
    return str(folder)


@pytest.fixture
def trained(data, model, tmp_path):
    """`trained(**settings)`: the example's trainer after its steps."""

    def trained(**settings):
        module = example("trl_grpo")
        with Sessions(load_tasks(data), most=64, idle_seconds=inf) as sessions:
            made = module.trainer(sessions, model, **SMALL, output_dir=str(tmp_path / "out"), **settings)
            made.train()
            return made

    return trained


def logged(trainer, name):
    return [line[name] for line in trainer.state.log_history if name in line]


def test_the_model_that_knows_no_tools_is_offered_them_and_trains_two_steps(trained):
    trainer = trained(max_completion_length=24)
    assert trainer.state.global_step == 2
    assert len(logged(trainer, "rewards/solved/mean")) == 2
    assert "<tools>" in trainer.processing_class.apply_chat_template(
        [{"role": "user", "content": "x"}], tools=trainer.tools, tokenize=False
    )
