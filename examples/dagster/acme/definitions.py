"""All that lies in `defs/`: the component ToolScaleDomains and assets of our own."""

from pathlib import Path

import dagster as dg


@dg.definitions
def defs() -> dg.Definitions:
    """What `dg dev` loads."""
    return dg.load_from_defs_folder(path_within_project=Path(__file__).parent)
