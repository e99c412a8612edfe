"""The offline model as an OpenAI-compatible HTTP server, with switches for whatever an endpoint can do wrong."""

from toolscale.reference.server.app import OfflineServer
from toolscale.reference.server.faults import BATCH_FAULTS, FAULTS, BatchFault, Fault
from toolscale.reference.server.serving import serve
from toolscale.reference.server.switches import Switches, batch_rates_from, key_from, latency_from

__all__ = [
    "BATCH_FAULTS",
    "FAULTS",
    "BatchFault",
    "Fault",
    "OfflineServer",
    "Switches",
    "batch_rates_from",
    "key_from",
    "latency_from",
    "serve",
]
