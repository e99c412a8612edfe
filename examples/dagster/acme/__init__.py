"""A Dagster project of its own that has ToolScale's chain among its definitions."""
