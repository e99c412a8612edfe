"""Episodes: a user, an agent and an environment, and the trajectory they leave."""
