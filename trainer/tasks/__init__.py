"""What a policy is trained on: exercises from datasets, in which order, and how likely each is drawn."""
