"""The same tests on SQLite and, marked `postgres`, on Postgres."""

from tests.store.conftest import database, postgres

__all__ = ["database", "postgres"]
