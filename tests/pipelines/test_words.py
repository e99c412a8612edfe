"""Every sentence with which the UI refuses something: it names the field, says what to do, and no trace covers it."""

import ast
import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import dagster as dg
import pytest
from annotated_types import Ge, Gt, Le

from pipelines.alone import alone
from pipelines.assets.models import Describing
from pipelines.assets.preferences import Preferring
from pipelines.assets.proposals import Proposing
from pipelines.assets.release import Publication
from pipelines.assets.stage import _asking
from pipelines.assets.training import Training
from pipelines.definitions import definitions
from pipelines.factory import Factory
from pipelines.jobs import NewDomain, Previewed
from pipelines.launchpad import Launchpad, in_words
from pipelines.nothing_kept import nothing_kept
from pipelines.refusals import RELOAD, Refusal, field_of, in_the_launchpads_words, refusal
from pipelines.run_config import RunConfig
from tests.dataset.small import write_small
from toolscale.artifacts import Reject
from toolscale.catalogue.catalogue import read_tools
from toolscale.errors import UserError
from toolscale.reference.domain import reference_domain, reference_domains
from toolscale.settings import Settings
from toolscale.synthesis.chain import CHAIN
from toolscale.synthesis.sifted import Sifted

ROOT = Path(__file__).parents[2]
LAUNCHPADS: tuple[type[Launchpad], ...] = (
    *(NewDomain, Previewed, Training, Publication, Describing, Preferring, Proposing),
)


class Refused(NamedTuple):
    """What somebody does in the UI, and what they then read."""

    launched: str
    """A job, or an asset that is materialized by itself."""
    config: dict[str, Any]
    """Of the resource `factory` where it is a job of stages, else of the job's or asset's own fields."""
    sentence: str
    partition: str = ""
    before: Callable[[Path, pytest.MonkeyPatch], Any] = lambda root, changed: None


def _file(**fields: str) -> Callable[[Path, pytest.MonkeyPatch], Any]:
    def write(root: Path, changed: pytest.MonkeyPatch) -> None:
        (root / "domains").mkdir(exist_ok=True)
        lines = "".join(f"{name} = {value}\n" for name, value in fields.items())
        (root / "domains" / "zoo.toml").write_text(lines)

    return write


def _dataset(root: Path, changed: pytest.MonkeyPatch) -> None:
    write_small(root / "dataset")


def _no_interpreter(root: Path, changed: pytest.MonkeyPatch) -> None:
    _dataset(root, changed)
    changed.setenv("TOOLSCALE_TRAINER_PYTHON", "/nowhere/python")


def _no_token(root: Path, changed: pytest.MonkeyPatch) -> None:
    _dataset(root, changed)
    changed.delenv("HF_TOKEN", raising=False)
    changed.setattr("huggingface_hub.constants.HF_TOKEN_PATH", str(root / "no-token"))


def _stages(sentence: str, partition: str = "railway", before: Any = None, **config: Any) -> Refused:
    return Refused("generate", config, sentence, partition, *([before] if before else []))


CHANGE = "change it in the launchpad"
NO_DATASET = (
    "there is no dataset at {root}/dataset: run the job `release` first, or name another folder as `dataset` of the "
    "resource `factory`"
)
REFUSALS = [
    _stages(f"`attempts` is 0, but it should be greater than 0: {CHANGE}", attempts=0),
    _stages(f"`tasks_per_domain` is -3, but it should be greater than 0: {CHANGE}", tasks_per_domain=-3),
    _stages(f"`least_yield` is 2.0, but it should be less than or equal to 1: {CHANGE}", least_yield=2.0),
    _stages(f"`max_cost` is -1.0, but it should be greater than or equal to 0: {CHANGE}", max_cost=-1.0),
    _stages(
        "`pass_rate` and `golden_calls` say which tasks to keep: say with `keep` how many",
        pass_rate="0.2:0.8",
    ),
    _stages("`pass_rate` of the run: it is two figures, LOW:HIGH", keep=3, pass_rate="8"),
    _stages("`golden_calls` is two numbers, the lower one first, such as 4:12", keep=3, golden_calls="9:2"),
    _stages(f"openai/gpt-5-mini needs a key: set OPENAI_API_KEY. {RELOAD}", model="openai/gpt-5-mini"),
    _stages(
        "hosted_vllm/m has no address, and is asked nowhere else instead: set HOSTED_VLLM_API_BASE to its base URL, "
        f"such as http://127.0.0.1:8000/v1, or give its `api_base`. {RELOAD}",
        model="hosted_vllm/m",
    ),
    _stages(
        "hosted_vllm/unpriced: no price is known: give its dollars per million tokens, 0 where it is free, as "
        """TOOLSCALE_PRICES='{{"hosted_vllm/unpriced": {{"input": 0, "output": 0}}}}' or in toolscale.toml as """
        f'prices = {{{{"hosted_vllm/unpriced" = {{{{input = 0, output = 0}}}}}}}}. {RELOAD}',
        model="hosted_vllm/unpriced",
        api_base="http://127.0.0.1:9/v1",
    ),
    _stages(
        f"roles and api_base go with a model: name one with `model`, or set TOOLSCALE_MODELS. {RELOAD}",
        roles={"agent": "openai/m"},
    ),
    _stages(
        "there is no role `poet`, only teacher, validator, evolver, agent, user, judge",
        model="openai/m",
        roles={"poet": "openai/m"},
    ),
    _stages(
        "`api_base` must be a URL that starts with http:// or https://", model="openai/m", api_base="localhost:8000"
    ),
    _stages(
        "`release_proposed` is of `toolscale synthesize --all`: runs of Dagster make the partitions that they were "
        "launched for; leave it out",
        release_proposed=True,
        max_cost=1.0,
    ),
    _stages(
        "{root}/domains/zoo.toml: missing; launch the job `new_domain` with `name: zoo` and a description, or write "
        "the file with description = ...",
        "zoo",
    ),
    _stages(
        "the offline model knows no domain `zoo`, only {known}; for any other domain name a real model: `model` "
        f"openai/gpt-5-mini, or TOOLSCALE_DEFAULT_MODEL=... {RELOAD}",
        "zoo",
        _file(description="'animals'"),
    ),
    _stages(
        "domain `zoo` is switched off: read {root}/domains/zoo.toml, then release it with "
        "`toolscale domains release zoo`",
        "zoo",
        _file(description="'animals'", off="true"),
    ),
    Refused("release", {}, "no domain has verified tasks to release; run `generate` first"),
    Refused("reaudit", {}, NO_DATASET),
    Refused("train", {}, NO_DATASET),
    Refused("train", {"processes": 0}, f"`processes` is 0, but it should be greater than 0: {CHANGE}"),
    Refused(
        "train",
        {},
        "training needs packages that are not installed here: run `make setup-trainer` (several minutes, once) and "
        f"launch this again; TOOLSCALE_TRAINER_PYTHON names an interpreter elsewhere that has them. {RELOAD}",
        before=_dataset,
    ),
    Refused(
        "train",
        {},
        "setting `trainer_python`: there is no interpreter at /nowhere/python; run `make setup-trainer` and leave it "
        f"out, or correct it in toolscale.toml or TOOLSCALE_TRAINER_PYTHON. {RELOAD}",
        before=_no_interpreter,
    ),
    Refused("published_dataset", {"repository": "team/shop"}, NO_DATASET),
    Refused(
        "published_dataset",
        {"repository": "shop"},
        "`repository` shop: give owner/name, such as my-team/toolscale",
        before=_dataset,
    ),
    Refused(
        "published_dataset",
        {"repository": "team/shop"},
        f"no token for the Hub: set HF_TOKEN to one that may write, or log in with `hf auth login`. {RELOAD}",
        before=_no_token,
    ),
    Refused(
        "model_descriptions",
        {"models": ["nobody"]},
        "`training` has no model nobody, only {training}: name some of these as `models`, or another `catalogue`",
    ),
    Refused("model_descriptions", {"tasks": 0}, f"`tasks` is 0, but it should be greater than 0: {CHANGE}"),
    Refused("preferences", {"each": 0}, f"`each` is 0, but it should be greater than 0: {CHANGE}"),
    Refused("proposed_domains", {"count": 0}, f"`count` is 0, but it should be greater than 0: {CHANGE}"),
    Refused("new_domain", {"name": "Zoo", "tasks": -3}, f"`tasks` is -3, but it should be greater than 0: {CHANGE}"),
    Refused(
        "new_domain",
        {"name": "Zoo", "model": "openai/gpt-5-mini"},
        f"openai/gpt-5-mini needs a key: set OPENAI_API_KEY. {RELOAD}",
    ),
    Refused(
        "new_domain",
        {"name": "../zoo"},
        "domain `../zoo`: a name is small letters, digits and underscores, at most 63, and starts with a letter; call "
        "it something like port_logistics, and say the rest in the description",
    ),
    Refused(
        "preview",
        {"domain": "zoo"},
        "{root}/domains/zoo.toml: missing; write it with name = ... and description = ..., or give `description` (in "
        "Dagster, of the job `new_domain`)",
    ),
]
KNOWN = ", ".join(reference_domains())
TRAINING = ", ".join(dict.fromkeys(tool.model.name for tool in read_tools("training") if tool.model))
OF_ITS_OP = {"train": "orchestrator", "new_domain": "write_domain", "preview": "show_preview"}


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOOLSCALE_DATA_ROOT", str(tmp_path))
    for variable in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HOSTED_VLLM_API_BASE"):
        monkeypatch.delenv(variable, raising=False)
    return tmp_path


@pytest.fixture(scope="module")
def code_location(tmp_path_factory):
    return definitions(RunConfig(), str(tmp_path_factory.mktemp("data")))


@pytest.fixture(scope="module")
def instance():
    with dg.DagsterInstance.ephemeral() as made:
        made.add_dynamic_partitions("domain", ["railway", "zoo"])
        yield made


def launched(code_location, instance, refused: Refused):
    """The errors on the page of the run: of a step that failed, if one did, and of the run."""
    name, repository = refused.launched, code_location.get_repository_def()
    is_job = name in {job.name for job in repository.get_all_jobs()}
    job = repository.get_job(name) if is_job else code_location.resolve_implicit_global_asset_job_def()
    of_an_op = {"ops": {OF_ITS_OP.get(name, name): {"config": refused.config}}} if refused.config else {}
    of_the_run = {"resources": {"factory": {"config": refused.config}}}
    ran = job.execute_in_process(
        run_config=of_the_run if name == "generate" else of_an_op,
        instance=instance,
        raise_on_error=False,
        partition_key=refused.partition or None,
        asset_selection=None if is_job else [dg.AssetKey(name)],
    )
    assert not ran.success
    events = [entry.dagster_event for entry in instance.all_logs(ran.run_id)]
    assert not [event for event in events if event and event.is_successful_output], "before the first stage"
    failed = [event for event in events if event and event.event_type_value in ("STEP_FAILURE", "PIPELINE_FAILURE")]
    return [event.event_specific_data.error for event in failed]


@pytest.mark.parametrize("refused", REFUSALS, ids=lambda each: f"{each.launched} {each.config or each.sentence[:30]}")
def test_a_refusal_is_its_sentence_alone_in_the_words_of_the_launchpad(
    root, code_location, instance, monkeypatch, refused
):
    refused.before(root, monkeypatch)
    errors = launched(code_location, instance, refused)
    sentence = refused.sentence.format(root=root, known=KNOWN, training=TRAINING)
    assert errors
    assert [error.message for error in errors] == [sentence] * len(errors)
    assert all(not error.stack and error.cause is None and error.context is None for error in errors), "no trace"
    assert "--" not in re.sub("`[^`]*`", "", sentence), "an option of a command, which the launchpad does not have"


def test_a_domain_that_another_run_makes_is_waited_for_in_words(root, code_location, instance):
    refused = _stages("another run is making `railway` in {root}; wait for it, or stop it")
    with alone(str(root), ["railway"]):
        [error] = launched(code_location, instance, refused)
    assert (error.message, list(error.stack)) == (refused.sentence.format(root=root), [])


@pytest.mark.parametrize(
    ("job", "config", "field"),
    [
        ("generate", {"resources": {"factory": {"config": {"user_mode": "loud"}}}}, "user_mode"),
        ("generate", {"resources": {"factory": {"config": {"task_source": "hope"}}}}, "task_source"),
        ("generate", {"resources": {"factory": {"config": {"attemps": 3}}}}, "attemps"),
        ("generate", {"resources": {"factory": {"config": {"attempts": "3"}}}}, "attempts"),
        ("new_domain", {"ops": {"write_domain": {"config": {"name": "Zoo", "task_source": "hope"}}}}, "task_source"),
        ("new_domain", {"ops": {"write_domain": {"config": {}}}}, "name"),
    ],
)
def test_the_launchpads_own_schema_refuses_what_is_no_choice_no_field_or_of_another_type(
    code_location, job, config, field
):
    with pytest.raises(dg.DagsterInvalidConfigError) as error:
        dg.validate_run_config(code_location.get_repository_def().get_job(job), config)
    assert field in str(error.value)


def test_a_choice_reaches_the_run_as_plain_text():
    chosen = {"user_mode": "simulated", "task_source": "drafts"}
    factory = RunConfig(**chosen).create_resource(dg.build_init_resource_context())
    assert (type(factory.user_mode), factory.user_mode, factory.task_source) == (str, "simulated", "drafts")
    assert NewDomain(name="zoo", task_source="drafts").settings()["task_source"] == "drafts"


def test_the_schema_says_every_range():
    declared = [(kind, name, field) for kind in (RunConfig, *LAUNCHPADS) for name, field in kind.model_fields.items()]
    ranged = [each for each in declared if any(isinstance(limit, Ge | Gt | Le) for limit in each[2].metadata)]
    assert {"attempts", "least_yield", "processes", "count", "each", "tasks"} <= {name for _, name, _ in ranged}
    for kind, name, field in ranged:
        assert re.search("or more|more than", field.description or "", re.IGNORECASE), f"{kind.__name__}.{name}"
    assert in_words([Ge(0), Le(1)]) == "0 or more, at most 1."


COMMANDS_ALONE = {"domains", "json", "index", "mcp", "questions", "all", "format", "limit"}
"""Options that refusals of the command line alone speak of."""
SPEAK_IN_THE_UI = (
    *("pipelines", "toolscale/catalogue", "toolscale/dataset", "toolscale/descriptions", "toolscale/instances"),
    *("toolscale/llm", "toolscale/preferences", "toolscale/proposals", "toolscale/reference", "toolscale/synthesis"),
)


def test_every_option_that_a_refusal_names_is_a_field_of_the_launchpad():
    fields = {name for kind in (RunConfig, *LAUNCHPADS) for name in kind.model_fields}
    files = [file for part in SPEAK_IN_THE_UI for file in (ROOT / part).rglob("*.py")] + [
        ROOT / "toolscale/settings.py"
    ]
    found = {}
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "UserError":
                parts = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant)]
                said = re.sub("`[^`]*`", "", "".join(part for part in parts if isinstance(part, str)))
                found |= dict.fromkeys(re.findall(r"(?<![^\s(])--([a-z][a-z-]*)", said), file)
    assert len(found) > 5, "the sweep sees what it is for"
    unknown = {option: file for option, file in found.items() if field_of(option) not in fields}
    assert not unknown.keys() - COMMANDS_ALONE, unknown


def test_a_sentence_keeps_its_commands_and_changes_its_options():
    said = in_the_launchpads_words("see `toolscale traces --domain zoo`, or choose another --repo (--pull-request)")
    assert said == "see `toolscale traces --domain zoo`, or choose another `repository` (`pull_request`)"
    assert in_the_launchpads_words("a word--word stays") == "a word--word stays"


def test_a_variable_added_to_env_holds_once_the_definitions_are_reloaded(root, monkeypatch):
    """A reload starts the code server anew, which asks the instance for the variables; `dg dev` says of which file."""
    monkeypatch.setenv("OPENAI_API_KEY", "")
    monkeypatch.setenv("DAGSTER_PROJECT_ENV_FILE_PATHS", json.dumps({"toolscale": str(root)}))
    (root / ".env").write_text("OPENAI_API_KEY=added\n")
    shutil.copy(ROOT / "dagster.yaml", root)
    with dg.DagsterInstance.from_config(str(root)) as reloaded:
        reloaded.inject_env_vars("toolscale")
    assert os.environ["OPENAI_API_KEY"] == "added"


def test_a_refusal_is_never_tried_again_and_keeps_what_led_to_it():
    cause = UserError("set OPENAI_API_KEY")
    with pytest.raises(dg.Failure) as ended:
        raise refusal(cause) from cause
    assert not ended.value.allow_retries
    assert ended.value.__cause__ is cause
    assert ended.value.description == str(ended.value) == f"set OPENAI_API_KEY. {RELOAD}"


REJECTS = [Reject(domain="zoo", stage="tasks", check="infeasible", reasons=["no train"]) for _ in range(4)]


def test_a_stage_that_keeps_nothing_ends_the_domain_with_its_funnel_first(tmp_path):
    """Nothing is stored, so what lay there before stays."""

    class Hopeless(Factory):
        def ask(self, *what: Any) -> Sifted[Any]:
            return Sifted([], REJECTS)

    (tasks,) = (stage for stage in CHAIN if stage.name == "tasks")
    run = _asking(tasks, lambda found, read: {})
    with pytest.raises(Refusal) as ended:
        run(None, Hopeless.of(Settings(data_root=str(tmp_path))), None, domain=reference_domain("railway").domain)
    assert ended.value.description.startswith("0 of 4 drafts became tasks: infeasible 4, in railway. ")
    assert "| infeasible | 4 | no train |" in ended.value.metadata["rejects_by_check"].value


def test_a_stage_beside_which_others_have_work_may_keep_nothing(tmp_path):
    usual = Factory.of(Settings(data_root=str(tmp_path)))
    nothing = Sifted[Any]([], REJECTS)
    assert nothing_kept("programs", "zoo", nothing, usual) == ""
    assert nothing_kept("programs", "zoo", nothing, usual.told({"task_source": "programs"}))
    assert nothing_kept("evolved_tasks", "zoo", Sifted([]), usual) == ""
    assert nothing_kept("tasks", "zoo", nothing, usual.told({"keep": 3})) == "", "more are proposed for the number"
    assert nothing_kept("functions", "zoo", nothing, usual).startswith(
        "0 of 4 proposals became functions: infeasible 4"
    )
