"""`kill -9` of a run at ten moments, each followed by a restart: nothing is lost, and nothing is paid for twice."""

import json
import os
import random
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from tests.served import Server, serving

CALLS, AT_ONCE, KILLS = 200, 8, 10

RUN = textwrap.dedent("""
    import asyncio, json, sys
    from toolscale.llm import Gateway
    from toolscale.settings import Settings
    from toolscale.store import Store

    TOOLS = [{"type": "function", "function": {"name": "find", "parameters": {"type": "object"}}}]

    async def main(database, api_base, calls, at_once):
        prices = {"openai/reference": {"input": 0, "output": 0}}
        settings = Settings(default_model="openai/reference", default_api_base=api_base, prices=prices)
        slots = asyncio.Semaphore(int(at_once))
        with Store(database) as store:
            async with Gateway(settings, store) as gateway:
                async def ask(number):
                    said = [{"role": "user", "content": f"question {number}"}]
                    told = {"stage": "subjects", "domain": "railway", "seed": number}
                    async with slots:
                        if number % 3:
                            schema = {"type": "object", "properties": {"n": {"const": number}}, "required": ["n"]}
                            answer = await gateway.typed("teacher", said, schema, **told)
                        else:
                            answer = (await gateway.chat("agent", said, TOOLS, **told)).message
                    print(json.dumps([number, answer]), flush=True)
                await asyncio.gather(*[ask(number) for number in range(int(calls))])

    asyncio.run(main(*sys.argv[1:]))
""")


def start(folder: Path, database: str, server: Server) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", RUN, f"sqlite:///{folder}/{database}.db", server.url, str(CALLS), str(AT_ONCE)]
    environment = {**os.environ, "OPENAI_API_KEY": "none"}
    return subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)


def answers(printed: str) -> dict[int, object]:
    """Call -> answer, of the lines that were printed whole."""
    return dict(json.loads(line) for line in printed.splitlines(keepends=True) if line.endswith("\n"))


@pytest.mark.slow
def test_ten_kills_change_no_answer_and_pay_for_no_more_than_was_in_flight(tmp_path: Path) -> None:
    chance = random.Random(20261120)
    with serving("--echo-schema", "--latency", "0.03:0.09") as server:
        whole = start(tmp_path, "whole", server)
        expected = answers(whole.communicate()[0])
        assert whole.returncode == 0
        assert len(expected) == CALLS == server.stats()["requests"]

    with serving("--echo-schema", "--latency", "0.03:0.09") as server:
        asked = kills = 0
        while kills < KILLS:
            asked += chance.randrange(1, (CALLS - AT_ONCE) // KILLS)
            run = start(tmp_path, "killed", server)
            while server.stats()["requests"] < asked and run.poll() is None:
                time.sleep(0.01)
            if run.poll() is not None:  # it is a slow machine on which the last kill came late
                break
            run.kill()
            kills += 1
            seen = answers(run.communicate()[0])
            assert seen == {number: expected[number] for number in seen}
            asked = server.stats()["requests"]

        assert kills >= KILLS // 2
        last = start(tmp_path, "killed", server)
        assert answers(last.communicate()[0]) == expected
        assert last.returncode == 0
        stats = server.stats()
        assert stats["distinct"] == CALLS
        assert CALLS < stats["requests"] <= CALLS + kills * AT_ONCE

        again = start(tmp_path, "killed", server)
        assert answers(again.communicate()[0]) == expected
        assert server.stats()["requests"] == stats["requests"]
