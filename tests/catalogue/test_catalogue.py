"""The catalogue has what the paper names, and says what is wrong with one of your own."""

import pytest

from tests.orchestration.orchestra import catalogue_file
from toolscale.artifacts import FunctionSpec
from toolscale.catalogue.catalogue import Catalogue, described, read_tools, searched_by, short
from toolscale.catalogue.parameters import parameters_of
from toolscale.catalogue.prices import EVALUATION, HELD_OUT, TRAINING, schedule
from toolscale.errors import UserError

PAPER = {
    "training": {
        "query_writer": "gpt-5 gpt-5-mini Llama-3.3-70B-Instruct Llama-3.1-8B-Instruct DeepSeek-R1 "
        "Llama-3_1-Nemotron-Ultra-253B-v1 Phi-4-mini-instruct gemma-3-27b-it Qwen3-32B",
        "code_writer": "gpt-5 gpt-5-mini starcoder2-15b Qwen2.5-Coder-32B-Instruct",
        "math": "Qwen2.5-Math-72B-Instruct Qwen2.5-Math-7B-Instruct",
        "generalist": "gpt-5 gpt-5-mini Llama-3.3-70B-Instruct Llama-3.1-8B-Instruct DeepSeek-R1 "
        "Llama-3_1-Nemotron-Ultra-253B-v1 Phi-4-mini-instruct Qwen3-32B",
    },
    "full": {
        "code_writer": "gpt-5 gpt-5-mini Qwen2.5-Coder-32B-Instruct",
        "math": "Qwen2.5-Math-72B-Instruct Qwen2.5-Math-7B-Instruct",
        "generalist": "gpt-5 gpt-5-mini Llama-3.3-70B-Instruct Qwen3-32B",
    },
    "unseen": {
        "query_writer": "claude-opus-4-1 o3-mini gpt-4o",
        "code_writer": "claude-opus-4-1 claude-sonnet-4-5 Codestral-22B-v0.1",
        "math": "OpenMath-Llama-2-70b deepseek-math-7b-instruct",
        "generalist": "claude-opus-4-1 claude-sonnet-4-5 gemma-3-27b-it",
    },
}
"""Appendix "Tools in training", section 4.1, section 6.3."""


@pytest.mark.parametrize("name", PAPER)
def test_the_papers_models_are_there_in_their_roles(name):
    found = {}
    for tool in read_tools(name):
        if tool.model:
            found.setdefault(tool.role, []).append(short(tool.model.name))
    assert found == {role: models.split() for role, models in PAPER[name].items()}


@pytest.mark.parametrize("name", ["none", "search", "basic", "training", "full", "unseen", "example"])
def test_every_tool_of_every_set_is_a_function_that_can_be_offered(name):
    tools = read_tools(name)
    searches = [tool.name for tool in tools if tool.kind.endswith("search")]
    for tool in tools:
        spec = FunctionSpec(
            name=tool.name, description=tool.description, parameters=parameters_of(tool, searches), kind="read"
        )
        assert spec.parameters["required"], tool.name
        assert all(field.get("description") for field in spec.parameters["properties"].values()), tool.name


def test_the_papers_example_of_a_preference_is_over_the_set_of_that_name_in_its_order():
    tools = read_tools("example")
    assert [tool.kind for tool in tools[:2]] == ["web_search", "local_search"]
    models = ["Qwen3-235B-A22B", "Llama-3.3-70B-Instruct", "o3-mini", "o3"]
    assert [short(tool.model.name) for tool in tools[2:]] == models
    assert all(schedule(EVALUATION).price(tool.model.name) for tool in tools[2:])


def test_the_search_agents_tools_are_search_and_extraction_alone():
    assert [tool.name for tool in read_tools("search")] == ["web_search", "extract_content"]


@pytest.mark.parametrize("name", ["full", "unseen"])
@pytest.mark.parametrize("prices", [EVALUATION, HELD_OUT])
def test_the_sets_of_evaluation_are_priced_in_evaluation(name, prices):
    assert not [tool.name for tool in read_tools(name) if tool.model and not schedule(prices).price(tool.model.name)]


def test_every_model_of_training_is_priced_by_some_schedule_of_training():
    models = {tool.model.name for tool in read_tools("training") if tool.model}
    assert not {model for model in models if not any(schedule(name).price(model) for name in TRAINING)}


def test_a_query_writer_picks_among_several_searches_and_needs_no_word_on_one():
    writer = next(tool for tool in read_tools("training") if tool.role == "query_writer")
    both = parameters_of(writer, ["web_search", "local_search"])
    assert both["properties"]["search"]["enum"] == ["web_search", "local_search"]
    assert "search" not in parameters_of(writer, ["local_search"])["properties"]


def test_a_measured_description_takes_the_place_of_the_authored_one():
    told = described(read_tools("full"), {"openai/gpt-5": "Solved nine of ten."})
    changed = {tool.name for tool in told if "Solved nine of ten." in tool.description}
    assert changed == {"code_writer_gpt_5", "generalist_gpt_5"}


def test_another_search_service_brings_its_own_price():
    before, after = (
        next(t for t in each if t.kind == "web_search")
        for each in (read_tools("search"), searched_by(read_tools("search"), "brave"))
    )
    assert (before.service, after.service) == ("tavily", "brave")
    assert before.fee > 0
    assert after.fee > 0
    assert before.fee != after.fee
    with pytest.raises(UserError, match="no search service `bing`"):
        searched_by(read_tools("search"), "bing")


def test_a_file_of_ones_own_needs_no_name_of_its_only_set(tmp_path):
    file = catalogue_file(tmp_path)
    names = [tool.name for tool in read_tools(str(file))]
    assert names == [
        "web_search",
        "code_interpreter",
        "query_writer_small",
        "code_writer_large",
        "generalist_small",
        "generalist_large",
    ]
    assert [tool.name for tool in read_tools(f"{file}:both")] == names


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda text: text.replace('"lab/large"]\n', '"lab/lrge"]\n'), "model `lab/lrge`"),
        (lambda text: text.replace('tools = ["web_search",', 'tools = ["web_serch",'), "tool `web_serch`"),
        (lambda text: text.replace("vendor", "vendr"), "vendr"),
        (lambda text: text.replace("lab/large", "lab/small"), "`lab/small` is there twice"),
        (lambda text: text + "\n[sets.other]\ntools = []\n", "several sets: name one of both, other"),
        (lambda text: text.replace("[[model]]", "[model"), "not TOML"),
        (
            lambda text: text.replace('kind = "code_interpreter"', 'kind = "telepathy"'),
            "`tool.1`: Input tag 'telepathy' found using 'kind'",
        ),
        (lambda text: text.replace("input = 1.0", "input = -1.0"), "price.input"),
    ],
)
def test_a_mistake_in_a_catalogue_is_one_line_that_names_it(tmp_path, change, complaint):
    file = catalogue_file(tmp_path)
    file.write_text(change(file.read_text()))
    with pytest.raises(UserError) as error:
        read_tools(str(file))
    assert complaint in str(error.value)
    assert "\n" not in str(error.value)


def test_a_catalogue_that_is_not_there_is_an_error_of_the_user(tmp_path):
    with pytest.raises(UserError, match="cannot read the catalogue"):
        Catalogue.read(tmp_path / "nowhere.toml")
    with pytest.raises(UserError, match=r"no set `everything`.*full"):
        read_tools("everything")
