"""The resource `factory` as the launchpad takes it, which refuses before the first stage what would end a run late."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from enum import Enum
from typing import Any

import dagster as dg

from pipelines.alone import alone
from pipelines.dagster_internals import PARTITION_NAME_TAG
from pipelines.factory import Factory
from pipelines.launchpad import with_options
from pipelines.preflight import refuse_steps
from pipelines.refusals import refused_in_words
from toolscale.errors import UserError
from toolscale.run_options import RunOptions
from toolscale.settings import Settings


@with_options(*RunOptions.model_fields)
class RunConfig(dg.ConfigurableResource[Factory]):
    """What may be chosen for a run in the launchpad. The data root may not: all runs share it."""

    def __init__(self, **given: Any) -> None:
        with refused_in_words():
            super().__init__(**given)

    @contextmanager
    def yield_for_execution(self, context: dg.InitResourceContext) -> Iterator[Factory]:
        """The factory for a run, which is the only one to make its domain.

        Where a setting gives each step a process of its own, no process lasts as long as the run, and Dagster's queue
        alone keeps others away.

        Raises:
            Refusal: the run could not go to its end, for a reason that a user can mend.
        """
        with ExitStack() as held:
            with refused_in_words():
                factory = self.create_resource(context)
                if context.run:
                    domain = context.run.tags.get(PARTITION_NAME_TAG)
                    refuse_steps(context.run.step_keys_to_execute or (), domain, factory)
                    held.enter_context(alone(factory.data_root, [domain] if domain and not _isolated() else []))
            yield factory

    def create_resource(self, context: dg.InitResourceContext) -> Factory:
        """The factory, with the settings of the working directory where nothing was chosen.

        Raises:
            UserError: what was chosen is not possible.
        """
        if self.release_proposed:  # type: ignore[attr-defined]
            raise UserError(
                "`release_proposed` is of `toolscale synthesize --all`: runs of Dagster make the partitions that they "
                "were launched for; leave it out"
            )
        chosen = {name: getattr(self, name) for name in type(self).model_fields}
        plain = {name: value.value if isinstance(value, Enum) else value for name, value in chosen.items()}
        return Factory.of(Settings.load(), **{name: value for name, value in plain.items() if value is not None})


def _isolated() -> bool:
    """Whether a setting gives each step a process of its own."""
    return bool(Settings.load().executor)
