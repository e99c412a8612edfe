"""The orchestrator's demo: a small model learns what to do itself, when to ask, and whom, as its user prefers.

`python -m trainer.orchestrator_demo`, or `make orchestrate-demo`. The tasks are a domain's, with functions; beside them
stand two simulated experts, which are programs of stated skill, not language models.
"""
