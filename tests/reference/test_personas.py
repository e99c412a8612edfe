"""Who speaks is somebody whom the records could describe."""

import re

import pytest

from tests.reference.drawn import drawn
from tests.reference.rehearsal import whole_database
from toolscale.reference.domain import reference_domain, reference_domains
from toolscale.reference.moments import age
from toolscale.reference.personas import fits, sex_of
from toolscale.reference.voices import VOICES

OLD = re.compile(r"retired|pensioner|emeritus|grand(mother|father)|widow|of seventy", re.IGNORECASE)
YOUNG = re.compile(r"teenager|pupil|\bstudent\b|au pair", re.IGNORECASE)
AT_WORK = re.compile(r"surgeon|notary|paramedic|courier|engineer|chef|nurse|parent|mother of", re.IGNORECASE)
WOMAN = re.compile(r"\b(grandmother|mother|widow|aunt|she|her)\b")
MAN = re.compile(r"\b(grandfather|father|widower|barman|postman|he|his)\b")


def _users(name):
    domain = reference_domain(name)
    tables = whole_database(domain, 0).values()
    return next(rows for rows in tables if all(row.get(domain.identity) == key for key, row in rows.items()))


@pytest.mark.parametrize("name", reference_domains())
def test_a_persona_and_the_records_do_not_contradict_each_other(name):
    for each in drawn(name):
        persona, user = each.made.draft["persona"], each.user
        if "birth_date" in user:
            years = age(user["birth_date"])
            assert not OLD.search(persona) or years >= 45, (persona, user)
            assert not YOUNG.search(persona) or years <= 41 or re.search("mature|guest", persona), (persona, user)
            assert OLD.search(persona) or not AT_WORK.search(persona) or 18 <= years < 71, (persona, user)
        sex = user.get("sex") or sex_of(user["name"])
        assert not WOMAN.search(persona) or sex != "male", (persona, user)
        assert not MAN.search(persona) or sex != "female", (persona, user)


@pytest.mark.parametrize("name", reference_domains())
def test_there_is_a_persona_for_every_user_in_every_voice_but_a_foreigner_s(name):
    domain = reference_domain(name)
    for user in _users(name).values():
        voices = [voice for voice in VOICES if any(fits(each, voice, user) for each in domain.personas_of(voice))]
        assert len(voices) >= 5, user


@pytest.mark.parametrize("name", reference_domains())
def test_no_persona_fits_nobody(name):
    domain = reference_domain(name)
    users = [*_users(name).values(), *({"birth_date": f"{year}-05-01"} for year in range(1945, 2012, 3))]
    for voice in VOICES:
        for persona in domain.personas_of(voice):
            assert any(fits(persona, voice, user) for user in users), persona


def test_of_a_user_out_of_sight_a_persona_says_nothing():
    assert fits("A member who joined last month.", "confused", None) is False
    assert fits("An artist who loses track of letters and numbers.", "confused", None)
    assert not fits("A retired judge of the old school.", "formal", None)


@pytest.mark.parametrize(
    ("persona", "voice", "user"),
    [
        ("A pensioner who is unsure.", "confused", {"birth_date": "2011-01-01"}),
        ("A paramedic on night shift.", "terse", {"birth_date": "1941-01-01"}),
        ("A student who is late for a train.", "hurried", {"birth_date": "1955-01-01"}),
        ("A pupil between two lessons.", "hurried", {"name": "Thea Simonsen", "plan_id": "PL-FIELD"}),
        ("A grandmother who took up padel.", "chatty", {"birth_date": "1950-01-01", "name": "Torben Zorbach"}),
        ("A grandfather who is glad.", "chatty", {"birth_date": "1950-01-01", "sex": "female"}),
        ("A cook who prefers short sentences.", "non_native", {"language": "English"}),
        ("A doctoral student who joined last month.", "plain", {"birth_date": "1998-01-01", "joined_on": "2019-02-01"}),
        ("A retired postman who has been in the club for years.", "plain", {"joined_on": "2026-09-01"}),
    ],
)
def test_a_persona_of_another_age_or_sex_or_past_does_not_fit(persona, voice, user):
    assert not fits(persona, voice, user)


def test_a_name_tells_a_sex_only_where_it_is_of_one():
    assert [sex_of(name) for name in ("Torben Zorbach", "Maren Vollbrecht", "Kim Smith")] == ["male", "female", ""]
