"""The offline model as the blind solver: policies decide over what was looked up; where none leads, it says so."""

import json

import pytest

from toolscale.artifacts import Json
from toolscale.prompts import render
from toolscale.reference.model import OfflineRequest, answer

WORDS = "hey. table, Bar Wiślany, 2026-12-02, 5:30 pm, 5 pax. number + deposit?\nguest no. GST-76807."
RESTAURANT = {"restaurant_id": "RES-WAW", "name": "Bar Wiślany", "city": "Warszawa"}
FOUND = {"name": "search_restaurants", "arguments": {"name": "Bar Wiślany"}, "result": [RESTAURANT]}
TABLES: list[Json] = [
    {"table_id": f"TBL-WAW-0{number}", "restaurant_id": "RES-WAW", "time": "17:30", "seats": seats, "area": "indoors"}
    for number, seats in ((3, 6), (4, 5), (5, 8))
]


def solved(words: str = WORDS, tables: list[Json] = TABLES, function: str = "book_table") -> dict[str, Json]:
    """The answer to the one choice of a prompt: which table."""
    arguments = {"restaurant_id": "RES-WAW", "date": "2026-12-02", "time": "17:30", "party_size": 5}
    free = {"name": "list_free_tables", "arguments": arguments, "result": tables}
    prompt = render(
        "openness",
        domain="restaurant",
        policy="",
        now="2026-11-23T09:00",
        instruction=words,
        reads=[FOUND, free],
        choices=[
            {
                "function": function,
                "beside": {"guest_id": "GST-76807"},
                "options": [{"table_id": f"TBL-WAW-0{number}"} for number in (3, 4, 5)],
            }
        ],
    )
    (found,) = json.loads(answer(OfflineRequest(prompt))["content"])["choices"]
    return dict(found)


@pytest.mark.parametrize(("seats", "option"), [((6, 5, 8), 2), ((5, 6, 8), 1), ((8, 6, 5), 3)])
def test_it_takes_the_option_that_the_policy_takes_over_what_was_looked_up(seats: tuple[int, ...], option: int) -> None:
    tables: list[Json] = [{**table, "seats": count} for table, count in zip(TABLES, seats, strict=True)]  # type: ignore[dict-item]
    assert solved(tables=tables) == {
        "choice": 1,
        "options": [option],
        "why": "the policy of what is asked for takes it",
    }


@pytest.mark.parametrize(
    ("words", "function"), [("Hm.", "book_table"), (WORDS, "change_reservation")], ids=["words", "function"]
)
def test_where_no_policy_leads_it_cannot_tell_and_names_all(words: str, function: str) -> None:
    assert solved(words, function=function)["options"] == [1, 2, 3]
