"""The Berkeley Function Calling Leaderboard, version 3: single turns, several turns, and its overall score.

`BFCL_v<n>_<category>.json` has `id, question, function`, and `possible_answer/` a file of the same name. Multi-turn
rows have `initial_config, involved_classes` in place of functions, which `multi_turn_func_doc/` describes. What has to
run the authors' own code needs their package; `rest`, which asks live services with keys, is left out.
"""

from toolscale.evaluation.benchmarks.bfcl.reading import read_bfcl
from toolscale.evaluation.benchmarks.bfcl.score import leaderboard

__all__ = ["leaderboard", "read_bfcl"]
