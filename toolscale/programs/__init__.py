"""Task programs at work: drawn and solved in the sandbox, put into words, composed for one user."""

from toolscale.programs.workshop import Dead, Solution, Workshop

__all__ = ["Dead", "Solution", "Workshop"]
