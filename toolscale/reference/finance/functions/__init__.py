"""What the bank's customer service can do."""
