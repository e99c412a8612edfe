"""What the weather service offers, as the sandbox reads it."""
