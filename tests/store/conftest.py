"""Stores in SQLite; and, where tests marked `postgres` are asked for, the same tests on a server of their own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.postgres import Server, running_server


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running_server() as server:
        yield server


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/toolscale.db"
    return request.getfixturevalue("postgres").new_database()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where a store in SQLite may lie."""
    return tmp_path / "toolscale.db"
