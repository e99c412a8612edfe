"""What the student office offers, by theme."""
