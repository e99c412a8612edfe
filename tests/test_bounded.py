"""A body is read as it was sent, or not further than was said, however it is packed and cut."""

import asyncio
import gzip
import itertools
import zlib
from collections.abc import AsyncIterator, Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolscale.bounded import BadlyPacked, TooManyBytes, unpacked

BODIES = st.tuples(st.binary(max_size=40), st.integers(0, 20_000)).map(lambda drawn: drawn[0] * drawn[1])
BOMB = gzip.compress(bytes(2**28))


def taken(chunks: Iterable[bytes], encoding: str | None, most: int) -> list[bytes]:
    """The pieces that come before the end, or before it is enough."""

    async def coming() -> AsyncIterator[bytes]:
        for chunk in chunks:
            yield chunk

    async def take() -> list[bytes]:
        pieces = []
        try:
            async for piece in unpacked(coming(), encoding, most):
                pieces.append(piece)
        except TooManyBytes:
            pieces.append(b"...")
        return pieces

    return asyncio.run(take())


def cut(body: bytes, size: int) -> list[bytes]:
    return [body[start : start + size] for start in range(0, len(body), size)]


@given(BODIES, st.lists(st.integers(0, 800_000), max_size=3), st.integers(1, 70_000))
def test_what_was_packed_comes_out_however_it_was_cut(body: bytes, members: list[int], size: int) -> None:
    edges = sorted({0, *(min(edge, len(body)) for edge in members), len(body)})
    packed = b"".join(gzip.compress(body[start:end]) for start, end in itertools.pairwise(edges)) or gzip.compress(b"")
    assert b"".join(taken(cut(packed, size), "gzip", len(body) + len(packed))) == body
    assert b"".join(taken(cut(body, size), None, len(body))) == body


@given(BODIES.filter(bool), st.integers(0, 800_000), st.integers(1, 70_000), st.booleans())
def test_no_more_is_taken_than_was_said(body: bytes, most: int, size: int, packed: bool) -> None:
    sent = gzip.compress(body) if packed else body
    pieces = taken(cut(sent, size), "gzip" if packed else "identity", most)
    if max(len(body), len(sent)) > most:
        assert pieces.pop() == b"..."
    assert sum(map(len, pieces)) <= most
    assert b"".join(pieces) == body[: sum(map(len, pieces))]


def test_a_bomb_is_never_held_unpacked() -> None:
    """All that ever comes out is a piece more than what is taken, though the whole is one chunk."""
    pieces = taken([BOMB], "gzip", 10**6)
    assert pieces.pop() == b"..."
    assert max(map(len, pieces)) <= 2**16
    assert sum(map(len, pieces)) <= 10**6


def test_an_endless_body_is_left_where_it_is_enough() -> None:
    came = []
    taken((came.append(1) or bytes(1000) for _ in itertools.count()), None, 50_000)
    assert len(came) == 51


@pytest.mark.parametrize("encoding", ["br", "zstd", "deflate", "gzip, gzip", "compress"])
def test_what_was_not_asked_for_is_not_unpacked(encoding: str) -> None:
    with pytest.raises(BadlyPacked, match="not asked for"):
        taken([b"x"], encoding, 10)


@pytest.mark.parametrize("body", [b"no gzip", gzip.compress(b"x" * 100)[:-20] + b"?" * 40, zlib.compress(b"x")])
def test_what_is_not_packed_as_it_says_is_told(body: bytes) -> None:
    with pytest.raises(BadlyPacked, match="compression is broken"):
        taken([body], "gzip", 1000)
