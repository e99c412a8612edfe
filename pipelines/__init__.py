"""The factory in Dagster: assets, checks, jobs, sensors and storage. What they compute lives in `toolscale`."""

import warnings

# Without its own partitions an asset check would read those of all domains; Dagster warns that this may yet change.
warnings.filterwarnings("ignore", message="Specifying a partitions_def on an AssetCheckSpec")
