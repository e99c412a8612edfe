"""What domains are built from: people, places, moments, sums and keys that are right and follow from the seed."""

import re
from random import Random

import pytest
from jsonschema import Draft202012Validator

from toolscale.artifacts import schema_problems
from toolscale.reference import ids, moments, schemas, sums
from toolscale.reference.people import People
from toolscale.reference.places import COUNTRIES


@pytest.mark.parametrize("country", COUNTRIES)
def test_people_have_an_address_of_their_country_and_no_name_twice(country):
    people = People(5)
    drawn = [people.one(country) for _ in range(40)]
    assert len({person.name for person in drawn}) == 40
    cities = {city.name: city.postcode for city in COUNTRIES[country].cities}
    for person in drawn:
        assert cities[person.city] == person.postcode
        assert re.fullmatch(r"[a-z]+\.[a-z]+@example\.(com|org|net)", person.email)
        assert person.phone.startswith(COUNTRIES[country].calling)
    assert People(5).one(country) == drawn[0]


def test_who_is_drawn_from_one_country_does_not_depend_on_the_others():
    alone, among = People(1), People(1)
    among.one("FR")
    assert among.one("PL").name == alone.one("PL").name


def test_keys_are_unlike_and_match_their_patterns():
    given = ids.Ids(Random(1))
    numbers = [given.digits("PX", 2) for _ in range(90)]
    codes = [given.hex("RB") for _ in range(200)]
    assert len({*numbers, *codes}) == 290
    assert all(re.match(ids.digits_pattern("PX", 2), each) for each in numbers)
    assert all(re.match(ids.hex_pattern("RB"), each) for each in codes)


def test_days_and_times_lie_where_they_were_asked_for():
    rng = Random(2)
    for _ in range(50):
        day = moments.some_day(rng, 3, 12, weekdays="6")
        assert day in (moments.day(5), moments.day(12))
        clock = moments.some_clock(rng, "09:15", "10:45", 15)
        assert "09:15" <= clock <= "10:45"
        assert int(clock[3:]) % 15 == 0
        assert 18 <= moments.age(moments.birth_date(rng, 18, 30)) <= 30
    moment = moments.at("2026-11-24", "23:50")
    assert moments.shifted(moment, 20) == "2026-11-25T00:10"
    assert moments.minutes_between(moment, moments.shifted(moment, 20)) == 20
    with pytest.raises(ValueError, match="no day"):
        moments.some_day(rng, 1, 2, weekdays="7")


def test_sums_round_as_invoices_do():
    assert [sums.rounded(amount) for amount in (1.005, 2.675, 0.1 + 0.2)] == [1.01, 2.68, 0.3]
    assert all(10 <= sums.price(Random(seed), 10, 20) < 20 for seed in range(40))


def test_a_schema_in_few_words_is_one_that_the_factory_takes():
    schema = schemas.database(
        people=schemas.table(person_id=schemas.key(ids.digits_pattern("P")), born=schemas.DATE),
        loans=schemas.table(
            loan_id=schemas.key(ids.hex_pattern("L")),
            person_id=schemas.reference("people.person_id"),
            state=schemas.optional(schemas.one_of(("open", "paid"))),
            sum=schemas.optional(schemas.money("EUR")),
        ),
    )
    assert list(schema_problems(schema)) == []
    loan = {"loan_id": "L-00AB12", "person_id": "P-12345", "state": None, "sum": None}
    database = {"people": {}, "loans": {"L-00AB12": loan}}
    assert list(Draft202012Validator(schema).iter_errors(database)) == []
    loan["state"] = "lost"
    assert list(Draft202012Validator(schema).iter_errors(database))
