"""What runs in the sandbox's own process: the standard library only, never the rest of toolscale.

``template`` is the trusted, warm process of one environment. Each ``trajectory`` is a fork of it that is closed off by
``isolation`` and then serves calls with ``serving``, over the database of ``access`` and the time of ``clock``, with
what functions must not find ``hidden``.
"""
