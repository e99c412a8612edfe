"""Answers that are minimal instances of whatever JSON schema is asked for."""
