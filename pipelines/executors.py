"""What runs the steps of a domain's run: this process by default, or an executor that a setting names."""

from importlib import import_module

import dagster as dg

from toolscale.errors import UserError


def executor(chosen: str) -> dg.ExecutorDefinition:
    """The executor of a setting such as `dagster:multiprocess_executor` or `dagster_celery:celery_executor`.

    Empty means the run's own process, which is quickest: the stages are asynchronous, and a process a step costs
    seconds.

    Raises:
        UserError: there is no such executor.
    """
    if not chosen:
        return dg.in_process_executor
    module, _, name = chosen.partition(":")
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError):
        raise UserError(
            f"setting `executor`: {chosen} cannot be imported; write module:name, such as "
            "dagster_celery:celery_executor, and install the package that has it"
        ) from None
    if not isinstance(found, dg.ExecutorDefinition):
        raise UserError(f"setting `executor`: {chosen} is no executor of Dagster's")
    return found
