"""Which tools and models may be offered, what they cost and how long they take, and how they are opened."""
