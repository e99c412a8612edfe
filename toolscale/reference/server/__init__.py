"""The offline model as an OpenAI-compatible HTTP server, with switches for whatever an endpoint can do wrong."""

from toolscale.reference.server.faults import FAULTS, Fault
from toolscale.reference.server.serving import serve
from toolscale.reference.server.switches import Switches, key_from, latency_from

__all__ = ["FAULTS", "Fault", "Switches", "key_from", "latency_from", "serve"]
