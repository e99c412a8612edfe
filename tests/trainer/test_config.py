"""A configuration is read whole or refused in one line."""

import re
from pathlib import Path

import pytest

from toolscale.errors import UserError
from toolscale.rewards.toolrl import Design
from trainer.config import CLIPS, PPO, Config
from trainer.settings_file import PRESETS, changes_from


@pytest.mark.parametrize("preset", sorted(path.stem for path in PRESETS.glob("*.yaml")))
def test_every_preset_parses_and_is_read_back_as_it_was_written(preset, tmp_path):
    config = Config.read(Path(preset))
    config.write(tmp_path / "written.yaml")
    assert Config.read(tmp_path / "written.yaml") == config


def test_the_lines_that_a_preset_offers_in_comments_can_be_taken_in(tmp_path):
    def taken_in(preset: str) -> Config:
        text = (PRESETS / f"{preset}.yaml").read_text()
        (tmp_path / "all.yaml").write_text(re.sub(r"^(\s*)# (\s*\w+:.*)$", r"\1\2", text, flags=re.MULTILINE))
        return Config.read(tmp_path / "all.yaml")

    config = taken_in("single-gpu")
    assert (config.algorithm.loss, config.rollouts.ahead, config.rollouts.oversample) == ("gspo", 1, 1.25)
    assert config.rewarding.parts == {"preference": 1, "format": 0.2}
    assert (config.model.tool_calls, config.model.template_arguments) == ("qwen3_coder", {"enable_thinking": False})
    assert config.optimization.offload
    logging = config.logging
    assert (logging.rollout_steps, logging.rescore_every, logging.report_every) == (50, 5, 10)
    assert logging.trackio_project == "orchestrator"
    assert taken_in("single-gpu-lora").rollouts.lora_as == "adapter"


@pytest.mark.parametrize("preset", ["single-gpu", "single-gpu-lora", "qwen3-8b-16xh100"])
def test_a_model_that_calls_tools_already_begins_without_a_warm_start(preset):
    assert Config.read(Path(preset)).warm_start is None


@pytest.mark.parametrize(
    ("loss", "clip"), [("gspo", {"clip_high": 0.2}), ("gspo", {"clip_low": 0.2}), ("cispo", {"clip_high": 0.2})]
)
def test_a_clip_that_is_made_for_another_loss_is_refused_with_the_losss_own(loss, clip):
    own = {"gspo": {"clip_high": "0.0004", "clip_low": "0.0003"}, "cispo": {"clip_high": "4"}}[loss]
    (name,) = clip
    with pytest.raises(UserError, match=rf"{name} is 0\.2, .* set it to null for {own[name]}"):
        Config.of({"model": {"path": "m"}, "algorithm": {"loss": loss, **clip}}, "a test")
    with pytest.raises(UserError, match=r"clip_high is 0\.2"):
        Config.read(Path("smollm2-cpu"), {"algorithm.loss": loss})
    mended = Config.read(Path("smollm2-cpu"), {"algorithm.loss": loss, "algorithm.clip_high": None})
    assert mended.algorithm.clip == CLIPS[loss]


@pytest.mark.parametrize("dtypes", [("bfloat16", None), ("float32", "bfloat16"), ("bfloat16", "float32")])
def test_gspo_wants_recomputed_log_probabilities_where_engine_or_trainer_rounds(dtypes):
    model, rollouts = {"path": "m", "dtype": dtypes[0]}, {"dtype": dtypes[1]}
    with pytest.raises(UserError, match=r"set algorithm\.old_policy to recompute"):
        Config.of(
            {"model": model, "rollouts": rollouts, "algorithm": {"loss": "gspo", "old_policy": "rollout"}}, "a test"
        )


def test_servers_are_not_asked_to_play_the_checkpoint_as_it_came():
    served = {"rollouts": {"backend": "vllm-server", "servers": ["http://one"]}, "evaluation": {"untrained": True}}
    with pytest.raises(UserError, match=r"evaluation\.untrained plays .* `python -m trainer evaluate`"):
        Config.of({"model": {"path": "m"}, **served}, "a test")


def test_the_papers_preset_has_the_papers_numbers():
    config = Config.read(Path("qwen3-8b-16xh100"))
    assert config.model.path == "Qwen/Qwen3-8B"
    assert config.optimization.learning_rate == 1e-6
    assert (config.rollouts.max_prompt_tokens, config.rollouts.max_message_tokens) == (24_000, 8_000)
    assert (config.algorithm.tasks_per_step, config.algorithm.rollouts_per_task) == (16, 8)
    assert (config.rollouts.max_turns, config.algorithm.least_std) == (50, 0.1)
    assert (config.algorithm.kl_coefficient, config.algorithm.clip) == (0, (0.2, 0.2))
    assert config.rewarding.preference is None
    assert config.data.mix is not None
    assert [source.dataset for source in config.data.mix] == [None, Path("data/generalthought")]
    assert (config.tools.domain_tasks, config.tools.catalogue) == (True, "training")
    assert config.tools.preferences == Path("data/preferences.json")


def test_the_preset_of_toolrl_has_the_numbers_of_its_table():
    config = Config.read(Path("toolrl-grpo"))
    assert config.model.path == "Qwen/Qwen2.5-3B-Instruct"
    assert (config.rollouts.max_prompt_tokens, config.rollouts.max_sampled_tokens) == (2048, 1024)
    assert (config.algorithm.tasks_per_step, config.algorithm.rollouts_per_task) == (512, 4)
    assert config.algorithm.tasks_per_step / config.algorithm.minibatches == 128
    assert (config.optimization.learning_rate, config.epochs, config.algorithm.kl_coefficient) == (1e-6, 15, 0)
    assert (config.rollouts.temperature, config.rollouts.gpu_memory_share) == (1.0, 0.6)
    assert (config.evaluation.every, config.checkpoints.every) == (5, 15)
    assert config.algorithm.std_eta > 0
    assert config.algorithm.least_std == 0, "no filter"
    assert not config.algorithm.drop_malformed
    assert config.rewarding.design(thinks=True) == Design()


def test_the_preset_of_toolrls_ppo_has_the_numbers_of_its_table_and_of_the_code_it_was_run_with():
    config = Config.read(Path("toolrl-ppo"))
    assert (config.rollouts.max_prompt_tokens, config.rollouts.max_sampled_tokens) == (1024, 512)
    assert (config.algorithm.tasks_per_step, config.algorithm.rollouts_per_task) == (512, 1)
    assert config.algorithm.tasks_per_step / config.algorithm.minibatches == 128
    assert (config.optimization.learning_rate, config.algorithm.kl_coefficient, config.epochs) == (1e-6, 1e-3, 15)
    assert config.ppo == PPO(critic_learning_rate=1e-5, gamma=1.0, gae_lambda=1.0, value_clip=0.5)
    assert (config.rollouts.gpu_memory_share, config.evaluation.every, config.checkpoints.every) == (0.3, 5, 15)
    assert not config.algorithm.drop_malformed
    assert config.rewarding.design(thinks=True) == Design()


@pytest.mark.parametrize("preset", ["qwen3-8b-16xh100", "single-gpu", "single-gpu-lora", "toolrl-grpo", "toolrl-ppo"])
def test_presets_whose_engine_rounds_recompute_old_logprobs_and_cap_what_is_bad(preset):
    algorithm = Config.read(Path(preset)).algorithm
    assert (algorithm.old_policy, algorithm.dual_clip) == ("recompute", 3.0)


@pytest.mark.parametrize("preset", ["qwen3-8b-16xh100", "single-gpu", "single-gpu-lora"])
def test_presets_for_models_that_think_give_messages_and_episodes_limits_of_their_own(preset):
    rollouts = Config.read(Path(preset)).rollouts
    assert rollouts.max_message_tokens is not None
    assert 4000 <= rollouts.max_message_tokens <= rollouts.max_sampled_tokens / 2
    assert rollouts.max_prompt_tokens + rollouts.max_sampled_tokens <= rollouts.context_tokens


@pytest.mark.parametrize("preset", ["smollm2-cpu", "route-smollm2-cpu"])
def test_the_demos_learn_by_the_loss_that_their_results_were_published_with(preset):
    algorithm = Config.read(Path(preset), {"model.dtype": "float32"}).algorithm
    assert (algorithm.loss, algorithm.clip, algorithm.dual_clip) == ("dapo", (0.2, 0.2), None)
    assert (algorithm.old_policy, algorithm.drop_malformed) == ("rollout", False)


@pytest.mark.parametrize(
    ("model", "rollouts", "policy"),
    [
        ({}, {}, "recompute"),
        ({"dtype": "bfloat16"}, {"dtype": "float32"}, "recompute"),
        ({"dtype": "float32"}, {"dtype": "bfloat16"}, "recompute"),
        ({"dtype": "float32"}, {}, "rollout"),
    ],
)
def test_bfloat16_recomputes_and_caps_what_is_bad_unless_the_settings_say_else(model, rollouts, policy):
    def read(**algorithm: object) -> tuple[str, float | None]:
        values = {"model": {"path": "m", **model}, "rollouts": rollouts, "algorithm": algorithm}
        read = Config.of(values, "test").algorithm
        return read.old_policy, read.dual_clip

    settled = (policy, 3.0 if policy == "recompute" else None)
    assert read() == read(old_policy="auto", dual_clip="auto", clip_high=0.3) == settled
    assert (read(old_policy="rollout"), read(old_policy="recompute")) == (("rollout", None), ("recompute", 3.0))
    assert (read(dual_clip=None), read(dual_clip=5)) == ((policy, None), (policy, 5.0))
    assert read(loss="cispo", old_policy="recompute") == ("recompute", None), "which caps every ratio"


@pytest.mark.parametrize("preset", ["smollm2-cpu", "route-smollm2-cpu", "orchestrate-smollm2-cpu"])
@pytest.mark.parametrize(("able", "policy"), [("bfloat16", "recompute"), ("float32", "rollout")])
def test_the_demos_recompute_on_machines_that_compute_in_bfloat16(preset, able, policy, monkeypatch):
    monkeypatch.setattr("trainer.precision.native", lambda: able)
    assert Config.read(Path(preset)).algorithm.old_policy == policy


def test_epochs_become_the_steps_that_they_take_and_are_read_back_as_epochs(tmp_path):
    config = Config.of({"model": {"path": "m"}, "algorithm": {"tasks_per_step": 512}, "epochs": 15}, "test")
    config.write(tmp_path / "config.yaml")
    assert Config.read(tmp_path / "config.yaml") == config
    lasting = config.lasting(3920)
    assert (lasting.steps, lasting.epochs) == (115, None), "the last step begins a sixteenth epoch"
    assert 114 * 512 < 15 * 3920 < 115 * 512
    assert lasting.lasting(7) == lasting


@pytest.mark.parametrize("able", ["float32", "bfloat16"])
def test_auto_is_settled_when_it_is_read_and_written_down_as_what_it_became(able, monkeypatch, tmp_path):
    monkeypatch.setattr("trainer.precision.native", lambda: able)
    config = Config.of({"model": {"path": "m", "dtype": "auto"}}, "test")
    config.write(tmp_path / "config.yaml")
    monkeypatch.setattr("trainer.precision.native", lambda: "another machine's")
    assert Config.read(tmp_path / "config.yaml").model.dtype == able


def test_changes_by_dotted_name_win_over_the_file(tmp_path):
    (tmp_path / "c.yaml").write_text("model: {path: a}\nsteps: 3\n")
    changes = changes_from(
        ["steps=5", "optimization.learning_rate=2e-6", "rollouts.tool_latency=[0, 2]", "warm_start.batch=4"]
    )
    config = Config.read(tmp_path / "c.yaml", changes)
    assert (config.steps, config.optimization.learning_rate, config.rollouts.tool_latency) == (5, 2e-6, (0, 2))
    assert config.warm_start is not None
    assert config.warm_start.batch == 4
    assert config.model.path == "a"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("model: {path: a}\nstepps: 3", "`stepps`: there is no such setting"),
        ("model: {path: a, colour: red}", "`model.colour`: there is no such setting"),
        ("steps: 3", "`model`"),
        ("model: {path: a}\nsteps: many", "`steps`"),
        ("model: [", "is not YAML"),
        ("model: {path: a}\nsteps: 3\nsteps: 4", "`steps` stands twice, for the second time in line 3; take one out"),
        ("model: {path: a, path: b}", "`path` stands twice, for the second time in line 1"),
        ("model: " + "[" * 2000, "nests too deep"),
        ("just words", "holds no settings"),
        ("model: {path: a}\nrollouts: {max_prompt_tokens: 64, context_tokens: 64}", "leaves no room"),
        ("model: {path: a}\nrollouts: {backend: vllm-server}", "rollouts.servers"),
        ("model: {path: a}\nrollouts: {servers: ['http://a']}", "rollouts.servers"),
        ("model: {path: a}\nalgorithm: {minibatches: 17}", "algorithm.minibatches"),
        ("model: {path: a}\nrollouts: {tensor_parallel: 2}", "start vLLM servers with --tensor-parallel-size 2 "),
        ("model: {path: a}\nrollouts: {backend: transformers, tensor_parallel: 4}", "name them in rollouts.servers"),
        ("model: {path: a}\nrollouts: {top_p: 0.9}", "rollouts.top_p"),
        ("model: {path: a}\nalgorithm: {loss: reinforce}", "`algorithm.loss`"),
        ("model: {path: a}\nalgorithm: {loss: dr_grpo, std_eta: 0.1}", "dr_grpo does not divide by"),
        ("model: {path: a}\nalgorithm: {loss: cispo, dual_clip: 3}", "cispo caps every ratio"),
        ("model: {path: a}\nppo: {}\nalgorithm: {loss: gspo}", "take grpo or dapo"),
        ("model: {path: a}\nalgorithm: {loss: gspo, old_policy: rollout}", "set algorithm.old_policy to recompute"),
        ("model: {path: a}\nrewarding: {kind: toolrl, preference: [0, 1, 0, 0]}", "preference is P of M . P"),
        ("model: {path: a}\nrewarding: {parts: {outcome: 1}, preference: {outcome: 1}}", "preference is P of M . P"),
        ("model: {path: a}\nrewarding: {kind: toolrl, parts: {outcome: 1}}", "leave kind out"),
        ("model: {path: a}\nrewarding: {parts: {}}", "`rewarding.parts`"),
        ("model: {path: a}\nrewarding: {parts: {outcome: .nan}}", "`rewarding.parts.outcome`"),
        ("model: {path: a}\nrewarding: {parts: {outcome: 0}}", "all weights are 0"),
        ("model: {path: a}\nrewarding: {parts: {length: 1}}", "how long thoughts should be"),
        ("model: {path: a}\nrewarding: {schedule: sometimes}", "`rewarding.schedule`"),
        ("model: {path: a}\nrewarding: {granularity: sandy}", "`rewarding.granularity`"),
        ("model: {path: a}\nrewarding: {length: endless}", "`rewarding.length`"),
        ("model: {path: a}\nsteps: 3\nepochs: 2", "both say how long to train; take one out"),
        ("model: {path: a}\ntools: {preferences: p.json}", "tools.preferences is for domain tasks"),
        ("model: {path: a}\ntools: {descriptions: d.json}", "tools.descriptions is for domain tasks"),
        ("model: {path: a}\nrollouts: {tool_latency: [2, 1]}", "tool_latency"),
        ("model: {path: a}\nrollouts: {backend: transformers, sleep: true}", "rollouts.sleep is for"),
        ("model: {path: a}\nrollouts: {lora_as: adapter}", "rollouts.lora_as: adapter needs model.lora"),
        ("model: {path: a, lora: {rank: 0}}", "`model.lora.rank`"),
        ("model: {path: a}\nalgorithm: {redraw: 1, least_std: 0}", "redraw replaces the groups that least_std drops"),
        ("model: {path: a}\nalgorithm: {redraw: 1, rollouts_per_task: 1}", "rollouts_per_task above 1"),
        ("model: {path: a, dtype: float32}\nrollouts: {ahead: 1}", "set algorithm.old_policy to recompute"),
        ("model: {path: a}\nrollouts: {oversample: 0.5}", "`rollouts.oversample`"),
        ("model: {path: a}\ndata: {curriculum: {target: 1}}", "`data.curriculum.target`"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_in_one_line(text, said, tmp_path):
    file = tmp_path / "c.yaml"
    file.write_text(text)
    with pytest.raises(UserError) as refused:
        Config.read(file)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
    assert str(file) in str(refused.value)


def test_a_file_that_is_not_there_is_answered_with_the_presets(tmp_path):
    with pytest.raises(
        UserError,
        match=r"orchestrate-smollm2-cpu, qwen3-8b-16xh100, route-smollm2-cpu, single-gpu, single-gpu-lora, smollm2-cpu",
    ):
        Config.read(tmp_path / "none.yaml")


@pytest.mark.parametrize("assignment", ["steps", "=3"])
def test_an_assignment_of_another_form_is_refused(assignment):
    with pytest.raises(UserError, match="NAME=VALUE"):
        changes_from([assignment])


def test_a_value_that_is_no_yaml_is_called_that():
    with pytest.raises(UserError, match=r"^--set steps=\[1: the value is not YAML"):
        changes_from(["steps=[1"])


def test_epochs_go_with_a_preset_of_steps_once_its_steps_are_taken_out(tmp_path):
    with pytest.raises(UserError, match=r"single-gpu\.yaml with --set epochs: .* --set steps=null leaves the epochs"):
        Config.read(Path("single-gpu"), {"epochs": 2})
    config = Config.read(Path("single-gpu"), changes_from(["epochs=2", "steps=null"]))
    assert config.lasting(160).steps == 20
    config.write(tmp_path / "config.yaml")
    assert Config.read(tmp_path / "config.yaml") == config
    assert Config.of({"model": {"path": "m"}, "steps": None}, "a test").steps == Config.model_fields["steps"].default


@pytest.mark.parametrize("loss", ["dapo", "grpo", "dr_grpo", "gspo", "cispo"])
@pytest.mark.parametrize("preset", ["single-gpu", "single-gpu-lora"])
def test_every_loss_that_a_comment_offers_can_be_set_alone(preset, loss):
    assert Config.read(Path(preset), {"algorithm.loss": loss}).algorithm.loss == loss


def test_a_section_that_holds_comments_alone_takes_its_defaults(tmp_path):
    (tmp_path / "c.yaml").write_text("model: {path: a}\noptimization:\n  # offload: true\nalgorithm:\nppo:\n")
    assert Config.read(tmp_path / "c.yaml") == Config.of({"model": {"path": "a"}}, "a test")


def test_a_preset_is_found_by_the_name_of_its_file_too():
    assert Config.read(Path("single-gpu.yaml")) == Config.read(Path("single-gpu"))


def test_settings_in_toml_are_told_that_they_should_be_yaml(tmp_path):
    for text in ("steps = 3\n", "[model]\npath = 'a'\n", "steps = 3\n[model]\npath = 'a: b'\n"):
        (tmp_path / "c.toml").write_text(text)
        with pytest.raises(UserError, match="settings are written in YAML, not TOML"):
            Config.read(tmp_path / "c.toml")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"rollouts.max_turn": 3}, "--set rollouts.max_turn: there is no such setting, perhaps rollouts.max_turns is "),
        ({"steps": "many"}, "--set steps: Input should be a valid integer"),
        ({"model": {"path": "m", "dtype": "int4"}}, "--set model: `model.dtype`: Input should be"),
        ({"model.lora": True}, "--set model.lora: this is a section: give it `{}`, which takes its defaults, or "),
        (
            {"algorithm.dual_clip": 3, "algorithm.loss": "cispo"},
            "with --set algorithm.dual_clip --set algorithm.loss: ",
        ),
        ({"steps": 3, "rollouts.max_prompt_tokens": 20_000}, "with --set rollouts.max_prompt_tokens: rollouts.max_"),
    ],
)
def test_what_is_wrong_on_the_command_line_is_not_said_of_the_file(changes, said):
    with pytest.raises(UserError) as refused:
        Config.read(Path("single-gpu"), changes)
    assert said in str(refused.value)
    assert str(refused.value).startswith("--set") == said.startswith("--set")


@pytest.mark.parametrize(
    ("setting", "meant"),
    [
        ("optimization.learning_rat", "optimization.learning_rate is meant; optimization may have learning_rate, warm"),
        ("max_turns", "rollouts.max_turns is meant; the file may have model, data, tools, "),
        ("rollouts.learning_rate", "optimization.learning_rate or warm_start.learning_rate is meant; rollouts may "),
        (
            "data.mix",
            "`data.mix.0.shares`: there is no such setting, perhaps data.mix.0.share is meant; data.mix.0 may",
        ),
        ("zebra", "there is no such setting; the file may have model, "),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest_and_all_of_its_section(setting, meant):
    with pytest.raises(UserError) as refused:
        Config.read(Path("single-gpu"), {setting: [{"shares": 1}]})
    assert meant in str(refused.value)


@pytest.mark.parametrize(
    "setting",
    [
        *("optimization.learning_rate=.inf", "optimization.learning_rate=1e30", "optimization.betas=[2, -3]"),
        *("optimization.weight_decay=.inf", "optimization.max_grad_norm=.nan", "rollouts.temperature=0"),
        *("rollouts.temperature=.inf", "rollouts.temperature=1e9", "rollouts.tool_latency=[0, .inf]"),
        *("rollouts.tool_latency=[-1, 0]", "data.mix=[{share: .inf}]", "data.pass_rates=[-5, 7]", "seed=-1"),
        *("algorithm.clip_high=.inf", "algorithm.importance_cap=.inf", "algorithm.kl_coefficient=.inf"),
        *("rewarding.preference=[0, .nan, 0, 0]", "rewarding.preference={outcome: .inf}", "warm_start.learning_rate=7"),
        *("ppo.critic_learning_rate=2", "evaluation.temperature=.inf", f"seed={2**63}"),
    ],
)
def test_a_number_that_nothing_can_be_done_with_is_refused_in_a_line(setting):
    with pytest.raises(UserError) as refused:
        Config.read(Path("single-gpu"), changes_from([setting]))
    assert f"--set {setting.partition('=')[0]}: " in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_server_has_a_url():
    with pytest.raises(UserError, match=r"^--set rollouts\.servers: `rollouts\.servers\.0`: `foo` is no URL"):
        Config.read(Path("single-gpu"), {"rollouts.backend": "vllm-server", "rollouts.servers": ["foo"]})
