"""Whether who the user is said to be goes with the user's record: age, sex and place, where both say one.

Only plain words count ("a pensioner", "I live in Porto"), and only the one record that the user's own ids name.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime

from toolscale.artifacts import EnvironmentSpec, Json, Task
from toolscale.checkers.wording import fold, stands_in

Ages = tuple[int, int]
Fields = Mapping[str, Json]

_BIRTH = frozenset(
    ["birth_date", "birthdate", "date_of_birth", "dob", "born", "born_on", "birthday", "birth_year", "year_of_birth"]
)
_SEX = frozenset(["sex", "gender"])
_CITY = frozenset(["city", "home_city", "town", "home_town"])
_COUNTRY = frozenset(["country", "home_country", "country_of_residence"])
_TELLING = _BIRTH | _SEX | _CITY | _COUNTRY | {"age"}

_OLDEST = 130
_AGES: tuple[tuple[int, int, str], ...] = (
    (50, _OLDEST, r"pensioner|senior citizen|octogenarian|septuagenarian"),
    (38, _OLDEST, r"retired|retiree"),
    (35, _OLDEST, r"grand(?:father|mother|pa|ma|dad|parent)|granny|grandad|elderly|old (?:lady|man|woman|gentleman)"),
    (12, 20, r"teenager|teenage|teen|adolescent"),
    (5, 21, r"schoolboy|schoolgirl|schoolchild|pupil|(?:high|secondary|primary) school student"),
    (15, 75, r"(?:university|college|graduate|postgraduate|medical|law|phd|exchange) student|undergraduate"),
    (10, 75, r"student"),
    (14, 45, r"young (?:woman|man|lady|professional|couple|parent|mother|father)"),
    (33, 67, r"middle-aged"),
    (15, _OLDEST, r"mother|father|mum|dad|parent|widow|widower|divorcee|veteran|landlord|landlady"),
    (15, 90, r"nurse|doctor|surgeon|teacher|lawyer|engineer|accountant|pilot|professor|carpenter|plumber|baker"),
    (15, 90, r"(?:bus|taxi|lorry|truck) driver|journalist|architect|manager|banker|electrician|butcher|consultant"),
    (0, 15, r"child|little (?:boy|girl)|kid|toddler"),
)
"""From and to what age people are called so, in years, with room to spare. The first that is found counts."""
_AGE_GIVEN = re.compile(r"\b(\d{1,3})[- ]years?[- ]old\b|\baged (\d{1,3})\b|\bage of (\d{1,3})\b")
_DECADE = re.compile(
    r"\bin (?:his|her|their|my) (?:early |mid-?|late )?(teens|twenties|thirties|forties|fifties|sixties|"
    r"seventies|eighties|nineties)\b"
)
_DECADES = ("", "teens", "twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties", "nineties")
_FEMALE = (
    r"woman|lady|girl|mother|mum|grandmother|grandma|granny|widow|schoolgirl|housewife|businesswoman|landlady|aunt|"
    r"nun|waitress|actress"
)
_MALE = (
    r"man|gentleman|boy|father|dad|grandfather|grandpa|grandad|widower|schoolboy|businessman|landlord|uncle|monk|"
    r"waiter|actor|barman"
)

_SELF = re.compile(r"(?:^|[.!?;]\s+|\band |, )(?:i am|i'm) (?:now |just |already |only )?((?:an? |\d)[^.,;!?]*)")
_HEAD = re.compile(
    r"^(?:[\w'-]+(?: [\w'-]+){0,3}, )?(an? [^.,;]*?|retired [^.,;]*?)(?:$|[.,;]| (?:who|whose|with|of|on|in|at|"
    r"from|that|for|and|to|by|living|between|after)\b)"
)
_LIVES = re.compile(
    r"\b(?:(?:i|who|and) (?:now |currently )?(?:live|lives|reside|resides) in|living in|resident of|(?:i am|i'm|"
    r"who is|and is) based in|my home town is) "
    r"((?:the )?[\w' -]+)"
)


def contradictions(task: Task, spec: EnvironmentSpec) -> Iterator[str]:
    """A sentence for each thing that persona or instruction says of the user, and the user's record says otherwise."""
    found = _own_record(task, spec)
    if found is None or task.user_scenario is None:
        return
    place, record = found
    who = _described(task)
    yield from _age(who, record, place, spec.now)
    yield from _sex(who, record, place)
    yield from _home(task, record, place, spec)


def _own_record(task: Task, spec: EnvironmentSpec) -> tuple[str, Fields] | None:
    """The one entry that the user names by its key and that says something of a person; None if there is none such."""
    if task.user_scenario is None:
        return None
    said = fold(task.user_scenario.instructions.known_info or task.instruction)
    named = [
        (f"{table}/{key}", _fields(entry))
        for table, entries in spec.database.items()
        if isinstance(entries, dict)
        for key, entry in entries.items()
        if isinstance(entry, dict) and _tells(entry) and stands_in(fold(key), said)
    ]
    personal = [each for each in named if each[1].keys() & (_BIRTH | _SEX | {"age"})]
    candidates = personal or named
    return candidates[0] if len(candidates) == 1 else None


def _tells(entry: Fields) -> bool:
    """Whether the entry, or an object in it, has a field that says something of a person."""
    inner = (field for field in entry.values() if isinstance(field, dict))
    return not all(map(_TELLING.isdisjoint, (entry, *inner)))


def _fields(entry: Fields) -> Fields:
    """The entry's fields, with those of an object such as `address` in it."""
    inner = {name: value for field in entry.values() if isinstance(field, dict) for name, value in field.items()}
    return {**inner, **entry}


def _described(task: Task) -> list[str]:
    """What is said of the user: the start of the persona, and each "I am a ..." of the instruction, folded."""
    assert task.user_scenario is not None
    persona = " ".join(task.user_scenario.persona.split()).casefold()
    told = [head[1]] if (head := _HEAD.match(persona)) else []
    if decade := _DECADE.search(persona):
        told.append(decade[0])
    return [*told, *(found[1] for found in _SELF.finditer(" ".join(task.instruction.split()).casefold()))]


def _age(who: list[str], record: Fields, place: str, now: datetime) -> Iterator[str]:
    age = _age_of(record, now)
    if age is None:
        return
    for words in who:
        for ages, said in _ages_said(words):
            if not ages[0] <= age <= ages[1]:
                yield f"the user is {said!r}, and {place} is {age} years old"


def _age_of(record: Fields, now: datetime) -> int | None:
    if type(age := record.get("age")) is int:
        return age
    for name in sorted(_BIRTH & record.keys()):
        text = str(record[name])
        if re.fullmatch(r"(?:19|20)\d\d", text):
            return now.year - int(text)
        try:
            born = date.fromisoformat(text[:10])
        except ValueError:
            continue
        return now.year - born.year - ((now.month, now.day) < (born.month, born.day))
    return None


def _ages_said(words: str) -> Iterator[tuple[Ages, str]]:
    if given := _AGE_GIVEN.search(words):
        years = int(next(filter(None, given.groups())))
        yield (years - 1, years + 1), given[0]
    elif decade := _DECADE.search(words):
        start = 10 * _DECADES.index(decade[1])
        yield (start - 1, start + 10), decade[0]
    else:
        for least, most, nouns in _AGES:
            if noun := re.search(rf"\b(?:{nouns})\b(?!-)", words):
                yield (least, most), noun[0]
                return


def _sex(who: list[str], record: Fields, place: str) -> Iterator[str]:
    recorded = next((str(record[name]).casefold() for name in sorted(_SEX & record.keys())), "")
    sex = {"f": "female", "w": "female", "woman": "female", "m": "male", "man": "male"}.get(recorded, recorded)
    if sex not in ("female", "male"):
        return
    for words in who:
        other = re.search(rf"\b(?:{_MALE if sex == 'female' else _FEMALE})$", words)
        if other:
            yield f"the user is {other[0]!r}, and {place} is {recorded}"


def _home(task: Task, record: Fields, place: str, spec: EnvironmentSpec) -> Iterator[str]:
    assert task.user_scenario is not None
    text = " ".join(f"{task.user_scenario.persona}. {task.instruction}".split()).casefold()
    for names in (_CITY, _COUNTRY):
        own = [fold(str(record[name])) for name in sorted(names & record.keys()) if isinstance(record[name], str)]
        if not own:
            continue
        for found in _LIVES.finditer(text):
            said, others = fold(found[1]), _all_of(names, spec)
            elsewhere = [other for other in others if said == other or said.startswith((f"{other} ", f"{other},"))]
            if elsewhere and not any(said.startswith(home) for home in own):
                yield f"the user lives in {max(elsewhere, key=len)!r}, and {place} in {own[0]!r}"


def _all_of(names: frozenset[str], spec: EnvironmentSpec) -> set[str]:
    return {
        fold(value)
        for table in spec.database.values()
        if isinstance(table, dict)
        for entry in table.values()
        if isinstance(entry, dict)
        for name, value in _fields(entry).items()
        if name in names and isinstance(value, str) and value
    }
