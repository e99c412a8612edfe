"""Group release: descriptions of the models that an orchestrator may call, from their own attempts at tasks."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import dagster as dg
from pydantic import Field
from upath import UPath

from pipelines.assets.release import dataset, local_folder, released_folder
from pipelines.assets.stage import release_asset
from pipelines.factory import Factory
from pipelines.interrupts import run_until_interrupted
from pipelines.launchpad import Launchpad
from pipelines.lineage import version_of
from pipelines.refusals import refusal
from pipelines.shown import markdown
from pipelines.storage import write_whole
from toolscale.artifacts import EnvironmentSpec, Task
from toolscale.catalogue.catalogue import CatalogueModel, read_tools
from toolscale.catalogue.latency import measured
from toolscale.dataset.folder import read_placed
from toolscale.dataset.questions import read_question_tasks
from toolscale.dataset.steps import read_step_tasks
from toolscale.descriptions.description import ModelDescription, as_json, describe_model, descriptions_in
from toolscale.descriptions.sampling import SAMPLED, Sampled, sample_tasks
from toolscale.descriptions.trials import try_tasks
from toolscale.errors import UserError
from toolscale.llm import Gateway, GatewayError
from toolscale.llm.endpoints import see_that_it_can_be_asked
from toolscale.markdown import cell
from toolscale.printable import in_one_line
from toolscale.questions.steps import Step
from toolscale.questions.task import QuestionTask
from toolscale.store import Store


class Describing(Launchpad):
    """Which models are described, and by how much."""

    catalogue: str = Field(default="training", description="A set of the catalogue, or a file: FILE.toml[:SET].")
    models: list[str] = Field(default=[], description="Names of models; empty = all of the set that can be asked.")
    tasks: int = Field(default=SAMPLED, gt=0, description="Tasks that each model tries, 1 or more.")
    sets: list[str] = Field(
        default=[],
        description="Folders of questions or steps, as `toolscale import` writes them: some of the tasks are theirs.",
    )


@release_asset(
    kinds={"llm", "json"},
    prompts=("describe_model", "agent", "expert", "single_step", "judge_answer"),
    asks=("teacher", "judge"),
    told=("seed",),
    deps=[dataset],
)
def model_descriptions(
    context: dg.AssetExecutionContext, config: Describing, factory: dg.ResourceParam[Factory]
) -> dg.MaterializeResult[None]:
    """What each model of the catalogue is good at, as another model reads it from ten sampled training tasks: of the
    dataset's domains, and of sets of questions and steps where some are named.

    Descriptions of other models that lie in the file already stay. `toolscale orchestrate --descriptions` reads it.
    """
    file = UPath(factory.data_root) / "model_descriptions.json"
    try:
        models = _chosen(config)
        with factory.store() as store:
            made = run_until_interrupted(_described(models, config, factory, store, context))
        earlier = descriptions_in(file.read_text(encoding="utf-8"), str(file)) if file.exists() else {}
        whole = {**earlier, **{each.model: each for each in made}}
        text = as_json(list(whole.values()))
        write_whole(file, text)
    except (UserError, GatewayError) as error:
        raise refusal(error) from error
    return dg.MaterializeResult(
        data_version=dg.DataVersion(version_of([text.decode()])),
        metadata={
            "path": dg.MetadataValue.path(str(file)),
            "described": len(made),
            "descriptions": markdown(_table(made)),
        },
    )


async def _described(
    models: Sequence[CatalogueModel],
    config: Describing,
    factory: Factory,
    store: Store,
    context: dg.AssetExecutionContext,
) -> list[ModelDescription]:
    """Let every model that can be asked try the same tasks, and another describe it."""
    settings = factory.settings()
    ours, environments = _of_domains(factory.dataset, config)
    theirs = [task for folder in config.sets for task in _of_set(local_folder(folder))]
    tasks = sample_tasks([*ours, *theirs], seed=factory.seed, count=config.tasks)
    judge = settings.for_role("judge").model
    if judge.startswith("offline/") and any(isinstance(task, QuestionTask) for task in tasks):
        raise UserError("questions need a model that judges answers: name one for the role `judge` in `roles`")
    writer = settings.for_role("teacher").model

    async def describe(model: CatalogueModel, gateway: Gateway) -> ModelDescription:
        trials = await try_tasks(model, tasks, environments, gateway, seed=factory.seed)
        latency = measured(store, {model.name: model.model}).get(model.name)
        context.log.info("%s solved %d of %d", model.name, sum(trial.solved for trial in trials), len(trials))
        return await describe_model(model.name, trials, gateway, written_by=writer, latency=latency, seed=factory.seed)

    async with Gateway(settings, store, run=factory.run or context.run_id) as gateway:
        reachable = [model for model in models if _can_be_asked(model, context)]
        if not reachable:
            raise UserError(
                f"no model of `{config.catalogue}` can be asked: set a provider's key, or name other models"
            )
        return list(await asyncio.gather(*(describe(model, gateway) for model in reachable)))


def _of_domains(path: str, config: Describing) -> tuple[list[Task], dict[str, EnvironmentSpec]]:
    """The training tasks of a dataset and their environments; none where there are sets and no dataset yet."""
    if config.sets and not local_folder(path).is_dir():
        return [], {}
    placed = [each for each in read_placed(released_folder(path)) if each.split == "train"]
    environments = {each.task.domain: each.environment for each in placed}
    return [each.task for each in placed if environments[each.task.domain] is each.environment], environments


def _of_set(folder: Path) -> list[Sampled]:
    """The training split of a folder of questions or steps."""
    read: Sequence[QuestionTask | Step]
    if (folder / "questions").is_dir():
        read = read_question_tasks(folder)
    elif (folder / "steps").is_dir():
        read = read_step_tasks(folder)
    else:
        raise UserError(f"{folder} holds neither questions nor steps: make it with `toolscale import`")
    return [task for task in read if task.split == "train"]


def _chosen(config: Describing) -> list[CatalogueModel]:
    known = {tool.model.name: tool.model for tool in read_tools(config.catalogue) if tool.model}
    if unknown := set(config.models) - set(known):
        raise UserError(
            f"`{config.catalogue}` has no model {min(unknown)}, only {', '.join(known)}: name some of these as "
            "`models`, or another `catalogue`"
        )
    return [known[name] for name in config.models or known]


def _can_be_asked(model: CatalogueModel, context: dg.AssetExecutionContext) -> bool:
    try:
        see_that_it_can_be_asked(model.model, model.api_base)
    except UserError as error:
        context.log.warning("%s is left out: %s", model.name, in_one_line(str(error)))
        return False
    return True


def _table(descriptions: Sequence[ModelDescription]) -> str:
    lines = ["| model | solved | description |", "| --- | ---: | --- |"]
    for each in descriptions:
        lines.append(f"| {each.model} | {each.solved} of {len(each.trials)} | {cell(each.description)} |")
    return "\n".join(lines)
