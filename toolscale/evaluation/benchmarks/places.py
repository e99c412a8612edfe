"""Where a benchmark's data lies: a path of the user's, or the Hub's client's cache."""

from pathlib import Path

from toolscale.errors import UserError
from toolscale.evaluation.benchmarks import Benchmark


def place_of(benchmark: Benchmark, data: str = "") -> Path:
    """The folder or file with the data; fetched from the Hub where `data` is no path, once.

    Args:
        benchmark: whose data.
        data: a path, or a repository on the Hub (owner/name) with the same files; empty = the benchmark's own.

    Raises:
        UserError: it is not there, or the Hub does not give it.
    """
    if benchmark.own_data:
        return Path(data)
    if data and Path(data).exists():
        return Path(data)
    repository = data or benchmark.source
    if not repository:
        raise UserError(
            f"name the data of {benchmark.title} with --data, such as a folder that `toolscale build` wrote"
        )
    if data and (data.count("/") != 1 or data.startswith((".", "/", "~"))):
        raise UserError(f"there is no {data}: --data is a path, or a repository on the Hub as owner/name")
    otherwise = "or download it yourself and name the folder with --data"
    return Path(fetched_from_hub(repository, list(benchmark.files), otherwise))


def fetched_from_hub(repository: str, files: list[str], otherwise: str) -> str:
    """The folder with these files of a dataset on the Hub, in its client's cache; all files where none is named.

    Raises:
        UserError: the Hub does not give it; `otherwise` ends the sentence with what else can be done.
    """
    import httpx
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import (
        GatedRepoError,
        HfHubHTTPError,
        HFValidationError,
        LocalEntryNotFoundError,
        OfflineModeIsEnabled,
        RepositoryNotFoundError,
    )

    try:
        return snapshot_download(repository, repo_type="dataset", allow_patterns=files or None)
    except GatedRepoError:
        raise UserError(
            f"{repository} is gated: accept its terms on its Hub page, set HF_TOKEN to your token, {otherwise}"
        ) from None
    except (RepositoryNotFoundError, HFValidationError):
        raise UserError(
            f"the Hub has no dataset {repository} for you: check the name and HF_TOKEN, {otherwise}"
        ) from None
    except (LocalEntryNotFoundError, OfflineModeIsEnabled, HfHubHTTPError, httpx.HTTPError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise UserError(f"{repository} is not available from the Hub ({reason}): try again, {otherwise}") from None
