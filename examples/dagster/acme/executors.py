"""Where the steps of a run go: on this machine, two processes at a time. A cluster's executor is configured alike."""

import dagster as dg

two_at_a_time = dg.multiprocess_executor.configured({"max_concurrent": 2}, name="two_at_a_time")
