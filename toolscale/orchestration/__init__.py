"""Orchestration: a catalogue of tools (functions, search, code, models), their prices, and who makes use of them."""
