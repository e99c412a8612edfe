"""The routing demo: a small model learns which of two simulated experts to ask, by what a right answer costs.

`python -m trainer.route_demo`, or `make route-demo`. The experts are programs of stated skill, not language models.
"""
