"""Publishing: the Hub, and the formats of others."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from toolscale.errors import UserError
from toolscale.terminal import say, say_json

if TYPE_CHECKING:
    from toolscale.environment.hidden_inputs import HiddenInputs
    from toolscale.exchange.report import Report

Format = Literal["tau2", "toolscale", "openai", "verifiers"]
Imported = Literal["tau2", "tau-bench", "questions", "steps", "toolorchestra"]
_DATASET = typer.Argument(help="A dataset folder.")


def push(
    folder: Annotated[Path, _DATASET],
    repo: Annotated[str, typer.Option(help="The repository on the Hub: owner/name.")],
    public: Annotated[bool, typer.Option("--public", help="Make the repository public; private by default.")] = False,
    pull_request: Annotated[
        bool, typer.Option("--pull-request", help="Open a pull request instead of changing main.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="List what would be sent; send nothing.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Publish a dataset folder on the Hugging Face Hub, under a tag that follows from its content."""
    from toolscale.dataset.push import check_name
    from toolscale.dataset.push import push as publish
    from toolscale.dataset.release import release
    from toolscale.settings import Settings

    what = release(folder)
    check_name(repo)
    if dry_run:
        files = [{"path": file.path, "bytes": file.size} for file in what.files]
        if as_json:
            say_json({"repository": repo, "version": what.version, "public": public, "files": files})
            return
        for file in what.files:
            say(f"{file.size:>12,}  {file.path}")
        say(f"{what.size:>12,}  bytes in {len(files)} files, {what.tasks} tasks, version {what.version}")
        say(f"would go to {repo} ({'public' if public else 'private'}); nothing was sent")
        return
    endpoint = Settings.load().hub_endpoint
    pushed = publish(what, repo, public=public, pull_request=pull_request, endpoint=endpoint)
    if as_json:
        say_json(asdict(pushed))
        return
    words = {
        "published": "published as",
        "tagged": "was there already and now has its tag",
        "pull request": "is proposed as",
        "unchanged": "is there already, nothing to do:",
    }
    say(f"{what.tasks} tasks in {repo}: {words[pushed.outcome]} {pushed.version}")
    say(pushed.url)
    if pushed.outcome == "pull request":
        say("once it is merged, push again to tag the version")


def export(
    folder: Annotated[Path, _DATASET],
    form: Annotated[Format, typer.Option("--format", help="The format to write.")],
    out: Annotated[Path, typer.Option(help="The folder to write; it must not exist yet, or be empty.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Write a dataset in the format of others."""
    from toolscale.dataset.folder import read_placed

    refuse_full(out)
    match form:
        case "tau2":
            from toolscale.exchange.tau2_export import export_tau2

            report = export_tau2(read_placed(folder), out)
        case "toolscale":
            from toolscale.exchange.published import export_published

            report = export_published(read_placed(folder), out)
        case "openai":
            from toolscale.exchange.chats import export_chats

            report = export_chats(folder, out)
        case "verifiers":
            from toolscale.exchange.verifiers_export import export_verifiers

            report = export_verifiers(read_placed(folder), out)
    _print(report, out, as_json)


def import_(
    where: Annotated[
        str,
        typer.Argument(
            help="tau2: a folder with db.json, tasks.json and tools.py, or a results.json. tau-bench: a folder such as "
            "tau_bench/envs/retail, or a file of trajectories. toolorchestra: a checkout of its code. Others: a file, "
            "folder or OWNER/NAME."
        ),
    ],
    out: Annotated[Path, typer.Option(help="The folder to write; it must not exist yet, or be empty.")],
    form: Annotated[Imported, typer.Option("--format", help="The format to read.")] = "tau2",
    tools: Annotated[Path | None, typer.Option(help="tau2: the folder with tools.py, if it is elsewhere.")] = None,
    split: Annotated[str, typer.Option(help="questions, steps: the split to read from the Hub.")] = "train",
    tasks: Annotated[
        int | None, typer.Option(min=1, help="questions, steps: number to take, drawn by the seed; by default all.")
    ] = None,
    skip: Annotated[
        int, typer.Option(min=0, help="questions, steps: number of that draw to pass over first, as taken before.")
    ] = 0,
    mask: Annotated[
        float, typer.Option(min=0, max=1, help="steps: share of the chats to give random names, as Hammer does.")
    ] = 0.0,
    eval_one_in: Annotated[
        int | None, typer.Option(min=0, help="steps: one chat in so many goes to eval, 0 for none; by default 10.")
    ] = None,
    catalogue: Annotated[
        str,
        typer.Option(
            help="questions, toolorchestra: the set to draw tools from, such as training, or FILE.toml[:SET]."
        ),
    ] = "",
    schedule: Annotated[
        list[str] | None,
        typer.Option(
            help="questions, toolorchestra: price schedule to draw from; may be repeated; else those of training."
        ),
    ] = None,
    preferences: Annotated[
        Path | None, typer.Option(help="questions, toolorchestra: preferences.json, one assigned to each.")
    ] = None,
    descriptions: Annotated[
        Path | None, typer.Option(help="questions, toolorchestra: JSON file of measured model descriptions.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The seed of all that is drawn.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Bring in a domain of others as an environment folder, their trajectories, or questions and chats as task rows."""
    refuse_full(out)
    _refuse_foreign(
        form,
        {
            "--tools": tools,
            "--tasks": tasks,
            "--skip": skip,
            "--mask": mask,
            "--eval-one-in": eval_one_in is not None,
            "--catalogue": catalogue,
            "--schedule": schedule,
            "--preferences": preferences,
            "--descriptions": descriptions,
        },
    )
    found: HiddenInputs | None = None
    match form:
        case "tau2" | "tau-bench":
            report = _domain_or_runs(Path(where), form, out, tools)
            if (out / "functions.json").is_file():
                from toolscale.dataset.hidden_inputs import hidden_inputs_below

                (found,) = hidden_inputs_below(out)
        case "questions":
            from toolscale.exchange.questions_import import import_questions
            from toolscale.exchange.sample import Sample
            from toolscale.instances import instance_options

            options = instance_options(catalogue, schedule or (), preferences, descriptions, seed)
            report = import_questions(where, out, options, split=split, draw=Sample(tasks, skip, seed))
        case "steps":
            from toolscale.exchange.questions_import import import_steps
            from toolscale.exchange.sample import Sample

            draw = Sample(tasks, skip, seed)
            report = import_steps(where, out, split=split, draw=draw, mask=mask, eval_one_in=eval_one_in)
        case "toolorchestra":
            from toolscale.exchange.toolorchestra import import_toolorchestra
            from toolscale.instances import instance_options

            options = instance_options(catalogue, schedule or (), preferences, descriptions, seed)
            report = import_toolorchestra(Path(where), out, options)
    listed = report.list_in(out)
    _print(report, out, as_json, found, listed)


def _domain_or_runs(where: Path, form: Literal["tau2", "tau-bench"], out: Path, tools: Path | None) -> "Report":
    """A folder is a domain, a file holds what somebody recorded of runs."""
    from toolscale.exchange.tau2_import import import_tau2
    from toolscale.exchange.tau2_results import simulations_in
    from toolscale.exchange.tau_bench import import_tau_bench
    from toolscale.exchange.tau_bench_trajectories import trajectories_in
    from toolscale.exchange.trajectories_import import import_trajectories

    if where.is_file():
        return import_trajectories(where, out, simulations_in if form == "tau2" else trajectories_in)
    return import_tau2(where, out, tools) if form == "tau2" else import_tau_bench(where, out)


def refuse_full(out: Path) -> None:
    """Raises UserError for a folder in which something lies already."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UserError(f"{out} is there and not empty; choose another --out")


_READS: dict[Imported, tuple[str, ...]] = {
    "tau2": ("--tools",),
    "tau-bench": (),
    "questions": ("--tasks", "--skip", "--catalogue", "--schedule", "--preferences", "--descriptions"),
    "steps": ("--tasks", "--skip", "--mask", "--eval-one-in"),
    "toolorchestra": ("--catalogue", "--schedule", "--preferences", "--descriptions"),
}


def _refuse_foreign(form: Imported, given: dict[str, object]) -> None:
    """Raises UserError for an option that says nothing about this format: it would be passed over."""
    for option, value in given.items():
        if value and option not in _READS[form]:
            of = " or ".join(each for each, options in _READS.items() if option in options)
            raise UserError(f"{option} is for --format {of}, not {form}; leave it out")


def _print(
    report: "Report", out: Path, as_json: bool, found: "HiddenInputs | None" = None, listed: Sequence[str] = ()
) -> None:
    seen = [found.as_json()] if found else []
    if as_json:
        say_json(asdict(report) | ({"hidden_inputs": seen} if found else {}))
        return
    say(*report.lines(), *listed)
    if found:
        from toolscale.dataset.hidden_inputs import told

        say(*told(seen))
    say(str(out))
