"""A limit that decides nothing for what was drawn is found, and one that may decide something is let be."""

import pytest

from tests.programs.tool_hire import example, program
from toolscale.artifacts import DrawnTwist
from toolscale.programs.variants import idle_limit
from toolscale.synthesis.composed import goal_of

FIGURES = "round(fee * rng.choice([0.8, 0.9, 1.1, 1.2]))"


def idle(workshop, one, twist):
    (facts,) = workshop.draw(one, ["0"])
    goal = goal_of(one, "0", facts).model_copy(update={"twists": [twist]})
    return idle_limit(workshop, {one.name: one}, [goal], workshop.solve({one.name: one}, [goal]))


@pytest.mark.parametrize("most", [1, 10_000])
def test_a_condition_may_hold_or_not_where_near_figures_come_to_something_else(workshop, most):
    assert idle(workshop, program(), DrawnTwist(name="limit", facts={"most": most})) == ""


def test_a_condition_that_holds_whatever_figure_it_names_decides_nothing(workshop):
    one = program(source=program().source.replace(FIGURES, "10_000"))
    assert idle(workshop, one, DrawnTwist(name="limit", facts={"most": 10_000})) == "limit"


def test_a_constraint_must_change_what_comes_of_the_request(workshop):
    twists = [each | {"operator": "constraint"} for each in example()["twists"] if each["name"] == "limit"]
    assert idle(workshop, program(twists=twists), DrawnTwist(name="limit", facts={"most": 1})) == ""
    assert idle(workshop, program(twists=twists), DrawnTwist(name="limit", facts={"most": 10_000})) == "limit"


def test_twists_that_put_no_limit_are_not_asked_to_decide(workshop):
    assert idle(workshop, program(), DrawnTwist(name="others")) == ""
