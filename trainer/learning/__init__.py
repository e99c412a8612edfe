"""How a policy changes: batches of rewarded rollouts, losses, the update of GRPO or PPO, and the warm start before."""
