"""Models as tools: each role does its work, every token is priced, and no failure of a model ends an episode."""

import json

import pytest

from tests.openai_server import Fault, OpenAIServer
from tests.orchestration.orchestra import Told, catalogue_file, gateway_to
from toolscale.catalogue.catalogue import read_tools
from toolscale.catalogue.configuration import configure
from toolscale.catalogue.prices import schedule
from toolscale.catalogue.toolbox import Toolbox
from toolscale.errors import UserError
from toolscale.llm import BudgetSpent
from toolscale.llm.endpoints import see_that_it_can_be_asked
from toolscale.tools.tool import ToolAnswer

FOUND = ToolAnswer(content="Paris has 2.1 million inhabitants.", dollars=0.008, seconds=0.25)


@pytest.fixture
def opened(tmp_path, store):
    """Open the tools of the test's catalogue for one episode: name -> tool, and the search that they use."""

    async def opened(server, use, *, search=None, **settings):
        search = search or Told("web_search", FOUND, kind="web_search")
        tools = read_tools(str(catalogue_file(tmp_path, server.url)))
        async with (
            gateway_to(server, store, **settings) as gateway,
            Toolbox(tools, gateway, lent={"web_search": search}) as toolbox,
        ):
            configuration = configure(toolbox.available, schedule("together"))
            await use({tool.spec.name: tool for tool in toolbox.open(configuration, task="q1")}, search)

    return opened


async def test_a_generalist_answers_from_the_question_alone_and_costs_its_tokens(opened, store):
    async def use(tools, _):
        answer = await tools["generalist_large"].call({"question": "How high is the tower?"})
        assert answer.content == "330 m"
        request = server.requests[-1]
        assert request["model"] == "deft"
        assert request["max_tokens"] == 8000
        assert "tools" not in request
        assert "How high is the tower?" in request["messages"][-1]["content"]
        assert answer.dollars == pytest.approx((answer.prompt_tokens * 10 + answer.completion_tokens * 20) / 1e6)
        assert answer.prompt_tokens > 0

    with OpenAIServer(lambda request: "<think>\nlet me see\n</think>\n330 m") as server:
        await opened(server, use)
    line = store.cost_by("model", stage="tool")
    assert [(each.name, each.calls) for each in line] == [("openai/deft", 1)]


async def test_a_query_writer_writes_the_query_and_brings_what_was_found(opened):
    async def use(tools, search):
        answer = await tools["query_writer_small"].call({"question": "How many people live in the French capital?"})
        assert search.asked == [{"query": "Paris population 2024"}]
        assert answer.content == "Query: Paris population 2024\n\nParis has 2.1 million inhabitants."
        tokens = (answer.prompt_tokens * 1 + answer.completion_tokens * 2) / 1e6
        assert answer.dollars == pytest.approx(0.008 + tokens)
        assert answer.seconds > FOUND.seconds

    with OpenAIServer(lambda request: '"Paris population 2024"\n\nThis should find it.') as server:
        await opened(server, use)


async def test_a_search_that_fails_costs_the_query_all_the_same(opened):
    async def use(tools, search):
        answer = await tools["query_writer_small"].call({"question": "x"})
        assert answer.error == "the search is down"
        assert answer.dollars > 0
        assert answer.shown == "error: the search is down"

    with OpenAIServer(lambda request: "query") as server:
        down = Told("web_search", ToolAnswer(error="the search is down"), kind="web_search")
        await opened(server, use, search=down)


async def test_a_code_writers_program_runs_in_the_sandbox(opened):
    program = "Here it is:\n```python\nkept = sum(range(10))\nprint('sum', kept)\n```\nIt prints the sum."

    async def use(tools, _):
        answer = await tools["code_writer_large"].call({"problem": "Add the numbers below ten."})
        assert answer.error is None
        assert "sum 45" in answer.content
        assert "kept = sum(range(10))" in answer.content
        assert "Here it is" not in answer.content
        forgotten = await tools["code_interpreter"].call({"code": "kept"})
        assert "NameError" in forgotten.shown

    with OpenAIServer(lambda request: program) as server:
        await opened(server, use)


async def test_a_program_that_fails_is_an_answer_that_says_so(opened):
    async def use(tools, _):
        answer = await tools["code_writer_large"].call({"problem": "Divide."})
        assert "ZeroDivisionError" in answer.content
        assert answer.dollars > 0

    with OpenAIServer(lambda request: "```python\n1 / 0\n```") as server:
        await opened(server, use)


async def test_a_simulated_model_takes_what_its_profile_says(opened):
    async def use(tools, _):
        first = await tools["generalist_small"].call({"question": "one"})
        again = await tools["generalist_small"].call({"question": "one"})
        other = await tools["generalist_small"].call({"question": "two"})
        assert first.seconds == again.seconds
        assert first.seconds != other.seconds
        assert first.seconds > 0.1

    with OpenAIServer(lambda request: "yes") as server:
        await opened(server, use)


@pytest.mark.parametrize(
    ("behaviour", "complaint"),
    [
        (lambda request: {"content": None, "refusal": "I will not."}, "refused"),
        (lambda request: "", "said nothing"),
        (lambda request: {"content": "", "finish_reason": "length"}, "said nothing within its longest answer"),
    ],
)
async def test_a_model_that_gives_no_answer_is_an_error_that_costs(opened, behaviour, complaint):
    async def use(tools, _):
        answer = await tools["generalist_large"].call({"question": "x"})
        assert complaint in answer.error
        assert answer.content == ""
        assert answer.dollars > 0

    with OpenAIServer(behaviour) as server:
        await opened(server, use)


async def test_an_endpoint_that_fails_is_an_error_and_one_that_limits_the_rate_is_waited_for(opened):
    async def use(tools, _):
        broken = await tools["generalist_large"].call({"question": "x"})
        assert "lab/large did not answer" in broken.error
        assert broken.dollars == 0
        server.faults.extend([429, 429])
        assert (await tools["generalist_large"].call({"question": "y"})).content == "yes"

    with OpenAIServer(lambda request: "yes") as server:
        server.faults.append(Fault(status=400, body=json.dumps({"error": {"message": "no such thing"}})))
        await opened(server, use)


@pytest.mark.parametrize("arguments", [{}, {"question": ""}, {"question": 3}, {"question": "x", "because": "y"}])
async def test_arguments_of_another_form_are_an_error_that_names_them(opened, arguments):
    async def use(tools, _):
        answer = await tools["generalist_small"].call(arguments)
        assert answer.error.startswith("argument `")
        assert not server.requests

    with OpenAIServer(lambda request: "yes") as server:
        await opened(server, use)


async def test_what_the_user_has_to_mend_is_not_put_down_to_the_model(opened, monkeypatch):
    async def use(tools, _):
        with pytest.raises(UserError):
            await tools["generalist_small"].call({"question": "x"})

    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong-0123456789abcdef")
    with OpenAIServer(lambda request: "yes", key="sk-right") as server:
        await opened(server, use)


async def test_all_models_draw_on_one_budget(opened):
    async def use(tools, _):
        assert (await tools["generalist_small"].call({"question": "x"})).error is None
        with pytest.raises(BudgetSpent):
            await tools["generalist_large"].call({"question": "x"})

    with OpenAIServer(lambda request: "yes") as server:
        await opened(server, use, max_calls=1)


async def test_what_cannot_be_had_is_left_out_with_the_reason(tmp_path, store, monkeypatch):
    for variable in ("TAVILY_API_KEY", "OPENAI_API_KEY", "HOSTED_VLLM_API_BASE", "TOGETHERAI_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    tools = [tool for tool in read_tools("full") if "70b" not in tool.name and "32b" not in tool.name]
    tools = [tool for tool in tools if "72b" not in tool.name]
    with OpenAIServer(lambda request: "yes") as server:
        async with gateway_to(server, store) as gateway, Toolbox(tools, gateway) as toolbox:
            assert "TAVILY_API_KEY" in toolbox.missing["web_search"]
            assert "OPENAI_API_KEY" in toolbox.missing["generalist_gpt_5"]
            assert "HOSTED_VLLM_API_BASE" in toolbox.missing["math_qwen2_5_math_7b_instruct"]
            assert "--index" in toolbox.missing["local_search"]
            assert [tool.name for tool in toolbox.available] == ["extract_content", "code_interpreter"]
            with pytest.raises(UserError, match=r"web_search cannot be had: .*TAVILY_API_KEY"):
                toolbox.open(configure(tools[:1], schedule("together")))


def test_a_self_hosted_model_can_be_asked_once_its_endpoint_is_known(monkeypatch):
    model = next(tool.model for tool in read_tools("full") if tool.name == "math_qwen2_5_math_7b_instruct")
    monkeypatch.setenv("HOSTED_VLLM_API_BASE", "http://127.0.0.1:8000/v1")
    see_that_it_can_be_asked(model.model, model.api_base)
