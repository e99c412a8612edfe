"""Preferences: what a user says and P belong together, nothing unsound is kept, and no pair is in both splits."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.openai_server import OpenAIServer
from tests.orchestration.orchestra import gateway_to
from toolscale.catalogue.catalogue import read_tools
from toolscale.catalogue.prices import schedule
from toolscale.errors import UserError
from toolscale.llm import Gateway
from toolscale.preferences.preference import (
    Preference,
    Preferences,
    faults,
    preferences_in,
    read_preferences,
    split,
)
from toolscale.preferences.proposals import THEMES, ToolFacts, facts_of, propose_preferences
from toolscale.reference import preferences as offline
from toolscale.settings import Settings

PAPERS_TOOLS = [
    ToolFacts(name="web_search", kind="web_search"),
    ToolFacts(name="local_search", kind="local_search"),
    *(
        ToolFacts(
            name=name, kind="model", role="generalist", model=name, vendor=vendor, open_weights=vendor != "OpenAI"
        )
        for name, vendor in (
            ("qwen3_235b", "Alibaba"),
            ("llama_3_3_70b", "Meta"),
            ("o3_mini", "OpenAI"),
            ("o3", "OpenAI"),
        )
    ),
]
"""The paper's example (Appendix, preference example)."""

NAMES = [tool.name for tool in PAPERS_TOOLS]
SAID = "Only I may read this, so please keep it on my own machines."


def preference(wants, said=SAID, tools=NAMES):
    vector = [float(wants.get(name, 0)) for name in (*tools, "outcome", "compute", "latency")]
    return Preference(id=f"preference-{said}", theme="privacy", instruction=said, tools=tools, vector=vector)


async def proposed_offline(tools, store, **asked):
    async with Gateway(Settings(), store) as gateway:
        return await propose_preferences(tools, gateway, **asked)


async def test_the_papers_example_comes_out_as_in_the_paper(store):
    kept, _ = await proposed_offline(PAPERS_TOOLS, store)
    (found,) = [one for one in kept if one.instruction.startswith("I work for a company and its server")]
    assert found.tools == NAMES
    assert found.vector == [0, 1, 1, 1, 0, 0, 0, 0, 0]


@pytest.mark.parametrize("name", ["training", "full", "unseen", "basic", "search"])
async def test_the_offline_model_has_sixty_preferences_over_any_catalogue(store, name):
    tools = facts_of(read_tools(name), schedule("together"))
    kept, rejects = await proposed_offline(tools, store)
    assert len({one.instruction for one in kept}) == len(kept) >= 60
    names = [tool.name for tool in tools]
    for one in kept:
        assert one.tools == names
        assert faults(one.instruction, one.wants, names) == []
        assert one.for_tools(names).tolist() == one.vector
    assert {reject.check for reject in rejects} == {"validator"}, "its slips are found"
    if len(tools) > 4:
        assert {one.theme for one in kept} == set(THEMES)


async def test_one_tool_is_enough_and_none_is_refused(store):
    kept, _ = await proposed_offline([ToolFacts(name="web_search", kind="web_search")], store)
    assert len(kept) >= 55
    with pytest.raises(UserError, match="offers none"):
        await proposed_offline([], store)


async def test_no_vector_and_no_instruction_is_in_both_splits(store):
    for seed in range(3):
        kept, _ = await proposed_offline(facts_of(read_tools("full"), schedule("together")), store, seed=seed)
        parts = {each: [one for one in kept if one.split == each] for each in ("train", "eval")}
        assert min(map(len, parts.values())) >= 10
        assert not {tuple(one.vector) for one in parts["train"]} & {tuple(one.vector) for one in parts["eval"]}
        assert not {one.instruction for one in parts["train"]} & {one.instruction for one in parts["eval"]}


@given(
    st.lists(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=9, max_size=9).filter(any), min_size=1, max_size=30)
)
def test_the_split_depends_on_what_is_wanted_alone_and_leaves_no_split_empty(vectors):
    names = (*NAMES, "outcome", "compute", "latency")
    given_ = [preference(dict(zip(names, vector, strict=True)), f"{SAID} {n}") for n, vector in enumerate(vectors)]
    found = split(given_)
    assert {one.id: one.split for one in split(given_[::-1])} == {one.id: one.split for one in found}
    by_vector: dict[tuple[float, ...], set[str]] = {}
    for one in found:
        by_vector.setdefault(tuple(one.vector), set()).add(one.split)
    assert all(len(splits) == 1 for splits in by_vector.values())
    if len(by_vector) > 1:
        assert any(one.split == "eval" for one in found)


@given(
    st.dictionaries(st.sampled_from([*NAMES, "outcome", "compute", "latency", "gpt_9"]), st.floats(-1, 2), max_size=6)
)
def test_what_the_program_lets_pass_is_a_preference_vector(wants):
    sound = not faults(SAID, wants, NAMES)
    inside = all(0 <= value <= 1 for value in wants.values())
    assert sound == (inside and any(wants.values()) and "gpt_9" not in wants)
    if sound:
        one = preference(wants)
        assert one.for_tools(NAMES).shape == (len(NAMES) + 3,)
        assert one.wants == {name: value for name, value in wants.items() if value}


@pytest.mark.parametrize(
    "said",
    [
        "My preference vector is on local search.",
        "I want [0, 1, 1, 0] of it, please, as always.",
        "Give latency 0.5, please.",
        "Maximize r_outcome for me, please, and more.",
        "Cheap.",
    ],
)
def test_an_instruction_that_names_the_vector_or_says_nothing_is_refused(said):
    assert faults(said, {"outcome": 1}, NAMES)


def test_versions_of_models_and_sums_of_money_are_no_vectors():
    assert faults("Use Llama-3.3-70B or Qwen2.5, and spend 0.5 cents at most.", {"outcome": 1}, NAMES) == []


def test_a_task_that_offers_a_subset_gets_the_vector_of_the_subset():
    one = preference({"local_search": 1, "o3": 0.5, "outcome": 1, "latency": 0.25})
    assert one.for_tools(["o3", "web_search"]).tolist() == [0.5, 0, 1, 0, 0.25]
    assert one.suits(["o3"])
    assert not one.suits(["web_search"])
    with pytest.raises(UserError, match="none of which is offered"):
        one.for_tools(["web_search"])
    cheap = preference({"compute": 1})
    assert np.array_equal(cheap.for_tools([]), [0, 1, 0])
    assert one.told_after("Who won?\n") == f"Who won?\n\n{SAID}"


async def test_what_either_check_refuses_is_kept_apart_with_its_reason(store):
    pairs = [
        {"instruction": SAID, "wants": {"local_search": 1}},
        {"instruction": "Ask the oracle whenever you can, please.", "wants": {"oracle": 1}},
        {"instruction": "Nothing matters to me at all, do as you like.", "wants": {"outcome": 0}},
        {"instruction": "Be quick about it, whatever it may cost.", "wants": {"compute": 1}},
        {"instruction": SAID.upper(), "wants": {"outcome": 1}},
    ]
    judged: list[str] = []

    def answers(request):
        if request["model"] == "teacher":
            return json.dumps({"preferences": pairs})
        judged.append(request["messages"][-1]["content"])
        wrong = {2: "the user asks for speed"}
        return json.dumps(
            {"verdicts": [{"number": n, "consistent": n not in wrong, "reason": wrong.get(n, "")} for n in (1, 2, 3)]}
        )

    with OpenAIServer(answers) as server:
        models = {"teacher": {"model": "openai/teacher", "api_base": server.url}}
        async with gateway_to(server, store, models=models) as gateway:
            kept, rejects = await propose_preferences(PAPERS_TOOLS, gateway)
    assert [(one.instruction, one.wants) for one in kept] == [(SAID, {"local_search": 1.0})]
    reasons = {reject.check: [] for reject in rejects}
    for reject in rejects:
        reasons[reject.check] += reject.reasons
    assert set(reasons) == {"program", "validator", "distinct"}
    assert any("nothing is called oracle" in reason for reason in reasons["program"])
    assert any("nothing is wanted" in reason for reason in reasons["program"])
    assert set(reasons["validator"]) == {"the user asks for speed"}
    assert all("oracle whenever" not in prompt for prompt in judged), "what a program refuses, no model is paid for"


async def test_a_validator_that_leaves_pairs_out_is_asked_again_and_then_nothing_is_kept(store):
    def answers(request):
        if "You invent users" in request["messages"][0]["content"]:
            return json.dumps({"preferences": [{"instruction": SAID, "wants": {"outcome": 1}}]})
        return json.dumps({"verdicts": []})

    with OpenAIServer(answers) as server:
        async with gateway_to(server, store) as gateway:
            kept, rejects = await propose_preferences(PAPERS_TOOLS, gateway)
    assert kept == []
    assert all("one verdict for each of the pairs" in reject.reasons[0] for reject in rejects)
    assert {reject.check for reject in rejects} == {"validator_form"}


@pytest.mark.parametrize(("refuses", "check"), [("You invent users", "Refused"), ("You check", "validator_Refused")])
async def test_a_model_that_refuses_one_theme_is_a_reject_of_its_own_role(store, refuses, check):
    def answers(request):
        if refuses in request["messages"][0]["content"]:
            return {"content": None, "refusal": "never"}
        return json.dumps({"preferences": [{"instruction": SAID, "wants": {"outcome": 1}}]})

    with OpenAIServer(answers) as server:
        async with gateway_to(server, store) as gateway:
            kept, rejects = await propose_preferences(PAPERS_TOOLS, gateway)
    assert kept == []
    assert {reject.check for reject in rejects} == {check}
    assert all("never" in reject.reasons[0] for reject in rejects)


def test_the_offline_validator_finds_a_figure_that_the_words_do_not_bear_out():
    told = [tool.model_dump() for tool in PAPERS_TOOLS]
    pair = offline.propose("privacy", 1, told, seed=1)["preferences"][0]
    right, wrong, unknown = offline.judge(
        [{"number": 1, **pair}, {"number": 2, **pair, "wants": {**pair["wants"], "o3": 1.0}},
         {"number": 3, **pair, "instruction": "Anything."}],
        told,
    )["verdicts"]  # fmt: skip
    assert right["consistent"]
    assert not wrong["consistent"]
    assert "o3" in wrong["reason"]
    assert not unknown["consistent"]


def test_a_file_of_preferences_is_checked_when_it_is_read(tmp_path):
    whole = Preferences(
        catalogue="full",
        schedule="together",
        proposed_by="a",
        validated_by="b",
        kept=[preference({"o3": 1})],
        rejects=[],
    )
    file = tmp_path / "preferences.json"
    file.write_text(whole.model_dump_json())
    assert read_preferences(file) == whole
    assert whole.of("eval") == []
    short = json.loads(file.read_text())
    short["kept"][0]["vector"] = [1.0]
    with pytest.raises(UserError, match="9 are needed"):
        preferences_in(json.dumps(short), "here")
    with pytest.raises(UserError, match="holds no preferences"):
        preferences_in("{}", "here")
    with pytest.raises(UserError, match="cannot read"):
        read_preferences(tmp_path / "none.json")
