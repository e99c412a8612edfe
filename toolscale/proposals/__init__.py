"""Domains that a model proposes: where they are wanted, what a sound one is, and which are too near to another."""
