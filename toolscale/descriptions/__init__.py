"""What an orchestrator is told of each model, written from that model's own attempts."""
