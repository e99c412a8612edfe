"""A search agent: the day in its prompt, ten turns, pages read before they are cited, an answer with its sources."""

import asyncio
import json

import pytest

from tests.openai_server import OpenAIServer
from tests.orchestration.orchestra import Told, agent_at, calls, gateway_to, script
from tests.orchestration.test_orchestrate_command import orchestrate  # noqa: F401  (a fixture)
from toolscale.orchestration.loop import orchestrate as play
from toolscale.orchestration.manner import Manner
from toolscale.orchestration.sources import objection, sources_of
from toolscale.orchestration.trace import ToolCall
from toolscale.settings import Price
from toolscale.store import Store
from toolscale.tools.tool import ToolAnswer

FERRY = "https://en.example.org/wiki/Ferry_(boat)"
SEARCHES = calls(("web_search", {"query": "first ferry"}))
READS = calls(("extract_content", {"url": FERRY}))
ANSWER = f"It leaves at six [1].\n\nSources:\n1. Ferry: {FERRY}"


def played(tmp_path, *said, file=None, **given):
    tools = [
        Told("web_search", ToolAnswer(content="Ferry: it leaves at ..."), kind="web_search"),
        Told("extract_content", ToolAnswer(content="It leaves at six."), kind="extract_content"),
    ]
    with OpenAIServer(script(*said)) as server, Store(f"sqlite:///{tmp_path}/s.sqlite") as store:

        async def run():
            async with gateway_to(server, store) as gateway:
                manner, price = Manner(cites=True), Price(input=1, output=1)
                options = {"price": price, "manner": manner, "trace": file, **given}
                return await play("When does the first ferry leave?", agent_at(server), tools, gateway, **options)

        return asyncio.run(run())


def sent_back(trace):
    return [message["content"] for message in trace.messages[2:] if message["role"] == "user"]


def test_an_answer_whose_pages_were_read_stands(tmp_path):
    trace = played(tmp_path, SEARCHES, READS, ANSWER)
    assert trace.answer == ANSWER
    assert [(source.url, source.read) for source in trace.sources] == [(FERRY, True)]
    assert not sent_back(trace)


def test_an_answer_that_cites_what_was_only_found_is_sent_back_once(tmp_path):
    trace = played(tmp_path, SEARCHES, ANSWER, READS, ANSWER)
    (objected,) = sent_back(trace)
    assert objected.startswith(f"You cite what you have not read: {FERRY}.")
    assert [source.read for source in trace.sources] == [True]
    stubborn = played(tmp_path, SEARCHES, ANSWER, "I stand by it.\n" + ANSWER)
    assert len(sent_back(stubborn)) == 1
    assert stubborn.answer.startswith("I stand by it.")
    assert [source.read for source in stubborn.sources] == [False], "and the trace tells"


def test_an_answer_without_sources_is_sent_back_if_it_searched(tmp_path):
    trace = played(tmp_path, SEARCHES, "At six.", READS, ANSWER)
    assert sent_back(trace)[0].startswith("You cite no page.")
    assert not sent_back(played(tmp_path, "Two and two is four."))


def test_an_answer_on_the_last_turns_stands_as_it_is(tmp_path):
    trace = played(tmp_path, SEARCHES, ANSWER, max_turns=3)
    assert (trace.ending, len(sent_back(trace))) == ("answered", 0)


def test_a_run_that_was_sent_back_goes_on_from_its_file_as_if_nothing_had_been(tmp_path):
    said = (SEARCHES, ANSWER, READS, ANSWER)
    whole = played(tmp_path, *said, max_turns=10)
    for lines in range(1, 6):
        file = tmp_path / f"t{lines}.jsonl"
        played(tmp_path, *said, file=file, max_turns=10)
        file.write_text("".join(file.read_text().splitlines(keepends=True)[:lines]))
        resumed = played(tmp_path, *said, file=file, max_turns=10)
        assert resumed.messages == whole.messages
        assert resumed.sources == whole.sources


def call(url, error=None):
    return ToolCall(turn=1, tool="extract_content", arguments={"url": url}, answer=ToolAnswer(error=error))


@pytest.mark.parametrize(
    ("answer", "urls"),
    [
        (f"See [it]({FERRY}).", [FERRY]),
        (f"({FERRY})", [FERRY]),
        (
            "<https://a.example/x>, https://a.example/x. and https://b.example/?q=1!",
            ["https://a.example/x", "https://b.example/?q=1"],
        ),
        ("No page at all: http:// or ftp://a.example", []),
    ],
)
def test_addresses_are_found_in_any_sentence(answer, urls):
    assert [source.url for source in sources_of(answer, [])] == urls


def test_one_page_is_one_page_however_its_address_is_written():
    read = [call("https://EN.example.org/wiki/Caf%C3%A9/#history")]
    assert [source.read for source in sources_of("http://en.example.org/wiki/Café", read)] == [True]
    assert [source.read for source in sources_of("http://en.example.org/wiki/Tea", read)] == [False]
    assert objection("See https://a.example/.", [call("https://a.example", error="HTTP 404")]) != ""


@pytest.fixture(name="agent")
def agent_fixture(orchestrate, monkeypatch):  # noqa: F811
    def run(server, *options):
        monkeypatch.setenv("TAVILY_API_KEY", "k")
        return orchestrate(server, "--catalogue", "search", *options)

    return run


def test_the_command_tells_the_day_and_the_limit_and_goes_on_with_the_day_of_its_file(agent):
    with OpenAIServer(script("Four.")) as server:
        assert agent(server, "--date", "2025-06-08", "--trace", "t.jsonl").exit_code == 0
        again = agent(server, "--trace", "t.jsonl", "--json")
        (request,) = server.requests
    told = request["messages"][0]["content"]
    assert "Today is 2025-06-08." in told
    assert "You have 10 messages in all" in told
    assert {tool["function"]["name"] for tool in request["tools"]} == {"web_search", "extract_content"}
    assert json.loads(again.stdout)["answer"] == "Four."
    with OpenAIServer(script("Four.")) as server:
        assert "--date 8.6.2025 is no day" in str(agent(server, "--date", "8.6.2025").exception)
        agent(server)
        (request,) = server.requests
        assert "Today is 20" in request["messages"][0]["content"], "today, where nobody says otherwise"


def test_the_command_ends_after_ten_turns(agent):
    with OpenAIServer(
        script(
            calls(
                ("web_search", {}),
            )
        )
    ) as server:
        result = agent(server, "--json")
        assert len(server.requests) == 10
    assert json.loads(result.stdout)["ending"] == "turn_limit"
    assert result.exit_code == 1
