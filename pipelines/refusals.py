"""A refusal as a run's page shows it: one sentence in the words of the launchpad, and no trace over it."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import dagster as dg
from pydantic import ValidationError

from pipelines.dagster_internals import DagsterUserCodeProcessError, SerializableErrorInfo
from toolscale.errors import UserError
from toolscale.printable import printable

FIELDS = {"repo": "repository", "out": "dataset"}
"""Option of a command -> field of the launchpad, where that is more than another way to write it."""

_OPTION = re.compile(r"`[^`]*`|(?<![^\s(])--([a-z][a-z-]*)")
"""What stands in backticks, such as a command, and stays as it is; or an option."""

_VARIABLE = re.compile(r"\b(?:(?:TOOLSCALE|HF)_[A-Z_*]+|[A-Z0-9_]+_(?:KEY|TOKEN|API_BASE|BASE_URL))")

RELOAD = "Variables stand in `.env`; after a change there, press *Reload definitions*."


class Refusal(DagsterUserCodeProcessError, dg.Failure):  # noqa: N818 - it is no error of the program
    """The end of a run, or of a stage, that somebody can do something about; no retry would help.

    Dagster shows of an error from another process what that process told, which is how the page gets the sentence
    alone: where it was raised helps nobody to mend a launchpad.
    """

    def __init__(self, sentence: str, metadata: Mapping[str, Any] | None = None, said: str = "") -> None:
        self.said = said or sentence
        """The sentence in the words of whoever raised it, which are the command line's."""
        super().__init__(  # type: ignore[no-untyped-call]
            sentence,
            metadata,
            allow_retries=False,
            user_code_process_error_infos=[SerializableErrorInfo(sentence, [], None)],
        )


class AnotherTry(DagsterUserCodeProcessError, dg.RetryRequested):  # noqa: N818 - nor is this one
    """The end of a try after which the same may well succeed; the run's page has its sentence as it has a refusal's."""

    def __init__(self, error: Exception, tries: int, seconds: float) -> None:
        said = in_the_launchpads_words(printable(str(error)))
        self.sentence = f"{said.removesuffix('.')}. It is tried again in {seconds:g} seconds."
        super().__init__(  # type: ignore[no-untyped-call]
            tries, seconds, user_code_process_error_infos=[SerializableErrorInfo(self.sentence, [], None)]
        )

    def __str__(self) -> str:
        return self.sentence


def refusal(error: Exception, metadata: Mapping[str, Any] | None = None) -> Refusal:
    """What a user's error, or a model that could not be had, is in Dagster."""
    said = printable(str(error))
    return Refusal(in_the_launchpads_words(said), metadata, said)


@contextmanager
def refused_in_words() -> Iterator[None]:
    """Whatever a user can mend becomes a refusal, also where a value did not fit its field.

    Raises:
        Refusal: it was raised within.
    """
    try:
        yield
    except UserError as error:
        raise refusal(error) from error
    except ValidationError as error:
        raise refusal(UserError(_of_the_first_field(error))) from error


def in_the_launchpads_words(sentence: str) -> str:
    """A sentence that was written for the command line, with fields in the place of options."""
    told = _OPTION.sub(lambda found: f"`{field_of(found[1])}`" if found[1] else found[0], sentence)
    if not _VARIABLE.search(told):
        return told
    return f"{told}{'' if told.endswith('.') else '.'} {RELOAD}"


def field_of(option: str) -> str:
    """The launchpad's field for an option of a command, without its hyphens."""
    return FIELDS.get(option, option.replace("-", "_"))


def _of_the_first_field(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False)[0]
    field = ".".join(map(str, first["loc"]))
    told = first["msg"].removeprefix("Value error, ").replace("Input should", "it should")
    return f"`{field}` is {first['input']!r}, but {told}: change it in the launchpad"
