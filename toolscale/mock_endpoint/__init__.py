"""A test double for endpoints: an OpenAI-compatible HTTP server before any function that answers.

Its switches are whatever an endpoint can do wrong.
"""

from toolscale.mock_endpoint.app import MockEndpoint
from toolscale.mock_endpoint.faults import BATCH_FAULTS, FAULTS, BatchFault, Fault
from toolscale.mock_endpoint.switches import Switches, batch_rates_from, latency_from
from toolscale.openai_api.chat import Answer, ChatRequest
from toolscale.openai_api.process import serve

__all__ = [
    "BATCH_FAULTS",
    "FAULTS",
    "Answer",
    "BatchFault",
    "ChatRequest",
    "Fault",
    "MockEndpoint",
    "Switches",
    "batch_rates_from",
    "latency_from",
    "serve",
]
