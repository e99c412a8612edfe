"""`report.html` of a training: its curves, and every rollout to look at. One file, which needs no network."""
