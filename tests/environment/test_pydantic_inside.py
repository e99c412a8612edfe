"""Functions that import pydantic have the real one, whole, without files and without the real clock."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from tests.environment.worlds import call, world
from toolscale.environment import Sandbox

MODELS = """
import datetime
import decimal
import enum
import re
import uuid
from typing import Annotated, Any, Generic, Literal, Optional, TypeVar, Union

import pydantic
from pydantic import (
    AnyUrl, AwareDatetime, BaseModel, ConfigDict, Field, IPvAnyAddress, Json, RootModel, SecretStr, TypeAdapter,
    computed_field, field_serializer, field_validator, model_validator, validate_call
)
from typing_extensions import TypedDict, override

Item = TypeVar("Item")


class Colour(enum.Enum):
    RED = "red"


class Base(BaseModel):
    model_config = ConfigDict(populate_by_name=True, extra="forbid")


class Movie(TypedDict, total=False):
    name: str


@pydantic.dataclasses.dataclass
class Point:
    x: int
    y: int = 0


class Box(Base, Generic[Item]):
    item: Item


class Everything(Base):
    number: int = Field(gt=0, alias="Number")
    code: Annotated[str, Field(pattern=r"^[A-Z]{2}[0-9]+$")] = "AB1"
    on: Optional[datetime.date] = None
    at: Optional[AwareDatetime] = None
    lasting: datetime.timedelta = datetime.timedelta(minutes=5)
    price: decimal.Decimal = decimal.Decimal("1.50")
    colour: Colour = Colour.RED
    either: Union[int, str] = 1
    which: Literal["a", "b"] = "a"
    id: uuid.UUID = uuid.UUID(int=7)
    url: Optional[AnyUrl] = None
    address: Optional[IPvAnyAddress] = None
    told: Optional[Json[list[int]]] = None
    secret: Optional[SecretStr] = None
    movie: Movie = {}
    point: Optional[Point] = None
    box: Optional[Box[int]] = None
    pattern: Optional[re.Pattern] = None
    file: Optional[pydantic.FilePath] = None

    @field_validator("which", mode="before")
    @classmethod
    def folded(cls, value: Any) -> Any:
        return value.lower() if isinstance(value, str) else value

    @model_validator(mode="after")
    def coherent(self) -> "Everything":
        if self.number == 13:
            raise ValueError("unlucky")
        return self

    @computed_field
    @property
    def double(self) -> int:
        return 2 * self.number

    @field_serializer("price")
    def shown(self, price: decimal.Decimal) -> str:
        return f"{price} CHF"


@validate_call
def _added(one: int, other: float = 1) -> float:
    return one + other


def build(db, values):
    made = Everything.model_validate(values)
    return [made.model_dump(mode="json"), repr(made), made.model_copy(update={"number": 3}).double]


def read(db, text):
    return Everything.model_validate_json(text).model_dump_json(by_alias=True, exclude_none=True)


def described(db):
    return [Everything.model_json_schema(), TypeAdapter(list[Box[str]]).json_schema()]


def add(db, one, other):
    return [_added(one, other), RootModel[list[int]]([one]).model_dump(), Box[int](item=one).model_dump()]
"""
CALLS = [
    call("build", values={"Number": "348", "on": "2026-03-14", "at": "2026-03-14T09:00:00+01:00", "which": "B"}),
    call("build", values={"number": 2, "url": "https://a.example/x", "address": "10.0.0.1", "told": "[1, 2]"}),
    call("build", values={"number": 2, "point": {"x": "1"}, "box": {"item": "2"}, "pattern": "a+", "secret": "x"}),
    call("build", values={"number": 0, "code": "a", "on": "x", "at": "2026-01-01T00:00:00", "price": "x", "more": 1}),
    call("build", values={"colour": "blue", "either": None, "which": 1, "id": "x", "url": "x", "address": "x"}),
    call("build", values={"number": 1, "told": "[", "movie": {"name": 1}, "box": {}, "pattern": "(", "lasting": "P1D"}),
    call("build", values={"number": 13}),
    call("read", text='{"Number": 5, "secret": "x", "lasting": 3.5}'),
    call("read", text="{"),
    call("described"),
    call("add", one="2", other=1),
    call("add", one="x", other=1),
]
ALONE = """
import json, sys
source, calls = json.load(sys.stdin)
module = {"__name__": "functions"}
exec(compile(source, "functions.py", "exec"), module)
for name, arguments in calls:
    try:
        print(json.dumps([module[name]({}, **arguments), None]))
    except Exception as error:
        print(json.dumps([None, str(error)[:1000]]))
"""


def outcomes(sandbox: Sandbox) -> list[Any]:
    """What each of the calls returned, and said."""
    return [[outcome.result, outcome.error] for outcome in sandbox.run(CALLS).outcomes]


def test_it_does_in_the_sandbox_what_it_does_outside() -> None:
    spoken = json.dumps([MODELS, [(each.name, each.arguments) for each in CALLS]])
    alone = subprocess.run(
        [sys.executable, "-c", ALONE],
        input=spoken,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYDANTIC_ERRORS_INCLUDE_URL": "0"},
    ).stdout.splitlines()
    with Sandbox(world(MODELS, {})) as sandbox, Sandbox(world(MODELS, {})) as another:
        inside = outcomes(sandbox)
        assert outcomes(another) == inside
    assert inside == [json.loads(line) for line in alone]
    assert sum(error is None for _, error in inside) == 6


def test_a_file_is_not_there() -> None:
    with Sandbox(world(MODELS, {})) as sandbox:
        refused = sandbox.run([call("build", values={"number": 1, "file": "/etc/hosts"})]).outcomes[0]
    assert refused.error_type in ("PermissionError", "ValidationError")


@pytest.mark.parametrize("name", ["PastDate", "FutureDate", "PastDatetime", "FutureDatetime"])
def test_what_asks_for_the_real_time_is_refused(name: str) -> None:
    source = f"from pydantic import {name}, TypeAdapter\ndef now(db): TypeAdapter({name})"
    with Sandbox(world(source, {})) as sandbox:
        refused = sandbox.run([call("now")]).outcomes[0]
    assert (refused.error_type, refused.error) == (
        "TypeError",
        f"{name} reads the real clock, which the sandbox does not have",
    )


def test_only_who_imports_it_has_it() -> None:
    source = """
def look(db):
    modules = [every for every in ().__class__.__base__.__subclasses__() if every.__module__.startswith("pydantic")]
    return len(modules)

def fetch(db):
    return __import__("pydan" + "tic").VERSION
"""
    with Sandbox(world(source, {})) as sandbox:
        found, fetched = sandbox.run([call("look"), call("fetch")]).outcomes
    with Sandbox(world("import pydantic\n" + source, {})) as sandbox:
        there, _ = sandbox.run([call("look"), call("fetch")]).outcomes
    assert found.result == 0
    assert isinstance(there.result, int)
    assert there.result > 0
    assert fetched.error_type == "ModuleNotFoundError"
