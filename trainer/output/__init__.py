"""What a training leaves in its folder: metrics, checkpoints, and the model."""
