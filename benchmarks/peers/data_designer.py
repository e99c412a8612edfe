"""NeMo Data Designer on the same calls, run by its own interpreter: ``python data_designer.py BASE_URL ROWS AT_ONCE``.

Prints ``{"seconds": ..., "answered": ...}``; whoever starts it measures its CPU. One column of text, as it asks for
typed answers in the prompt, which the server does not read; the runs are not stopped at a share of errors.
"""

import json
import os
import sys
import tempfile
import time

base_url, rows, at_once = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
folder = tempfile.TemporaryDirectory()
os.environ.update(NEMO_TELEMETRY_ENABLED="false", DATA_DESIGNER_HOME=folder.name)

# Run as a script, this file's folder comes first on the path, and its own name is the library's.
sys.path.pop(0)

import data_designer.config as dd  # noqa: E402 - it reads the variables when it is imported
from data_designer.interface import DataDesigner  # noqa: E402

model = dd.ModelConfig(
    alias="model",
    model="reference",
    provider="server",
    inference_parameters=dd.ChatCompletionInferenceParams(max_parallel_requests=at_once, timeout=60),
    skip_health_check=True,
)
columns = dd.DataDesignerConfigBuilder(model_configs=[model])
columns.add_column(dd.SamplerColumnConfig(name="number", sampler_type="uuid", params=dd.UUIDSamplerParams()))
columns.add_column(
    dd.LLMTextColumnConfig(
        name="passenger",
        model_alias="model",
        system_prompt="Look before you book; never change a ticket that was not asked for. " * 10,
        prompt="Passenger {{ number }} of the morning train from Leeds to York, with stations.",
    )
)
designer = DataDesigner(
    artifact_path=folder.name,
    model_providers=[dd.ModelProvider(name="server", endpoint=base_url, provider_type="openai", api_key="none")],
    auto_configure_logging=False,
)
designer.set_run_config(dd.RunConfig(disable_early_shutdown=True, max_in_flight_tasks=max(1024, at_once)))
started = time.perf_counter()
answered = len(designer.create(columns, num_records=rows).load_dataset())
print(json.dumps({"seconds": time.perf_counter() - started, "answered": answered}))
