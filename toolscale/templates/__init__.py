"""Templates that word a request and read it back: of the reference domains, and of task programs."""
