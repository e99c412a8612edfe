"""What the shop offers."""
