"""A text is found in another however it is formatted, and never inside something else."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolscale.checkers.wording import fold, stands_in


def communicated(info: str, said: str) -> bool:
    return stands_in(fold(info), fold(said))


SAID = [
    ("10", "It costs 10."),
    ("10", "(10)"),
    ("10", "Total:10, please"),
    ("10", "a 10-day pass"),
    ("10", "共10元"),
    ("北京", "到北京的火车"),
    ("12.50", "$12.50"),
    ("12.50", "EUR 12.50."),
    ("€ 45.20", "That is 45.20 € in all"),
    ("-$5", "your balance is -5"),
    ("-10", "it is \N{MINUS SIGN}10 outside"),
    ("1,234", "1234 euros"),
    ("1234", "1'234!"),
    ("1234", "1\N{RIGHT SINGLE QUOTATION MARK}234"),
    ("1234", "1\N{NARROW NO-BREAK SPACE}234"),
    ("1\N{NO-BREAK SPACE}234.50", "US$1,234.50"),
    ("1234567", "1,234,567"),
    ("Anna Keller", "ANNA\n  keller's loan"),
    ("Zürich", "Zu\N{COMBINING DIAERESIS}rich"),
    ("14:30", "at 14:30."),
    ("B-12", "loan B-12, due soon"),
    ("2026-11-24", "on 2026-11-24."),
    ("10%", "10 % off"),
    ("10", "the total is...10"),
    ("10", "the total is\N{HORIZONTAL ELLIPSIS}10"),
    ("Anna Keller", "for _Anna Keller_"),
    ("10", "__10__ seats"),
    ("Acme drill", "the Acme\N{TRADE MARK SIGN} drill"),
    ("１２", "12 seats"),
]

NOT_SAID = [
    ("11", "1\N{VULGAR FRACTION ONE HALF} hours"),
    ("1", "user_1"),
    ("a_b", "a__b"),
    ("10", "2010"),
    ("10", "10.5"),
    ("10", "1,510"),
    ("10", "10,000"),
    ("10", "-10"),
    ("10", "-$10"),
    ("10", "\N{MINUS SIGN}10"),
    ("10", "0.10"),
    ("10", "2026-11-10"),
    ("2026", "2026-11-10"),
    ("10", "10:30"),
    ("30", "14:30"),
    ("10", "10/12"),
    ("10", "the 10th"),
    ("-10", "5-10"),
    (".5", "10.5"),
    ("12", "loan B-12"),
    ("B-1", "loan B-12"),
    ("B-1", "loan B-1-7"),
    ("art", "start"),
    ("art", "artful"),
    ("12.5", "12.50"),
    ("", "anything"),
    (" $ ", "anything $ at all"),
]


@pytest.mark.parametrize(("info", "said"), SAID)
def test_a_fact_is_found_however_it_is_formatted(info: str, said: str) -> None:
    assert communicated(info, said)


@pytest.mark.parametrize(("info", "said"), NOT_SAID)
def test_a_fact_is_not_found_inside_something_else(info: str, said: str) -> None:
    assert not communicated(info, said)


words = st.text(string.ascii_letters + " '", min_size=1)
texts = st.text(min_size=1)
numbers = st.integers(0, 10**9)
separators = st.sampled_from([",", "'", "\N{RIGHT SINGLE QUOTATION MARK}", "\N{NARROW NO-BREAK SPACE}", ""])


@given(texts)
def test_a_fact_always_matches_itself_in_a_sentence(info: str) -> None:
    assert communicated(info, f"Well, {info} is the answer.") == bool(fold(info))


@given(texts)
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(words, words)
def test_case_and_spaces_do_not_matter(info: str, said: str) -> None:
    spaced = "  ".join(said.upper().split(" "))
    assert communicated(info, said) == communicated(info.upper(), f"\t{spaced}\n")


@given(numbers, numbers, separators, separators)
def test_thousands_separators_do_not_matter(info: int, said: int, one: str, other: str) -> None:
    grouped, sentence = f"{info:,}".replace(",", one), f"It is {said:,} now".replace(",", other)
    assert communicated(grouped, sentence) == (info == said)


@given(numbers, st.text(string.digits + ".,-:/", max_size=3), st.text(string.digits, min_size=1, max_size=3))
def test_a_number_never_matches_inside_a_longer_one(number: int, joint: str, more: str) -> None:
    longer = f"{more}{number}"
    assert not communicated(str(number), f"it is {longer} now") or longer == str(number)
    assert not communicated(str(number), f"it is {number}{more} now")
    if len(joint) == 1 and not joint.isdigit():
        assert not communicated("7", f"it is 7{joint}{more}8 now")
