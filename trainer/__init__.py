"""GRPO and PPO on the factory's tasks: rollouts in its environments, verdicts as rewards, an orchestrator at the end.

Reads a dataset's Parquet, plays episodes with vLLM (or transformers) token in and token out, scores them with
`toolscale.checkers` and `toolscale.rewards`, and updates the policy with torch. Nothing in `toolscale` imports it.
"""
