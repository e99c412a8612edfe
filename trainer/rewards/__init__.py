"""What a rollout earns: the parts of R, advantages in a group, and what is not learnt from."""
