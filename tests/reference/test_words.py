"""What users say stands in data files: all of it is used, and a file that is wrong says where."""

from pathlib import Path

import pytest
import yaml

from toolscale.errors import UserError
from toolscale.reference.domain import reference_domain, reference_domains
from toolscale.reference.words import Words, about_domain

BOOK = """\
programs:
  book:
    intent: Book a table
    plain: >-
      A table for {party:count}, [please|thank you].
    unknown: >-
      no
"""


@pytest.mark.parametrize("name", reference_domains())
def test_all_that_is_worded_is_said_by_a_program_a_twist_or_a_description(name):
    domain = reference_domain(name)
    files = (domain.folder / "wordings").glob("*.yaml")
    sections = [yaml.safe_load(file.read_text(encoding="utf-8")) for file in files if file.stem != "domain"]
    said = {section: _names(sections, section) for section in ("programs", "descriptions")}
    assert said["programs"] == sorted(each.name for each in domain.programs)
    assert said["descriptions"] == sorted(each.slot for each in domain.descriptions)
    voices = [each["plain"] for section in sections for each in section.get("twists", {}).values()]
    twists = {twist.voices["plain"] for each in domain.programs for twist in each.twists}
    assert set(voices) <= twists | {twist.voices["plain"] for twist in domain.twists}


def test_a_program_takes_its_words_from_the_file_and_every_word_is_text(tmp_path):
    book = _words(tmp_path, BOOK).program("book", lambda world, rng: {}, lambda facts: None)
    assert (book.intent, book.unknown) == ("Book a table", "no")
    assert book.voices == {"plain": "A table for {party:count}, [please|thank you]."}


@pytest.mark.parametrize(
    ("text", "instead", "complaint"),
    [
        ("plain:", "plian:", r": programs\.book\.voices: no such voice: plian; there are plain, terse, .*"),
        ("plain:", "terse:", r": programs\.book\.voices: the voice `plain` is missing"),
        ("thank you]", "thank you", r": programs\.book\.voices\.plain: a bracket is not closed .*"),
        (":count}", ":cuont}", r": programs\.book\.voices\.plain: no kind of slot is called `cuont`; there are .*"),
        ("programs:", "programmes:", r": programmes: Extra inputs .*"),
        ("    intent: Book a table\n", "", r": programs\.book\.intent: Field required"),
        ("Book a table", "", r": programs\.book\.intent: .*"),
        ("    intent:", "   intent:", ", line 4: mapping values are not allowed in this context"),
        ("    unknown:", "    plain:", ", line 6: `plain` stands here twice"),
    ],
)
def test_a_file_that_is_wrong_is_one_error_that_says_where(tmp_path, text, instead, complaint):
    assert BOOK.count(text) == 1
    with pytest.raises(UserError, match=rf"^{tmp_path}/wordings/tables\.yaml{complaint}$"):
        _words(tmp_path, BOOK.replace(text, instead))


def test_words_that_are_missing_are_named_with_the_file_that_lacks_them(tmp_path):
    words = _words(tmp_path, BOOK)
    with pytest.raises(UserError, match=r"tables\.yaml: nothing is said for `cancel` among the programs$"):
        words.program("cancel", lambda world, rng: {}, lambda facts: None)
    with pytest.raises(UserError, match=r"wordings/domain\.yaml: No such file or directory$"):
        about_domain(tmp_path)


def _words(folder: Path, text: str) -> Words:
    file = folder / "wordings" / "tables.yaml"
    file.parent.mkdir()
    file.write_text(text, encoding="utf-8")
    return Words(file)


def _names(sections: list, section: str) -> list[str]:
    return sorted(name for each in sections for name in each.get(section, {}))
