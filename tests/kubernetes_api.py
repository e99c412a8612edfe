"""A stand-in for Kubernetes' API of jobs, as far as Dagster asks it: what a job's pod would run is run on this machine.

There are no images, volumes or limits; whatever was submitted is kept as it came, to be looked at.
"""

import json
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import yaml

JOBS = "/apis/batch/v1/namespaces/default/jobs"


class KubernetesApi:
    """The jobs that were submitted, by their names, and the processes that they became."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self.jobs: dict[str, dict[str, Any]] = {}
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._folder, self._environment = folder, environment

    def create(self, job: dict[str, Any]) -> None:
        """Begin what the job's only container is to run, with the variables that are spelt out for it."""
        name = job["metadata"]["name"]
        [container] = job["spec"]["template"]["spec"]["containers"]
        told = {each["name"]: each["value"] for each in container["env"] if "value" in each}
        with (self._folder / f"{name}.log").open("wb") as log:
            command = [*container.get("command", ()), *container["args"]]
            kept = {"cwd": self._folder, "env": {**self._environment, **told}, "stdout": log, "stderr": log}
            self._processes[name] = subprocess.Popen(command, **kept)
        self.jobs[name] = job

    def status(self, name: str) -> dict[str, int]:
        """How many pods of a job are in which state."""
        ended = self._processes[name].poll()
        return {"active": 1} if ended is None else {"failed": 1} if ended else {"succeeded": 1}

    def close(self) -> None:
        """End what is still running."""
        for each in self._processes.values():
            each.kill()
            each.wait()

    def logs(self) -> str:
        """The ends of what the pods printed."""
        return "\n".join(f"{name}: {(self._folder / f'{name}.log').read_text()[-1500:]}" for name in self.jobs)


@contextmanager
def kubernetes_api(folder: Path, environment: Mapping[str, str]) -> Iterator[tuple[KubernetesApi, Path]]:
    """The API, served, and the file that tells clients where it is."""
    api = KubernetesApi(folder, environment)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == JOBS, self.path
            job = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            api.create(job)
            self._answer(job)

        def do_GET(self) -> None:
            name = self.path.removeprefix(f"{JOBS}/").removesuffix("/status")
            self._answer({**api.jobs[name], "status": api.status(name)})

        def _answer(self, content: dict[str, Any]) -> None:
            body = json.dumps(content).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield api, _client_file(folder, server.server_port)
    finally:
        server.shutdown()
        server.server_close()
        api.close()


def _client_file(folder: Path, port: int) -> Path:
    file = folder / "kubeconfig"
    known = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "stand-in", "cluster": {"server": f"http://127.0.0.1:{port}"}}],
        "users": [{"name": "nobody", "user": {}}],
        "contexts": [{"name": "stand-in", "context": {"cluster": "stand-in", "user": "nobody"}}],
        "current-context": "stand-in",
    }
    file.write_text(yaml.dump(known))
    return file
