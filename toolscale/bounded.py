"""Bodies that strangers send: unpacked as they come, a piece at a time, and never more of them than is taken."""

import zlib
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterator

ACCEPTED = "gzip"
"""The one encoding to ask for."""

_PIECE = 1 << 16
_GZIP = 31


class TooManyBytes(Exception):  # noqa: N818 - the name says what happened
    """A body has more bytes than are taken, on the way or unpacked."""

    def __init__(self, most: int) -> None:
        super().__init__(f"more than {most:,} bytes")
        self.most = most


class BadlyPacked(Exception):  # noqa: N818 - the name says what happened
    """A body is not packed as it says, or not as was asked for."""


async def unpacked(chunks: AsyncIterable[bytes], encoding: str | None, most: int) -> AsyncIterator[bytes]:
    """The bytes of a body, in pieces of at most 64 KiB where it was packed.

    Args:
        chunks: as they come over the wire.
        encoding: the header `Content-Encoding`.
        most: bytes that are taken, on the way and again unpacked, so that neither an endless body nor a bomb is held.

    Raises:
        TooManyBytes: there are more.
        BadlyPacked: they cannot be unpacked.
    """
    unpack, received, given = _unpacking(encoding), 0, 0
    async for chunk in chunks:
        received += len(chunk)
        if received > most:
            raise TooManyBytes(most)
        for piece in unpack(chunk):
            given += len(piece)
            if given > most:
                raise TooManyBytes(most)
            yield piece


class _Gzip:
    """Members of gzip, one after the other, as the format allows."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(_GZIP)

    def __call__(self, chunk: bytes) -> Iterator[bytes]:
        while chunk:
            if self._stream.eof:
                self._stream = zlib.decompressobj(_GZIP)
            try:
                piece = self._stream.decompress(chunk, _PIECE)
            except zlib.error:
                raise BadlyPacked("its compression is broken") from None
            if piece:
                yield piece
            chunk = self._stream.unconsumed_tail or self._stream.unused_data


def _as_it_is(chunk: bytes) -> Iterator[bytes]:
    yield chunk


def _unpacking(encoding: str | None) -> Callable[[bytes], Iterator[bytes]]:
    match (encoding or "identity").strip().lower():
        case "" | "identity":
            return _as_it_is
        case "gzip" | "x-gzip":
            return _Gzip()
        case other:
            raise BadlyPacked(f"it came in an encoding that was not asked for: {other[:40]}")
