"""The training demo: a small model, a tiny domain of short tasks, and the whole trainer in some ten minutes.

`python -m trainer.demo`, or `make train-demo`.
"""
