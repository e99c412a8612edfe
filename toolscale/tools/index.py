"""An index of chunks by what they mean: exact search by cosine over a Faiss index, in a folder that appears whole."""

import asyncio
import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from pydantic import Field, ValidationError

from toolscale.artifacts.base import Artifact
from toolscale.errors import UserError
from toolscale.tools.chunks import Chunk, chunks_of, documents_in
from toolscale.tools.embedders import BATCH, Embedder
from toolscale.whole import whole_folder

if TYPE_CHECKING:
    from toolscale.llm.embeddings import Vectors

_MANIFEST, _CHUNKS, _VECTORS = "index.json", "chunks.parquet", "vectors.faiss"
_AT_ONCE = 8


class Manifest(Artifact):
    """What an index folder says about itself."""

    format: int = 1
    model: str = Field(description="The embedding model; a search must use the same.")
    api_base: str | None = Field(default=None, description="Where it was asked, where that is not the provider's own.")
    dimension: int = Field(gt=0)
    documents: int
    chunks: int
    chunk_characters: int
    dollars: float = Field(default=0.0, description="What embedding the chunks cost by its price, cached or not.")


class Hit(NamedTuple):
    """A chunk that was found, and the cosine between it and the query."""

    chunk: Chunk
    score: float


class Index:
    """Chunks and their vectors, ready to be searched."""

    def __init__(self, manifest: Manifest, chunks: Sequence[Chunk], vectors: Any) -> None:
        self.manifest = manifest
        self._chunks = chunks
        self._vectors = vectors

    @classmethod
    def open(cls, folder: Path) -> Self:
        """The index in a folder.

        Raises:
            UserError: there is none, or its parts do not belong together.
        """
        import faiss
        import pyarrow.parquet as pq

        try:
            manifest = Manifest.model_validate_json((folder / _MANIFEST).read_text(encoding="utf-8"))
            rows = pq.read_table(folder / _CHUNKS).to_pylist()
            vectors = faiss.read_index(str(folder / _VECTORS))
        except FileNotFoundError:
            raise UserError(
                f"{folder}: there is no index; make one: toolscale index build PATH --out {folder}"
            ) from None
        except (ValidationError, OSError, ValueError, RuntimeError) as error:
            reason = " ".join(str(error).split())[:200]
            raise UserError(f"{folder}: the index is damaged, build it again ({reason})") from None
        chunks = [Chunk(**row) for row in rows]
        if manifest.format != 1 or (vectors.d, vectors.ntotal, len(chunks)) != (
            manifest.dimension,
            manifest.chunks,
            manifest.chunks,
        ):
            raise UserError(f"{folder}: the parts of the index do not belong together, build it again")
        return cls(manifest, chunks, vectors)

    def check_made_by(self, model: str) -> None:
        """Vectors of two models cannot be compared. Raises UserError where another model made the index."""
        if model != self.manifest.model:
            raise UserError(
                f"the index was made with {self.manifest.model} and cannot be searched with {model}: "
                "name that model, or build the index again"
            )

    def nearest(self, vector: "Vectors", count: int) -> list[Hit]:
        """The chunks nearest to a vector, the nearest first. Raises UserError where the dimensions differ."""
        query = _normalized(vector.reshape(1, -1))
        if query.shape[1] != self.manifest.dimension:
            raise UserError(
                f"{self.manifest.model} answered with {query.shape[1]} dimensions where the index has "
                f"{self.manifest.dimension}: it is another model by that name; build the index again"
            )
        scores, positions = self._vectors.search(query, min(count, self.manifest.chunks))
        return [Hit(self._chunks[at], float(score)) for at, score in zip(positions[0], scores[0], strict=True)]


async def build_index(
    source: Path,
    out: Path,
    embedder: Embedder,
    *,
    api_base: str | None = None,
    chunk_characters: int = 1_200,
    heard: Callable[[int, int], None] = lambda done, chunks: None,
) -> Manifest:
    """Embed the documents of a folder or a Parquet file into an index folder, which replaces one that was there.

    ``heard`` is told how many chunks of how many are done. A build that is killed leaves no folder; started again, it
    gets what an endpoint answered from the gateway's store.

    Raises:
        UserError: nothing is there to index, or a disk or the model refuses.
    """
    documents, chunks = 0, list[Chunk]()
    for document in documents_in(source):
        documents += 1
        chunks += chunks_of(document, chunk_characters)
    if not chunks:
        raise UserError(f"{source}: there is no text in it")
    embedded = await _embedded(chunks, embedder, heard)
    manifest = Manifest(
        model=embedder.model,
        api_base=api_base,
        dimension=embedded.vectors.shape[1],
        documents=documents,
        chunks=len(chunks),
        chunk_characters=chunk_characters,
        dollars=embedded.dollars,
    )
    with whole_folder(out) as folder:
        _write(folder, manifest, chunks, embedded.vectors)
    return manifest


class _AllEmbedded(NamedTuple):
    vectors: "Vectors"
    dollars: float


async def _embedded(chunks: list[Chunk], embedder: Embedder, heard: Callable[[int, int], None]) -> _AllEmbedded:
    """The vectors of all chunks, some batches at once."""
    import numpy as np

    turn, done = asyncio.Semaphore(_AT_ONCE), itertools.count(1)

    async def embed(batch: list[Chunk]) -> _AllEmbedded:
        async with turn:
            answer = await embedder.documents([chunk.embedded for chunk in batch])
        heard(min(next(done) * BATCH, len(chunks)), len(chunks))
        return _AllEmbedded(answer.vectors, answer.dollars)

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(embed(batch)) for batch in _batches(chunks)]
    except ExceptionGroup as failures:
        raise failures.exceptions[0] from None
    parts = [task.result() for task in tasks]
    if len({part.vectors.shape[1] for part in parts}) > 1:
        raise UserError(f"{embedder.model} answered with vectors of several lengths: it cannot be used for an index")
    return _AllEmbedded(np.concatenate([part.vectors for part in parts]), sum(part.dollars for part in parts))


def _batches(chunks: list[Chunk]) -> Iterator[list[Chunk]]:
    return (chunks[start : start + BATCH] for start in range(0, len(chunks), BATCH))


def _write(folder: Path, manifest: Manifest, chunks: list[Chunk], vectors: "Vectors") -> None:
    import faiss
    import pyarrow as pa
    import pyarrow.parquet as pq

    exact = faiss.IndexFlatIP(manifest.dimension)
    exact.add(_normalized(vectors))
    faiss.write_index(exact, str(folder / _VECTORS))
    pq.write_table(pa.Table.from_pylist([chunk._asdict() for chunk in chunks]), folder / _CHUNKS)
    (folder / _MANIFEST).write_text(manifest.model_dump_json(indent=2) + "\n", encoding="utf-8")


def _normalized(vectors: "Vectors") -> "Vectors":
    """Each row with length 1, so that inner products are cosines; a row of zeros stays one."""
    import numpy as np

    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.ascontiguousarray(vectors / np.where(lengths == 0, 1, lengths), dtype=np.float32)
