"""Group release: what users prefer, over the tools of a catalogue, as pairs of an instruction and a vector."""

from collections import Counter
from collections.abc import Sequence

import dagster as dg
from pydantic import Field
from upath import UPath

from pipelines.assets.stage import release_asset
from pipelines.factory import Factory
from pipelines.interrupts import run_until_interrupted
from pipelines.launchpad import Launchpad
from pipelines.lineage import version_of
from pipelines.refusals import refusal
from pipelines.shown import markdown
from pipelines.storage import write_whole
from toolscale.catalogue.catalogue import read_tools
from toolscale.catalogue.prices import EVALUATION, schedule
from toolscale.catalogue.servers import told_by_servers
from toolscale.errors import UserError
from toolscale.llm import Gateway, GatewayError
from toolscale.markdown import cell
from toolscale.preferences.preference import Preferences, as_lines, preferences_in
from toolscale.preferences.proposals import EACH, facts_of, propose_preferences


class Preferring(Launchpad):
    """What preferences are about, and how many are asked for."""

    catalogue: str = Field(default="training", description="A set of the catalogue, or a file: FILE.toml[:SET].")
    schedule: str = Field(default=EVALUATION, description="Prices that the proposer is told.")
    each: int = Field(default=EACH, gt=0, description="Preferences asked for on each theme, 1 or more.")


@release_asset(
    kinds={"llm", "json"},
    prompts=("preferences", "validate_preference"),
    asks=("teacher", "validator"),
    told=("seed",),
)
def preferences(
    context: dg.AssetExecutionContext, config: Preferring, factory: dg.ResourceParam[Factory]
) -> dg.MaterializeResult[None]:
    """What users prefer: pairs of an instruction and a vector, proposed by one model, validated by another.

    The asset `dataset`, materialized after it, has them as its config `preferences`; those of `eval` also lie in
    `preferences.eval.jsonl`, for `toolscale evaluate --preferences`.
    """
    try:
        made = run_until_interrupted(_made(config, factory, context))
        file = preferences_file(factory.data_root)
        write_whole(file, made.model_dump_json(indent=1).encode() + b"\n")
        write_whole(file.with_name("preferences.eval.jsonl"), as_lines(made.of("eval")))
    except (UserError, GatewayError) as error:
        raise refusal(error) from error
    return dg.MaterializeResult(
        data_version=dg.DataVersion(version_of([made.model_dump_json()])),
        metadata={
            "path": dg.MetadataValue.path(str(file)),
            "train": len(made.of("train")),
            "eval": len(made.of("eval")),
            "refused": len(made.rejects),
            "pairs": markdown(_table(made)),
            "why_refused": markdown(_refusals(made)),
        },
    )


def preferences_file(data_root: str) -> UPath:
    """Where the preferences of a data root lie."""
    return UPath(data_root) / "preferences.json"


def preferences_there(data_root: str) -> Preferences | None:
    """The preferences of a data root; None if nobody made any.

    Raises:
        UserError: the file holds something else.
    """
    file = preferences_file(data_root)
    return preferences_in(file.read_text(encoding="utf-8"), str(file)) if file.exists() else None


async def _made(config: Preferring, factory: Factory, context: dg.AssetExecutionContext) -> Preferences:
    settings, prices = factory.settings(), schedule(config.schedule)
    tools = facts_of(told_by_servers(read_tools(config.catalogue)), prices)
    with factory.store() as store:
        async with Gateway(settings, store, run=factory.run or context.run_id) as gateway:
            kept, rejects = await propose_preferences(tools, gateway, each=config.each, seed=factory.seed)
    if not kept:
        raise UserError(f"no preference passed the checks; the first was refused because {_why(rejects[0].reasons)}")
    return Preferences(
        catalogue=config.catalogue,
        schedule=prices.name,
        proposed_by=settings.for_role("teacher").model,
        validated_by=settings.for_role("validator").model,
        kept=kept,
        rejects=rejects,
    )


def _table(made: Preferences) -> str:
    lines = ["| theme | split | instruction | wants |", "| --- | --- | --- | --- |"]
    for each in made.kept:
        wants = ", ".join(f"{name} {value:g}" for name, value in each.wants.items())
        lines.append(f"| {cell(each.theme)} | {each.split} | {cell(each.instruction)} | {wants} |")
    return "\n".join(lines)


def _refusals(made: Preferences) -> str:
    counts = Counter((reject.check, _why(reject.reasons)) for reject in made.rejects)
    lines = ["| check | reason | pairs |", "| --- | --- | ---: |"]
    lines += [f"| {check} | {cell(why)} | {count} |" for (check, why), count in counts.most_common()]
    return "\n".join(lines)


def _why(reasons: Sequence[str]) -> str:
    return "; ".join(reasons)
