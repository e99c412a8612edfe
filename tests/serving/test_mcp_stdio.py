"""A client of the official SDK solves a task over stdio, and its agent's door shows tools and nothing else."""

import json
import os
import sys

import pytest

from tests.exchange.world import FINE, write_hotel
from tests.serving.asking import Answer, AskedVerdict

mcp = pytest.importorskip("mcp")


@pytest.fixture
def server(tmp_path):
    write_hotel(tmp_path / "hotel")
    arguments = ["-m", "toolscale.cli", "serve", str(tmp_path / "hotel"), "--stdio", "--task", FINE.id]
    return mcp.StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))


async def verdict(client, message):
    answer = await client.session.send_request(AskedVerdict(params={"message": message}), Answer)
    return answer.model_dump()


async def test_golden_calls_over_stdio_are_solved(server):
    async with mcp.Client(mcp.stdio_client(server)) as client:
        listed = (await client.list_tools()).tools
        assert [tool.name for tool in listed] == ["get_room", "book_room"]
        assert FINE.instruction in client.instructions
        assert "Be kind." in client.instructions
        for call in FINE.golden_calls:
            assert not (await client.call_tool(call.name, call.arguments)).is_error
        found = await verdict(client, "2,500 in Zürich")
        assert (found["reward"], found["execution"], found["fidelity"], found["completeness"]) == (1, True, True, True)
        late = await client.call_tool("get_room", {"room_id": "R-1"})
        assert late.is_error
        assert "over" in late.content[0].text


async def test_nothing_that_an_agent_sees_tells_the_solution(server):
    async with mcp.Client(mcp.stdio_client(server)) as client:
        listed = (await client.list_tools()).tools
        failed = await client.call_tool("verdict", {"message": "x"})
        room = await client.call_tool("get_room", {"room_id": "R-1"})
        shown = json.dumps([tool.model_dump(mode="json") for tool in listed], ensure_ascii=False)
        shown += failed.content[0].text + room.content[0].text + client.instructions
    assert failed.is_error
    for hidden in ("golden", 'verdict"', "Zürich", "2,500"):
        assert hidden not in shown.replace("`verdict`", "")
