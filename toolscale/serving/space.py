"""A folder that `openenv push` makes a Space of: the tasks, and the server in front of them."""

import shutil
from importlib.metadata import version
from pathlib import Path

from toolscale.errors import UserError
from toolscale.input_files import files_in
from toolscale.serving.tasks import load_tasks, local_folder
from toolscale.whole import whole_folder

TOKEN = "TOOLSCALE_TOKEN"
"""The secret of the Space that clients must send: whoever may reset a task may read how it is judged."""

_PARTS = ("README.md", "about.json", "tasks", "environments")
"""Of a dataset: what is served."""

_MANIFEST = """\
spec_version: 1
name: toolscale
type: space
runtime: fastapi
app: server.app:app
port: 8000
"""

_PROJECT = """\
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "openenv-toolscale"
version = "0.1.0"
requires-python = ">=3.11"
dependencies = ["openenv>=0.10", "toolscale[openenv]=={version}"]

[project.scripts]
server = "toolscale_env.server.app:main"

[tool.setuptools]
packages = ["toolscale_env", "toolscale_env.server"]
package-dir = {{ "toolscale_env" = ".", "toolscale_env.server" = "server" }}
"""

# The web page of the package would be one more door, and it cannot send a token.
_DOCKERFILE = """\
FROM python:3.11-slim

# libseccomp: the sandbox in which the functions run.
RUN apt-get update && apt-get install --yes --no-install-recommends libseccomp2 && rm -rf /var/lib/apt/lists/*
# A wheel of toolscale in this folder is taken before a release.
COPY README.md *.whl /wheels/
RUN pip install --no-cache-dir --find-links /wheels 'toolscale[openenv]=={version}'

RUN useradd --create-home --uid 1000 user
USER user
WORKDIR /home/user/space
COPY --chown=user . .

EXPOSE 8000
ENV ENABLE_WEB_INTERFACE=false
CMD ["python", "-m", "server.app"]
"""

_README = """\
---
title: ToolScale
emoji: 🧰
colorFrom: blue
colorTo: green
sdk: docker
pinned: false
app_port: 8000
tags:
  - openenv
  - toolscale
---

# {count} tool-use tasks

Served by [ToolScale](https://pypi.org/project/toolscale/) over OpenEnv: the functions run in a sandbox, and programs
judge the outcome. Clients send the token that the Space has as the secret `{token}`.

```python
from toolscale.serving.openenv_door import ToolScaleEnv

headers = {{"Authorization": f"Bearer {{token}}"}}
with ToolScaleEnv(base_url="https://OWNER-NAME.hf.space", headers=headers).sync() as env:
    print(env.reset(seed=0).observation.instruction)
```

The files of the Space have the golden calls, as the dataset has: who can read it can read them.
"""

_APP = '''\
"""The server of this Space."""

from pathlib import Path

import uvicorn

from toolscale.serving.http import app_of_a_space

app = app_of_a_space(Path(__file__).parents[1] / "data")


def main() -> None:
    uvicorn.run(app, host="0.0.0.0", port=8000, ws_max_size=4 << 20)


if __name__ == "__main__":
    main()
'''

_CLIENT = 'from toolscale.serving.openenv_door import ToolScaleEnv\n\n__all__ = ["ToolScaleEnv"]\n'
_MODELS = (
    "from toolscale.serving.openenv_door import ToolAction, ToolCall, ToolObservation, ToolState\n\n"
    '__all__ = ["ToolAction", "ToolCall", "ToolObservation", "ToolState"]\n'
)


def write_space(path: str, folder: Path) -> int:
    """Write the Space of a dataset or an environment folder, and say how many tasks it serves.

    Raises:
        UserError: there is nothing to serve, or the folder is there already.
    """
    if folder.exists():
        raise UserError(f"{folder} is there already: name a new folder with --write-space, or remove it")
    count, source = len(load_tasks(path)), local_folder(path)
    here = {"version": version("toolscale"), "count": f"{count:,}", "token": TOKEN}
    files = {
        "openenv.yaml": _MANIFEST,
        "pyproject.toml": _PROJECT.format(**here),
        "Dockerfile": _DOCKERFILE.format(**here),
        "README.md": _README.format(**here),
        "__init__.py": "",
        "client.py": _CLIENT,
        "models.py": _MODELS,
        "server/__init__.py": "",
        "server/app.py": _APP,
    }
    with whole_folder(folder) as made:
        (made / "server").mkdir()
        for name, text in files.items():
            (made / name).write_text(text, encoding="utf-8")
        _copy(source, made / "data")
    return count


def _copy(source: Path, target: Path) -> None:
    of_a_dataset = (source / "tasks").is_dir()
    for file in files_in(source, deep=True):
        place = file.relative_to(source)
        if "__pycache__" in place.parts or (of_a_dataset and place.parts[0] not in _PARTS):
            continue
        (target / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target / place)
