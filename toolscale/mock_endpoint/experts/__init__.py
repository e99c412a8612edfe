"""Simulated experts: programs that stand in for models of stated skill, price and speed. They are no language models.

They answer the questions that `quiz` makes, rightly as often as their skill says, so that routing between models can be
trained and measured where no model is paid for.
"""
