"""TRL itself trains by the example: two steps of SmolLM2-135M on tasks that the offline model made, on the CPU."""

import json
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
torch = pytest.importorskip("torch")

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
    """`trained(prepare, **settings)`: the example's trainer after its steps, and its weights before and after."""

    def trained(prepare=lambda trainer: None, **settings):
        module = example("trl_grpo")
        with Sessions(load_tasks(data), most=64, idle_seconds=inf) as sessions:
            made = module.trainer(sessions, model, **SMALL, output_dir=str(tmp_path / "out"), **settings)
            prepare(made)
            before = weights(made)
            made.train()
            return made, before, weights(made)

    return trained


def weights(trainer):
    return {name: each.detach().clone() for name, each in trainer.model.named_parameters()}


def logged(trainer, name):
    return [line[name] for line in trainer.state.log_history if name in line]


def test_the_model_that_knows_no_tools_is_offered_them_and_trains_two_steps(trained):
    trainer, _, _ = trained(max_completion_length=24)
    assert trainer.state.global_step == 2
    assert len(logged(trainer, "rewards/solved/mean")) == 2
    assert "<tools>" in trainer.processing_class.apply_chat_template(
        [{"role": "user", "content": "x"}], tools=trainer.tools, tokenize=False
    )


def test_golden_calls_through_trls_own_loop_earn_one_and_the_weights_move(trained):
    """What is sampled is given: one completion makes the golden calls and says the facts, the other says nothing."""

    def recite(trainer):
        tokenizer, made = trainer.processing_class, {}

        def ids(text):
            return tokenizer(text + "<|im_end|>", add_special_tokens=False)["input_ids"]

        def said(prompt_ids, images, multimodal_fields, *arguments, **options):
            if len(prompt_ids) == 2:
                made["calls"] = iter(trainer.environments[0]._opened.play._task.golden_calls)
                return [next_message(), ids("I cannot help.")], None
            return [next_message()], None

        def next_message():
            if call := next(made["calls"], None):
                asked = json.dumps({"name": call.name, "arguments": call.arguments}, ensure_ascii=False)
                return ids(f"<tool_call>\n{asked}\n</tool_call>")
            return ids(" ".join(trainer.environments[0]._opened.play._task.communicate_info) or "Done.")

        trainer._generate_single_turn = said

    trainer, before, after = trained(recite, max_completion_length=6000)
    assert logged(trainer, "rewards/solved/mean") == [0.5, 0.5]
    assert not any(logged(trainer, "tools/failure_frequency"))
    assert any(not torch.equal(before[name], after[name]) for name in before)
