"""Bad disks: one line that says what, where and what to do; what was committed stays; nothing wrong is handed out."""

import asyncio
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import event

from tests.openai_server import OpenAIServer
from tests.store.calls import call
from tests.store.old import conversation
from toolscale.errors import UserError
from toolscale.llm import Gateway
from toolscale.settings import Settings
from toolscale.store import CachedAnswer, ModelCall, Store
from toolscale.store.salvage import salvage

ANSWERS = {f"k{number}": f'{{"answer": "{number} {"réponse " * (number % 90)}"}}' for number in range(400)}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed store that holds the answers."""
    file = tmp_path_factory.mktemp("sound") / "toolscale.db"

    async def write() -> None:
        with Store(f"sqlite:///{file}") as store:
            said = conversation(12)
            calls = [
                store.save_call(call(key, response=text), said[: 1 + number % 12], {"seed": number})
                for number, (key, text) in enumerate(ANSWERS.items())
            ]
            await asyncio.gather(*calls)

    asyncio.run(write())
    return file


def answers(file: Path) -> tuple[dict[str, str], list[str]]:
    """The answers that a store gives, and what it says where it cannot."""
    given, said = {}, []

    async def ask(store: Store) -> None:
        for key in ANSWERS:
            try:
                found = await store.find(key)
            except UserError as error:
                said.append(str(error))
            else:
                if isinstance(found, CachedAnswer):
                    given[key] = found.response

    try:
        with Store(f"sqlite:///{file}") as store:
            asyncio.run(ask(store))
    except UserError as error:
        said.append(str(error))
    return given, said


@pytest.mark.parametrize("seed", range(12))
def test_a_damaged_file_never_gives_a_wrong_answer_and_says_the_way_out(sound: Path, file: Path, seed: int) -> None:
    shutil.copy(sound, file)
    chance, size = random.Random(seed), file.stat().st_size
    with file.open("r+b") as disk:
        for _ in range(12):
            disk.seek(chance.randrange(4096, size - 2000))
            disk.write(chance.randbytes(chance.choice([1, 40, 2000])))
    given, said = answers(file)
    assert {key: ANSWERS[key] for key in given} == given
    for line in said:
        assert "\n" not in line
        assert re.search(r"cannot (open|read) the store at .*toolscale\.db: .*salvage", line)
    assert said or len(given) == len(ANSWERS)


def test_an_altered_answer_is_not_handed_out(sound: Path, file: Path) -> None:
    shutil.copy(sound, file)
    body = file.read_bytes()
    file.write_bytes(body.replace('"answer": "217 réponse'.encode(), '"answer": "218 réponse'.encode()))
    given, said = answers(file)
    assert given.keys() == ANSWERS.keys() - {"k217"}
    (line,) = said
    assert "the answer of call k217 was altered; the file is damaged: `toolscale cache salvage`" in line


def test_a_file_that_was_cut_short_says_the_way_out_and_is_left_alone(sound: Path, file: Path) -> None:
    shutil.copy(sound, file)
    os.truncate(file, file.stat().st_size * 2 // 3)
    before = file.read_bytes()
    given, said = answers(file)
    assert not given
    assert "malformed; the file is damaged: `toolscale cache salvage`" in said[0]
    assert f"move {file} away" in said[0]
    assert file.read_bytes() == before


def test_most_of_a_damaged_file_is_salvaged_and_none_of_it_altered(sound: Path, file: Path, tmp_path: Path) -> None:
    shutil.copy(sound, file)
    size = file.stat().st_size
    with file.open("r+b") as disk:
        for place in (size // 2, size * 2 // 3):
            disk.seek(place)
            disk.write(random.Random(5).randbytes(4096))
    before, rescued = file.read_bytes(), tmp_path / "rescued.db"
    saved = salvage(file, rescued)
    assert file.read_bytes() == before
    given, said = answers(rescued)
    assert not said
    assert {key: ANSWERS[key] for key in given} == given
    assert 0.7 * len(ANSWERS) < len(given) == saved["model_call"] < len(ANSWERS)


def test_a_file_that_was_cut_short_is_salvaged_up_to_the_cut(sound: Path, file: Path, tmp_path: Path) -> None:
    shutil.copy(sound, file)
    os.truncate(file, file.stat().st_size * 2 // 3)
    salvage(file, tmp_path / "rescued.db")
    given, said = answers(tmp_path / "rescued.db")
    assert not said
    assert {key: ANSWERS[key] for key in given} == given
    assert len(given) > 0.3 * len(ANSWERS)


def test_a_sound_file_is_salvaged_whole(sound: Path, tmp_path: Path) -> None:
    salvage(sound, tmp_path / "rescued.db")
    assert answers(tmp_path / "rescued.db") == (ANSWERS, [])
    with Store(f"sqlite:///{tmp_path}/rescued.db") as store:
        row = store.rows(ModelCall, key="k11")[0]
        assert store.request_of(row)["messages"] == conversation(12)


def test_salvage_touches_no_file_that_is_there(sound: Path, file: Path) -> None:
    file.write_text("mine")
    with pytest.raises(UserError, match="is there already"):
        salvage(sound, file)
    assert file.read_text() == "mine"
    with pytest.raises(UserError, match="nothing can be saved"):
        salvage(file, file.with_name("new.db"))


@pytest.fixture
def somebody() -> Iterator[Path]:
    """A folder that a user other than root can reach; root may write anything, so tests of rights are run as nobody."""
    folder = Path(tempfile.mkdtemp(prefix="rights-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def as_nobody(act: str, file: Path) -> str:
    """What a program that may not write says."""
    code = textwrap.dedent(f"""
        import asyncio, os, sqlalchemy.dialects.sqlite, sqlalchemy.dialects.postgresql
        from toolscale.errors import UserError
        from toolscale.store import GateResult, Store
        if os.geteuid() == 0:
            os.setuid(65534)
        row = GateResult(task_id="a", gate="replay", domain="railway", passed=True)
        try:
            {act}
        except UserError as error:
            print(error)
    """).replace("FILE", f"sqlite:///{file}")
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_a_folder_that_may_not_be_written_is_named(somebody: Path) -> None:
    somebody.chmod(0o555)
    said = as_nobody("Store('FILE')", somebody / "toolscale.db")
    assert re.search(
        r"cannot open the store at .*toolscale\.db: unable to open .*the folder of .* may be written", said
    )


def test_a_file_that_may_not_be_written_is_named(somebody: Path, sound: Path) -> None:
    file = somebody / "toolscale.db"
    shutil.copy(sound, file)
    file.chmod(0o444)
    somebody.chmod(0o555)
    said = as_nobody("asyncio.run(Store('FILE').save(row))", file)
    assert re.search(r"cannot (open|write to) the store at .*: .*may (not )?be written", said)
    assert "set TOOLSCALE_STORE_URL" in said


async def test_a_file_that_another_program_holds_is_named(file: Path) -> None:
    with Store(f"sqlite:///{file}?timeout=0.1") as store:
        await store.save(call("a"))
        another = sqlite3.connect(file, isolation_level=None)
        another.execute("BEGIN IMMEDIATE")
        with pytest.raises(UserError, match=r"database is locked; another program holds .*toolscale\.db: wait for it"):
            await store.save(call("b"))
        another.execute("COMMIT")
        await store.save(call("b"))
        assert {row.key for row in store.rows(ModelCall)} == {"a", "b"}


def full_at(store: Store, pages: int) -> None:
    """From here on the store's disk has room for so many pages: SQLite's own way to be full, without a disk."""
    store.close()
    event.listen(store.engine, "connect", lambda driver, _: driver.execute(f"PRAGMA max_page_count={pages}"))


def test_on_a_full_disk_the_run_stops_and_hands_out_no_answer_that_was_not_written(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    handed_out: list[int] = []

    async def ask(gateway: Gateway, number: int) -> None:
        said = [{"role": "user", "content": f"question {number}"}]
        await gateway.text("teacher", said, stage="subjects", domain="railway")
        handed_out.append(number)

    async def run(store: Store, settings: Settings) -> None:
        async with Gateway(settings, store) as gateway:
            await asyncio.gather(*[ask(gateway, number) for number in range(200)])

    with OpenAIServer(lambda request: "x" * 3000, seconds=0.01) as server, Store(f"sqlite:///{file}") as store:
        prices = {"openai/anything": {"input": 0, "output": 0}}
        settings = Settings(
            default_model="openai/anything", default_api_base=server.url, prices=prices, max_in_flight=4
        )
        full_at(store, 60)
        with pytest.raises(
            UserError, match=r"is full; make room on the disk of .*toolscale\.db and run again"
        ) as caught:
            asyncio.run(run(store, settings))
        assert "\n" not in str(caught.value)
        kept = {store.request_of(row)["messages"][0]["content"] for row in store.rows(ModelCall)}
        assert 0 < len(handed_out) < 200
        assert {f"question {number}" for number in handed_out} <= kept
        paid = len(server.requests)
        assert paid <= len(kept) + 2 * settings.max_in_flight
        with pytest.raises(UserError, match="make room"):
            asyncio.run(run(store, settings))
        assert len(server.requests) == paid

        handed_out.clear()
        with Store(f"sqlite:///{file}") as roomy:
            asyncio.run(run(roomy, settings))
        assert len(handed_out) == 200
        assert len(server.requests) == paid + 200 - len(kept)


async def test_a_file_that_may_not_grow_keeps_what_was_committed(file: Path) -> None:
    code = textwrap.dedent(f"""
        import asyncio, resource
        from tests.store.calls import call
        from toolscale.errors import UserError
        from toolscale.store import Store

        async def main():
            store = Store("sqlite:///{file}")
            resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, -1))
            for number in range(1000):
                try:
                    await store.save(call(f"k{{number}}", response="y" * 2000))
                except UserError as error:
                    print(number, error)
                    break
        asyncio.run(main())
    """)
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdout=subprocess.PIPE)
    written, _, said = (await process.communicate())[0].decode().partition(" ")
    assert "see that the disk of" in said or "make room on the disk of" in said
    with Store(f"sqlite:///{file}") as store:
        assert {f"k{number}" for number in range(int(written))} <= {row.key for row in store.rows(ModelCall)}
        await store.save(call("next"))
