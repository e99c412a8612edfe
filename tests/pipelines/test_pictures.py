"""Pictures are SVG that says what was counted, small enough for Dagster to show them at once."""

import re
from xml.etree import ElementTree

import pytest

from pipelines.curves import curves
from pipelines.pictures import bars, curve

SHOWN_AT_ONCE = 1_000
"""Characters of Markdown from which Dagster's UI hides it behind a link."""

STAGES = ("subjects", "schema", "entries", "validation", "functions_plan", "functions", "intents", "tasks", "evolution")
STAGES += ("episode", "user")


def svg(picture):
    """The picture as a browser gets it: what CommonMark makes of the link in angle brackets."""
    link = re.search(r"!\[[^]]*\]\(<(.*)>\)$", picture.value, re.DOTALL)[1]
    assert not re.search(r"(?<!\\)[<>]", link), "an angle bracket would end the link"
    plain = re.sub(r"\\([\\<>])", r"\1", link).replace("&amp;", "&").replace("%23", "#")
    return ElementTree.fromstring(plain.removeprefix("data:image/svg+xml;utf8,"))


def texts(picture):
    return [element.text for element in svg(picture).iter() if element.tag.endswith("}text")]


def test_each_name_stands_with_its_figure_whatever_its_letters():
    assert texts(bars({"a <b> & 'c' \\ #1": 2, "none": 0}, "Things")) == ["a <b> & 'c' \\ #1: 2", "none: 0"]


def test_the_greatest_bar_is_longest_and_nothing_has_no_length():
    (path,) = (
        element for element in svg(bars({"a": 1, "b": 4, "c": 0}, "Tasks")).iter() if element.tag.endswith("path")
    )
    one, four, none = (int(length) for length in re.findall(r"M6 \d+h(\d+)", path.get("d")))
    assert (four, none) == (4 * one, 0)


@pytest.mark.parametrize(
    "picture",
    [
        bars(dict.fromkeys(STAGES, 123.456), "Dollars by stage", form=",.3f"),
        bars({f"{solved / 8:.3g}": 100 + solved for solved in range(1, 9)}, "Kept tasks by pass rate"),
        curve([(step, (step % 17) / 17) for step in range(5_000)], "mean reward R"),
    ],
)
def test_pictures_are_shown_at_once(picture):
    svg(picture)
    assert len(picture.value) < SHOWN_AT_ONCE


def test_a_curve_goes_from_its_first_point_to_its_last_within_its_frame():
    drawn = curve([(step, float(step)) for step in range(1, 1_000)], "solved")
    (path,) = (element for element in svg(drawn).iter() if element.tag.endswith("path"))
    numbers = [int(number) for number in re.findall(r"-?\d+", path.get("d"))]
    assert (numbers[:2], numbers[-2:]) == ([0, 110], [400, 0])
    assert texts(drawn) == ["999", "1", "999", "1"]


def test_a_figure_that_never_changes_can_be_drawn():
    svg(curve([(1, 0.5), (2, 0.5)], "solved"))


def test_a_training_is_drawn_by_the_figures_it_tells():
    lines = [{"kind": "train", "step": step, "reward_mean": step / 10, "entropy": None} for step in (1, 2)]
    lines += [{"kind": "evaluation", "step": 0, "pass_rate": 0.1}]
    assert set(curves(lines)) == {"curve_reward_mean"}
