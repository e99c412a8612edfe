"""What a training takes, said before it begins: memory on each device, and room on disk."""
