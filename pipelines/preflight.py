"""What would end a run late is found out before it begins."""

from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from pipelines.assets.release import local_folder
from pipelines.factory import Factory
from toolscale.dataset.splits import held_out_domains
from toolscale.dataset.writer import refuse_foreign
from toolscale.errors import UserError
from toolscale.llm.endpoints import see_that_it_can_be_asked
from toolscale.llm.prices import Prices
from toolscale.llm.providers import is_ours
from toolscale.reference.domain import reference_domain
from toolscale.stages import Role


def refuse_early(domains: Sequence[str], factory: Factory) -> None:
    """Find out before the run what would end it late.

    Raises:
        UserError: it could not run to its end, for a reason that a user can mend.
    """
    if not domains:
        raise UserError("no domain is named; name some with --domains railway,restaurant")
    if len(set(domains)) < len(domains):
        raise UserError(f"a domain is named twice in {','.join(domains)}; name each once")
    held_out_domains(domains, factory.hold_out)
    if "://" not in factory.data_root and Path(factory.data_root).is_file():
        raise UserError(f"{factory.data_root} is a file: set TOOLSCALE_DATA_ROOT to a folder")
    settings = factory.settings()
    wanted = factory.wanted(settings)
    if wanted and wanted.pass_rate and settings.attempts_stop == "first_success":
        raise UserError(
            "a wanted pass rate is not known of tasks whose attempts end with the first success: set `attempts_stop` "
            "to `certain` or `never`"
        )
    if is_ours(settings.for_role("teacher").model):
        for domain in domains:
            reference_domain(domain)
    for role in get_args(Role):
        answering = settings.for_role(role)
        see_that_it_can_be_asked(answering.model, answering.api_base)
    prices = Prices(settings.prices)
    for role in get_args(Role):
        prices.look_up(settings.for_role(role).model)
    refuse_foreign(local_folder(factory.dataset))
