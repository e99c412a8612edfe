"""Simulated experts are right as often as their skill says, and are served and asked as any model is."""

import os
import subprocess
import sys
from collections import Counter
from contextlib import contextmanager
from random import Random

import openai
import pytest

from toolscale.catalogue.catalogue import read_tools
from toolscale.catalogue.configuration import configure
from toolscale.catalogue.latency import LatencyProfile
from toolscale.catalogue.prices import schedule
from toolscale.catalogue.toolbox import Toolbox
from toolscale.errors import UserError
from toolscale.llm import Gateway
from toolscale.mock_endpoint.experts.claims import CLAIMS, REMEDIES
from toolscale.mock_endpoint.experts.expert import UNKNOWN, Expert, catalogue_text, read_experts
from toolscale.mock_endpoint.experts.quiz import KINDS, find_question, make_questions, wrong_answer
from toolscale.questions.outcome import same
from toolscale.settings import Price, Settings

SOLVED_BY_HAND = {
    "What is 12 plus 30?": 42,
    "What is 700 minus 11?": 689,
    "How many minutes are 7 hours?": 420,
    "How many grams are 3 kilograms?": 3000,
    "In which year is somebody born in 1987 going to be 40?": 2027,
    "Which remainder is left when 7 to the power of 2 is divided by 10?": 9,
    "Count the primes between 10 and 20": 4,
    "Convert 1 weeks, 1 days and 1 hours to minutes": 11580,
    "Work out how many leap years lie between 1896 and 1912": 2,
}


def expert(name="lab/one", **told) -> Expert:
    given = {
        "description": "One.",
        "price": Price(input=1, output=2),
        "latency": LatencyProfile(seconds=0.0),
        "skill": {"easy": 0.8, "hard": 0.25},
        **told,
    }
    return Expert(name=name, **given)


@contextmanager
def served(*options: str):
    command = [sys.executable, "-m", "toolscale.cli", "serve-experts", "--port", "0", "--pace", "0", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=dict(os.environ))
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        assert process.wait(timeout=30) == 0


@pytest.mark.parametrize(("text", "answer"), SOLVED_BY_HAND.items())
def test_a_program_knows_the_right_answer(text, answer):
    assert find_question(f"You answer questions.\n\n{text.lower()}").answer == answer


def test_every_kind_of_question_is_in_the_table_and_is_read_back_from_its_wording():
    assert {find_question(text).kind for text in SOLVED_BY_HAND} == set(KINDS)
    for question in make_questions(300, seed=4):
        found = find_question(question.question)
        assert (found.text, str(found.answer)) == (question.question, question.answer)
        assert (found.kind.topic, found.kind.difficulty) == (question.topic, question.difficulty)


def test_a_quiz_is_drawn_by_its_seed_and_has_the_share_of_hard_questions_that_was_asked_for():
    made = make_questions(200, hard=0.25, seed=1)
    assert made == make_questions(200, hard=0.25, seed=1) != make_questions(200, hard=0.25, seed=2)
    assert Counter(each.difficulty for each in made) == {"easy": 150, "hard": 50}
    assert len({each.question for each in made}) == 200
    assert len({each.topic for each in made if each.difficulty == "hard"}) == 3
    with pytest.raises(UserError, match="different easy questions"):
        make_questions(1000, hard=0, kinds=[kind for kind in KINDS if "hours" in kind.wording])


def test_a_wrong_answer_is_wrong_and_near():
    draw = Random(0)
    for right in (0, 7, 42, 1000, 691260):
        found = {wrong_answer(right, draw) for _ in range(200)}
        assert right not in found
        assert all(len(str(each)) <= len(str(right)) + 1 and each >= 0 for each in found)
        assert len(found) > 1


def test_an_expert_is_right_as_often_as_its_skill_says():
    skill = {"easy": 0.8, "hard": 0.25, "units": 0.5, "dates/hard": 1.0}
    one = expert(skill=skill)
    right = Counter()
    asked = Counter()
    for question in make_questions(4000, seed=3):
        reply = one.reply(question.question)
        place = (question.topic, question.difficulty)
        asked[place] += 1
        right[place] += reply.right
        assert same(question.answer, reply.text) is reply.right
    expected = {
        ("arithmetic", "easy"): 0.8,
        ("arithmetic", "hard"): 0.25,
        ("units", "easy"): 0.5,
        ("units", "hard"): 0.5,
        ("dates", "easy"): 0.8,
        ("dates", "hard"): 1.0,
    }
    assert asked.keys() == expected.keys()
    for place, chance in expected.items():
        deviation = (chance * (1 - chance) * asked[place]) ** 0.5
        assert abs(right[place] - chance * asked[place]) <= 4 * deviation


def test_an_answer_follows_from_expert_question_and_seed_and_from_nothing_else():
    questions = [each.question for each in make_questions(100, hard=1.0)]
    one, other = expert(), expert("lab/other")
    told = [one.reply(text) for text in questions]
    assert told == [one.reply(f"Please.\n  {text.replace(' ', '  ')}") for text in questions]
    assert told != [other.reply(text) for text in questions]
    assert told != [one.reply(text, seed=1) for text in questions]


def test_what_is_not_of_the_quiz_is_not_known():
    no_year_between = "Work out how many leap years lie between 2024 and 1999"
    for text in ("Who painted it?", "", "What is 3 plus x?", no_year_between):
        reply = expert(skill={"easy": 1.0, "hard": 1.0}).reply(text)
        assert (reply.text, reply.right) == (UNKNOWN, False)


def test_an_expert_on_claims_says_a_remedy_rightly_as_often_as_its_skill_says_and_knows_no_quiz():
    one = expert(skill={"promise": 1.0, "lamp": 0.9, "radio": 0.1})
    right = Counter()
    for kind in CLAIMS:
        for number in range(1000, 1400):
            asked = kind.wording.format(a=number if kind.difficulty == "hard" else REMEDIES[number % 4])
            found = find_question(f"Please: {asked.upper()}.", CLAIMS)
            reply = one.reply(asked)
            assert found.kind == kind
            assert (reply.text == f"The answer is {found.answer}.") is reply.right
            assert reply.text.removeprefix("The answer is ").removesuffix(".") in REMEDIES
            right[kind.topic] += reply.right
    assert right["promise"] == 400
    assert 335 < right["lamp"] < 385
    assert 15 < right["radio"] < 65
    assert one.reply("What is 1 plus 1?").text == UNKNOWN
    assert expert(skill={"arithmetic": 1.0, "units": 1.0, "dates": 1.0}).reply("lamp fault 1000").text == UNKNOWN


def test_nothing_in_a_fault_tells_its_remedy():
    remedies = {kind.topic: [kind.solve(str(number)) for number in range(1000, 3000)] for kind in CLAIMS[1:]}
    for found in remedies.values():
        assert all(400 < count < 600 for count in Counter(found).values())
    same_for_both = sum(lamp == radio for lamp, radio in zip(*remedies.values(), strict=True))
    assert 400 < same_for_both < 600


@pytest.mark.parametrize(
    ("skill", "said"),
    [
        ("{ promise = 0.5, lamp = 0.5 }", "says nothing of radio/hard"),
        ("{ easy = 0.5 }", "says nothing of arithmetic/hard"),
        ("{ easy = 0.5, hard = 1.5 }", "is a probability"),
        ("{ easy = 0.5, hard = 0.5, poetry = 1.0 }", "there is no `poetry`"),
    ],
)
def test_a_skill_that_makes_no_sense_is_refused(tmp_path, skill, said):
    file = tmp_path / "experts.toml"
    file.write_text(
        '[[expert]]\nname = "x"\ndescription = "X."\nprice = { input = 1, output = 1 }\n'
        f"latency = {{ seconds = 1 }}\nskill = {skill}\n"
    )
    with pytest.raises(UserError, match=said):
        read_experts(file)


def test_the_server_answers_as_each_expert_and_bills_its_thoughts():
    experts = read_experts()
    with served("--seed", "3") as url:
        client = openai.OpenAI(base_url=url, api_key="none", max_retries=0, timeout=30)
        assert {model.id for model in client.models.list()} == experts.keys()
        for name, one in experts.items():
            for question in make_questions(12):
                before = {"role": "system", "content": "What is 1 plus 1?"}
                messages = [before, {"role": "user", "content": question.question}]
                said = client.chat.completions.create(model=name, messages=messages)
                expected = one.reply(question.question, seed=3)
                assert said.choices[0].message.content == expected.text
                assert said.usage.completion_tokens == expected.completion_tokens > one.thoughts
        streamed = client.chat.completions.create(model="simulated/large", messages=messages, stream=True)
        assert "".join(part.choices[0].delta.content or "" for part in streamed) == expected.text
        with pytest.raises(openai.NotFoundError, match="simulated/small"):
            client.chat.completions.create(model="simulated/none", messages=messages)


async def test_an_expert_is_a_model_of_a_catalogue_priced_and_timed_by_its_profile(tmp_path, store):
    file = tmp_path / "catalogue.toml"
    with served("--catalogue", str(file)) as url:
        assert file.read_text() == catalogue_text(read_experts(), url)
        tools = read_tools(str(file))
        free = {tool.model.model: Price(input=0, output=0) for tool in tools}
        async with Gateway(Settings(prices=free), store) as gateway, Toolbox(tools, gateway) as toolbox:
            configuration = configure(toolbox.available, schedule("together"))
            assert configuration.names == ("generalist_small", "generalist_large")
            shown = configuration.as_tools()[1]["function"]["description"]
            assert "$2.00 per million tokens read, $8.00 written" in shown
            opened = toolbox.open(configuration, task="q1")
            (question,) = make_questions(1, hard=1.0)
            small, large = [await tool.call({"question": question.question}) for tool in opened]
    for answer, one in zip((small, large), read_experts().values(), strict=True):
        reply = one.reply(question.question)
        assert answer.content == reply.text
        tokens = answer.prompt_tokens * one.price.input + reply.completion_tokens * one.price.output
        assert answer.dollars == pytest.approx(tokens / 1e6)
    assert large.dollars > 20 * small.dollars
    assert large.seconds > 3, "the time that its profile states, not the clock's"
