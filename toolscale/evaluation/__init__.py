"""Benchmarks, run with an orchestrator and a catalogue, and what they came to (paper, sections 4 and 6).

`toolscale evaluate BENCH` is `evaluation.run.evaluate`; docs/evaluation.md says what it writes.
"""
