"""What would end a run late is found out before it begins."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import get_args

from pipelines.assets.release import local_folder
from pipelines.assets.stage import OVER_ALL, STAGES
from pipelines.domains import described, domain_file, refuse_switched_off
from pipelines.factory import Factory
from toolscale.artifacts import Domain
from toolscale.dataset.splits import held_out_domains
from toolscale.dataset.writer import refuse_foreign
from toolscale.errors import UserError
from toolscale.llm.endpoints import see_that_it_can_be_asked
from toolscale.llm.prices import Prices
from toolscale.llm.providers import is_ours, provider_name
from toolscale.reference.domain import reference_domain
from toolscale.settings import Settings
from toolscale.stages import Role


def refuse_early(domains: Sequence[Domain], factory: Factory) -> None:
    """Find out before the run what would end it late.

    Raises:
        UserError: it could not run to its end, for a reason that a user can mend.
    """
    if not domains:
        raise UserError("no domain is named; name some with --domains railway,restaurant")
    names = [domain.name for domain in domains]
    if len(set(names)) < len(names):
        raise UserError(f"a domain is named twice in {','.join(names)}; name each once")
    held_out_domains(names, factory.hold_out)
    factory.instances()
    if "://" not in factory.data_root and Path(factory.data_root).is_file():
        raise UserError(f"{factory.data_root} is a file: set TOOLSCALE_DATA_ROOT to a folder")
    settings = factory.settings()
    _refuse_unknown_pass_rate(factory, settings)
    for domain in domains:
        refuse_switched_off(factory.data_root, domain.name, or_proposed=factory.release_proposed)
        refuse_unknown_offline(domain, factory.data_root, settings)
    _refuse_unaskable(get_args(Role), settings)
    refuse_foreign(local_folder(factory.dataset))


def refuse_steps(steps: Collection[str], domain: str | None, factory: Factory) -> None:
    """Find out before the first step of a run of Dagster's what would end a later one.

    Raises:
        UserError: a step asks a model that cannot be asked, or could not end for another reason that a user can mend.
    """
    recipes = {**STAGES, **OVER_ALL}
    roles = dict.fromkeys(role for step in steps if step in recipes for role in recipes[step].asks)
    if not roles:
        return
    settings = factory.settings()
    if domain is not None:
        _refuse_unknown_pass_rate(factory, settings)
        refuse_switched_off(factory.data_root, domain)
        if found := described(factory.data_root, domain):
            refuse_unknown_offline(found, factory.data_root, settings)
    _refuse_unaskable(tuple(roles), settings)


def _refuse_unknown_pass_rate(factory: Factory, settings: Settings) -> None:
    wanted = factory.wanted(settings)
    if wanted and wanted.pass_rate and settings.attempts_stop == "first_success":
        raise UserError(
            "a wanted pass rate is not known of tasks whose attempts end with the first success: set `attempts_stop` "
            "to `certain` or `never`"
        )


def _refuse_unaskable(roles: Sequence[Role], settings: Settings) -> None:
    """See that the models of these roles have an address, a key and a price."""
    for role in roles:
        answering = settings.for_role(role)
        see_that_it_can_be_asked(answering.model, answering.api_base)
    prices = Prices(settings.prices)
    for role in roles:
        prices.look_up(settings.for_role(role).model)


def refuse_unknown_offline(domain: Domain, data_root: str, settings: Settings) -> None:
    """See that the offline model, where it is the teacher, knows this very domain and not another of its name.

    Raises:
        UserError: it knows none of that name, or one of another description.
    """
    if not is_ours(settings.for_role("teacher").model):
        return
    known = reference_domain(domain.name).domain
    if domain.description != known.description:
        file = domain_file(data_root, domain.name)
        instead = f"remove {file}" if file.exists() else "leave the description out"
        raise UserError(
            f"the offline model has a domain `{domain.name}` of its own ({known.description!r}) and would answer for "
            f"that one: {instead} to take it, or name a real model for yours: --model openai/gpt-5-mini"
        )


def offline_answers(settings: Settings) -> str:
    """A line that says for which roles the offline model answers; empty if for none."""
    roles = get_args(Role)
    offline = [role for role in roles if provider_name(settings.for_role(role).model) == "offline"]
    if not offline:
        return ""
    which = "every role" if len(offline) == len(roles) else ", ".join(offline)
    return f"Answered by the offline model, not by a real one: {which}."
