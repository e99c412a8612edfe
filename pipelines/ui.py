"""`make ui`: Dagster's development server, and the page to start at as soon as it is there."""

import argparse
import os
import signal
import socket
import subprocess
import sys
import time
import webbrowser
from contextlib import closing
from pathlib import Path
from types import FrameType

from dotenv import load_dotenv

from pipelines.links import asset_at
from toolscale.errors import UserError
from toolscale.terminal import say

HOST = "127.0.0.1"


def main() -> int:
    """Serve until Ctrl-C; the exit status."""
    asked = argparse.ArgumentParser(prog="make ui", description=__doc__)
    asked.add_argument("--port", type=int, default=3000)
    port: int = asked.parse_args().port
    try:
        refuse_taken(port)
    except UserError as error:
        say(str(error), error=True)
        return 2
    load_dotenv(".env")  # dg looks there at its start whether the instance wants its telemetry
    say("Starting Dagster. It loads the definitions (half a minute), then serves until Ctrl-C.")
    if _is_linked(home := Path(os.environ.get("DAGSTER_HOME", ""))):
        say(f"It warns that it does not use the dagster.yaml here. It does: the one in {home} is a link to it.")
    environment = {**os.environ, "VIRTUAL_ENV": sys.prefix}  # else dg doubts that it is the right one
    dg = Path(sys.executable).with_name("dg")
    signal.signal(signal.SIGINT, _left_to_the_server)
    with subprocess.Popen([dg, "dev", "--host", HOST, "--port", str(port)], env=environment) as server:
        signal.signal(signal.SIGTERM, lambda number, frame: server.terminate())
        while server.poll() is None and not _listens(port):
            time.sleep(0.2)
        if server.poll() is None:
            _show(f"http://{HOST}:{port}{asset_at('start_here')}")
        return server.wait()


def refuse_taken(port: int) -> None:
    """See that nobody listens at a port of this machine.

    Raises:
        UserError: somebody does.
    """
    if _listens(port):
        raise UserError(
            f"port {port} is taken, perhaps by another `make ui`: stop that one, or choose another port, as in "
            f'`make ui ARGS="--port {port + 1}"`'
        )


def _listens(port: int) -> bool:
    with closing(socket.socket()) as client:
        return client.connect_ex((HOST, port)) == 0


def _is_linked(home: Path) -> bool:
    """Whether the settings of the instance are the file here, of which dg sees only that it lies elsewhere."""
    linked = home / "dagster.yaml"
    return linked.is_symlink() and linked.resolve() == Path("dagster.yaml").resolve()


def _show(page: str) -> None:
    """Say where to start, and open it where there is a screen: without one, a browser would run in this terminal."""
    say("", f"Dagster is there. Start at {page}", "")
    if sys.platform == "darwin" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        webbrowser.open(page)


def _left_to_the_server(number: int, frame: FrameType | None) -> None:
    """Ctrl-C reaches the server too. It is not ignored here, as the server would inherit that, and Dagster takes what
    SIGINT does for SIGTERM as well: one that was begun in a shell's background, where SIGINT is ignored, never ended.
    """


if __name__ == "__main__":
    sys.exit(main())
