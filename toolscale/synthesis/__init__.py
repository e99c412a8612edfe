"""The stages: from a domain to verified tasks, one module a stage."""
