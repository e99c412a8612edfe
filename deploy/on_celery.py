"""Celery as the executor of a domain's steps, over the broker that `celery.yaml` beside this file names.

With this folder on PYTHONPATH, `TOOLSCALE_EXECUTOR=on_celery:executor` chooses it.
"""

from pathlib import Path

import yaml
from dagster_celery import celery_executor

executor = celery_executor.configured(
    yaml.safe_load(Path(__file__).with_name("celery.yaml").read_text())["execution"]["config"], name="celery"
)
