"""A data root in object storage: the same command, the same rows, and nothing half-written, on a real S3 server."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipelines.storage import environment_folder, read_rows, rows_file
from toolscale.artifacts import Task
from toolscale.dataset.audit import audit

pytestmark = pytest.mark.slow

BUCKET, ROOT = "factory", "s3://factory/root"


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[dict[str, str]]:
    """The variables that lead every S3 client to a server of this machine, with an empty bucket."""
    pytest.importorskip("s3fs", reason="needs s3fs: pip install -e '.[s3]'")
    pytest.importorskip("moto", reason="needs moto: make test-storage")
    import boto3

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    keys = {"AWS_ACCESS_KEY_ID": "any", "AWS_SECRET_ACCESS_KEY": "any", "AWS_DEFAULT_REGION": "us-east-1"}
    variables = {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}", **keys}
    log = (tmp_path_factory.mktemp("s3") / "log").open("wb")
    process = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)], stdout=log, stderr=log
    )
    try:
        deadline = time.monotonic() + 120
        while socket.socket().connect_ex(("127.0.0.1", port)) != 0:
            assert process.poll() is None, "the server ended"
            assert time.monotonic() < deadline, "the server did not start"
            time.sleep(0.2)
        with pytest.MonkeyPatch.context() as patch:
            for name, value in variables.items():
                patch.setenv(name, value)
            boto3.client("s3").create_bucket(Bucket=BUCKET)
            yield variables
    finally:
        process.terminate()
        process.wait(timeout=30)
        log.close()


def demo(folder: Path, variables: dict[str, str]) -> dict:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("TOOLSCALE_", "DAGSTER_"))}
    settings = {"TOOLSCALE_DATA_ROOT": ROOT, "TOOLSCALE_STORE_URL": f"sqlite:///{folder}/store.db"}
    command = [sys.executable, "-m", "toolscale.cli", "demo", "--domains", "weather", "--tasks-per-domain", "2"]
    done = subprocess.run(
        [*command, "--json"], cwd=folder, env=clean | settings | variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def objects() -> dict[str, str]:
    """Key -> a mark of its content."""
    import boto3

    pages = boto3.client("s3").get_paginator("list_objects_v2").paginate(Bucket=BUCKET)
    return {found["Key"]: found["ETag"] for page in pages for found in page.get("Contents", [])}


def test_a_domain_is_made_in_object_storage_whole_and_once(server, tmp_path):
    made = demo(tmp_path, server)
    there = objects()
    named = {key.removeprefix("root/") for key in there}
    assert {"assets/verified_tasks/weather.parquet", "assets/entries/weather.rejects.parquet"} <= named
    assert {"environments/weather/functions.py", "environments/weather/database.json"} <= named
    assert not [key for key in named if key.rpartition("/")[2].startswith(".")], "files that were to be renamed"
    kept = read_rows(rows_file(ROOT, "verified_tasks", "weather"), Task)
    assert len(kept) == made["domains"]["weather"]["kept"] > 0
    assert environment_folder(ROOT, "weather").exists()

    report = audit(tmp_path / made["dataset"]).as_json()
    assert report["passed"] == report["tasks"] == len(kept)

    assert demo(tmp_path, server)["domains"] == made["domains"]
    assert objects() == there, "nothing had changed, so nothing was written again"
