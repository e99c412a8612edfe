"""Traces: the ledger's calls, found and read one by one."""

from toolscale.traces.ledger import Filters, call_of, calls, line_of, whole_call

__all__ = ["Filters", "call_of", "calls", "line_of", "whole_call"]
