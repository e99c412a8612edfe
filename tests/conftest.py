"""What holds for all tests."""

import os

from hypothesis import HealthCheck, settings

# How long an example takes says how busy the machine is, not whether a law holds. CI tries the same examples each time.
settings.register_profile(
    "shared machine",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=bool(os.environ.get("CI")),
)
settings.load_profile("shared machine")
