"""The tree is ISIC's: 21 sections, 88 divisions, each code where the standard has it."""

from collections import Counter

from toolscale.proposals.tree import divisions


def test_the_tree_has_every_section_and_division_once():
    counts = Counter(each.section for each in divisions().values())
    assert "".join(counts) == "ABCDEFGHIJKLMNOPQRSTU"
    assert list(counts.values()) == [3, 5, 24, 1, 4, 3, 3, 5, 2, 6, 3, 1, 7, 6, 1, 1, 3, 4, 3, 2, 1]
    codes = [int(code) for code in divisions()]
    assert codes == sorted(set(codes))
    assert len(codes) == 88
    gaps = {4, 34, 40, 44, 48, 54, 57, 67, 76, 83, 89}
    assert set(range(1, 100)) - set(codes) == gaps, "codes that the standard leaves free"


def test_no_two_places_share_a_name():
    assert len({each.name for each in divisions().values()}) == 88
    assert divisions()["49"].path == "H 49 transport on land and in pipes"
