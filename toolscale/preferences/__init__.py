"""What users may prefer, and the vector that it comes to."""
