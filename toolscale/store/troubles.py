"""What went wrong with a database, in one line: what, where, what to do."""

from sqlalchemy.engine import URL


def explain(error: Exception, location: URL) -> str:
    """The line for an error of the driver, without SQLAlchemy's statement and parameters, which may be long."""
    cause = getattr(error, "orig", None) or error
    code = "_".join(getattr(cause, "sqlite_errorname", "").split("_")[:2])  # SQLITE_IOERR_WRITE is an SQLITE_IOERR
    said, advice = " ".join(str(cause).split()), _ADVICE.get(code, "mend that and run again")
    if _is_nonsense(cause):
        advice = DAMAGED
    return f"{said}; {advice.format(file=location.database)}"


def _is_nonsense(cause: BaseException) -> bool:
    """Whether what was read cannot have been written so: SQLite itself notices damage to its pages, not to a text."""
    unwritten = isinstance(cause, UnicodeEncodeError)
    return (isinstance(cause, ValueError) and not unwritten) or "Could not decode to UTF-8" in str(cause)


DAMAGED = (
    "the file is damaged: `toolscale cache salvage` reads what can still be read "
    "into a new one; or move {file} away to start anew"
)

_ADVICE = {
    "SQLITE_FULL": "make room on the disk of {file} and run again: what was committed is kept",
    "SQLITE_IOERR": "see that the disk of {file} is there, has room and is sound, and run again: what was committed "
    "is kept",
    "SQLITE_BUSY": "another program holds {file}: wait for it or end it, and run again",
    "SQLITE_LOCKED": "another program holds {file}: wait for it or end it, and run again",
    "SQLITE_READONLY": "{file} or its folder may not be written: change its rights, or set TOOLSCALE_STORE_URL to "
    "another place",
    "SQLITE_CANTOPEN": "see that the folder of {file} is there and may be written, or set TOOLSCALE_STORE_URL to "
    "another place",
    "SQLITE_NOTADB": "{file} is not a store, or was damaged: move it away, or set TOOLSCALE_STORE_URL to another file",
    "SQLITE_CORRUPT": DAMAGED,
}
