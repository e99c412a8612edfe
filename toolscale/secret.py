"""Secrets that whoever asks a server of ours must show. Each is in an environment variable, and nowhere else."""

import os

from toolscale.errors import UserError


def secret_in(variable: str, named_by: str) -> str:
    """The secret that an environment variable holds; `named_by` says where a user named the variable.

    Raises:
        UserError: the variable is not set, or empty.
    """
    secret = os.environ.get(variable, "").strip()
    if not secret:
        raise UserError(f"{named_by}: the environment variable {variable} is not set; put the secret there")
    return secret
