"""`python -m toolscale.cli` is `toolscale`."""

from toolscale.cli import main

main()
