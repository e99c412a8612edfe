"""Datasets and environments in the formats of others, out and in."""
