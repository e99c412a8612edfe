"""Of a file of topics each odd line is told by its number, and no other line is lost for it."""

import pytest

from toolscale.errors import UserError
from toolscale.proposals.topics import LARGEST, LONGEST, read_topics

ODD = {
    b"\xff\xfe\x00t": "not UTF-8",
    b"tea\x00houses": "cannot be seen",
    b"tea \x1b[31mhouses": "cannot be seen",
    b"x" * (LONGEST + 1): "at most 200",
    b"--- 12 ---": "no word",
    b"beach  CLUBS": "the same as line 1",
    b"Railway": "a domain `railway` is there",
    b"Port-Logistics": "a domain `port_logistics` is there",
}


def test_odd_lines_are_passed_over_and_every_other_line_is_a_topic(tmp_path):
    file = tmp_path / "topics.txt"
    lines = [b"Beach clubs", *ODD, "Café für Väter".encode(), b"tea houses\r"]
    file.write_bytes(b"\n".join(lines))
    found = read_topics(file, {"railway", "port_logistics"})
    assert found.topics == ["Beach clubs", "Café für Väter", "tea houses"]
    assert len(found.passed_over) == len(ODD)
    for number, (told, why) in enumerate(zip(found.passed_over, ODD.values(), strict=True), 2):
        assert f", line {number}: " in told
        assert why in told


def test_blank_lines_and_comments_are_for_readers_and_not_told(tmp_path):
    file = tmp_path / "topics.txt"
    file.write_bytes(b"# ours\n\n  \t\r\ntea houses\n   # later: beach clubs\n")
    found = read_topics(file, ())
    assert (found.topics, found.passed_over) == (["tea houses"], [])


def test_a_mark_of_the_byte_order_and_a_last_line_end_are_no_part_of_a_topic(tmp_path):
    file = tmp_path / "topics.txt"
    file.write_bytes(b"\xef\xbb\xbftea houses\n")
    assert read_topics(file, ()).topics == ["tea houses"]
    file.write_bytes(b"")
    assert read_topics(file, ()).topics == read_topics(file, ()).passed_over == []


def test_a_file_that_cannot_be_read_is_a_mistake_in_one_line(tmp_path):
    with pytest.raises(UserError, match=r"no\.txt: cannot be read"):
        read_topics(tmp_path / "no.txt", ())
    with pytest.raises(UserError, match="a folder"):
        read_topics(tmp_path, ())
    (tmp_path / "huge.txt").write_bytes(b"a\n" * LARGEST)
    with pytest.raises(UserError, match="too much"):
        read_topics(tmp_path / "huge.txt", ())
