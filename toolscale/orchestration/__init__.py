"""An orchestrator at work: a model that solves a question with the tools of a catalogue."""
