"""The errors a user can do something about."""


class UserError(Exception):
    """Something is wrong with what the user gave: one line that says what, where, and what to do.

    The command line prints it alone and exits with status 2; a Dagster asset turns it into a failure without retries.
    """
