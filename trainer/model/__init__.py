"""The models that learn: policy and critic, their adapters, and how they read packed sequences."""
