"""The assets, one module a group. Each runs the stage of its name and adds metadata."""
