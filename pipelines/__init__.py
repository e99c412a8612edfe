"""The factory in Dagster: assets, checks, jobs, sensors and storage. What they compute lives in `toolscale`."""

import warnings

from toolscale.cycles import look_rarely

look_rarely()

# Dagster warns at each use of what may yet change. Without its own partitions an asset check would read those of all
# domains; links to code have no older form; the last is Dagster's own use.
for _used in (
    "Specifying a partitions_def on an AssetCheckSpec",
    r"(Class|Function) `(LocalFileCodeReference|CodeReferencesMetadataValue|link_code_references_to_git)`",
    r"(Class|Function) `(UrlCodeReference|AnchorBasedFilePathMapping|FilePathMapping)`",
    "Parameter `execution_type` of function `AssetsDefinition.__init__`",
):
    warnings.filterwarnings("ignore", message=_used)
