"""Programs, threads and event loops share one store."""

import asyncio
import os
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

from tests.openai_server import OpenAIServer
from tests.store.calls import call
from toolscale.llm import Gateway
from toolscale.settings import Settings
from toolscale.store import GateResult, ModelCall, Store

RUN = textwrap.dedent("""
    import asyncio, sys
    from toolscale.llm import Gateway
    from toolscale.settings import Settings
    from toolscale.store import Store

    async def main(url, api_base, first, last):
        prices = {"openai/anything": {"input": 0, "output": 0}}
        settings = Settings(default_model="openai/anything", default_api_base=api_base, prices=prices)
        with Store(url) as store:
            async with Gateway(settings, store) as gateway:
                asked = [
                    gateway.text("teacher", [{"role": "user", "content": str(n)}], stage="subjects", domain="railway")
                    for n in range(int(first), int(last))
                ]
                print(*await asyncio.gather(*asked), flush=True)

    asyncio.run(main(*sys.argv[1:]))
""")


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", RUN, *arguments]
    environment = {**os.environ, "OPENAI_API_KEY": "none"}
    return subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def echo(request: dict) -> str:
    return f"said-{request['messages'][0]['content']}"


def test_programs_that_make_a_store_and_write_to_it_at_once_get_along(database: str, tmp_path: Path) -> None:
    with OpenAIServer(echo) as server:
        programs = [start(tmp_path, database, server.url, str(n * 100), str(n * 100 + 100)) for n in range(3)]
        said = [program.communicate() for program in programs]
        assert [program.returncode for program in programs] == [0, 0, 0], said
        assert len(server.requests) == 300
        after = start(tmp_path, database, server.url, "0", "300")
        answers, errors = after.communicate()
        assert after.returncode == 0, errors
        assert answers.split() == [f"said-{n}" for n in range(300)]
        assert len(server.requests) == 300
    with Store(database) as store:
        assert len(store.rows(ModelCall, status="ok")) == 300


def test_two_event_loops_in_two_threads_pay_once_for_what_is_stored(database: str, monkeypatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    answers: dict[str, list[str]] = {}

    with OpenAIServer(echo) as server, Store(database) as store:
        prices = {"openai/anything": {"input": 0, "output": 0}}
        settings = Settings(default_model="openai/anything", default_api_base=server.url, prices=prices)

        async def run(name: str) -> None:
            async with Gateway(settings, store) as gateway:
                for number in range(30):
                    said = [{"role": "user", "content": str(number)}]
                    reply = await gateway.text("teacher", said, stage="subjects", domain="railway")
                    answers.setdefault(name, []).append(reply)

        asyncio.run(run("first"))
        threads = [threading.Thread(target=asyncio.run, args=(run(name),)) for name in ("second", "third")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(server.requests) == 30
    assert answers == {name: [f"said-{n}" for n in range(30)] for name in ("first", "second", "third")}


async def test_a_reader_sees_what_another_program_committed_and_never_waits_for_it(database: str) -> None:
    with Store(database) as ours, Store(database) as theirs:
        assert await ours.find("k") is None
        await theirs.save(call("k", response="theirs"))
        found = await ours.find("k")
        assert found is not None
        assert found.response == "theirs"
        with theirs.engine.begin() as writing:
            writing.exec_driver_sql("update model_call set stage = 'elsewhere'")
            assert (await ours.find("k")) == found
            assert [row.stage for row in ours.rows(ModelCall)] == ["episode"]


async def test_one_who_waits_for_a_row_is_told_although_another_loop_is_gone(store: Store) -> None:
    def gone() -> None:
        async def leave() -> None:
            waiting = asyncio.ensure_future(store.save(GateResult(task_id="x", gate="g", domain="d", passed=True)))
            await asyncio.sleep(0)
            waiting.cancel()

        asyncio.run(leave())

    await asyncio.to_thread(gone)
    await store.save(GateResult(task_id="y", gate="g", domain="d", passed=True))
    assert {row.task_id for row in store.rows(GateResult)} >= {"y"}
