"""What every rollout of a training was, one Parquet file a step: for people, DuckDB and pandas to look at."""
