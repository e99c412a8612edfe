"""Episodes of the policy: an engine samples tokens, the sandbox runs calls, many trajectories at once."""
