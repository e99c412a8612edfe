"""Code and data of a tau2-bench domain that have no place here are refused, with a line that says why."""

import json

import pytest

from tests.exchange.foreign_shop import DATABASE, MODELS, TOOLS
from toolscale.errors import UserError
from toolscale.exchange.tau2_import import import_tau2


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"O-1": {', '"O-1": {"order_id": 1, ', "ValidationError"),
        ('{"orders"', '{"more": {}, "orders"', "Extra inputs are not permitted"),
    ],
)
def test_a_database_that_its_models_refuse_is_refused(domain, tmp_path, old, new, message):
    text = json.dumps(DATABASE).replace('"order_id": "O-1", ', "").replace(old, new)
    (domain / "db.json").write_text(text)
    with pytest.raises(UserError, match=message):
        import_tau2(domain, tmp_path / "out")


def test_models_that_read_their_own_records_as_others_are_refused(domain, tmp_path):
    marked = "Annotated[str, AfterValidator(lambda text: text + '!')]"
    models = MODELS.replace("import BaseModel", "import AfterValidator, BaseModel")
    (domain / "data_model.py").write_text(models.replace("order_id: str", f"order_id: {marked}"))
    with pytest.raises(UserError, match="read their own records as others"):
        import_tau2(domain, tmp_path / "out")


def test_foreign_code_never_runs_outside_the_sandbox(domain, tmp_path):
    mark = tmp_path / "ran"
    opening = f"    opened = open({str(mark)!r}, 'w')\n"
    (domain / "tools.py").write_text(TOOLS.replace("    db: ShopDB\n", f"    db: ShopDB\n{opening}"))
    with pytest.raises(UserError, match="does not run in the sandbox"):
        import_tau2(domain, tmp_path / "out")
    assert not mark.exists()
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("import requests", r"tools.py:2: imports requests, which the sandbox does not have"),
        ("import requests.adapters", "imports requests.adapters"),
        ("from tau2.environment.toolkit import GenericToolKit", "imports tau2.environment.toolkit.GenericToolKit"),
        ("from .elsewhere import x, y", "imports .elsewhere"),
        ("from .elsewhere import a as x", "imports .elsewhere"),
        ("from .elsewhere import *", "imports .elsewhere"),
        ("def broken(:", "cannot be read as Python"),
    ],
)
def test_what_the_sandbox_cannot_have_is_refused_with_its_line(domain, tmp_path, line, message):
    read = "\n    def elsewhere(self):\n        return requests, GenericToolKit, x\n"
    (domain / "tools.py").write_text(f"\n{line}\n{TOOLS}{read}")
    with pytest.raises(UserError, match=message):
        import_tau2(domain, tmp_path / "out")


def test_what_no_tool_reaches_is_left_out_with_its_imports(domain, tmp_path):
    unread = (
        "import logging\nfrom pathlib import Path\nfrom tau2.domains.hotel.utils import HOTEL_DB_PATH\n"
        "from typing import *\n\nROOT = Path(HOTEL_DB_PATH).parent\nlogging.basicConfig()\n\n"
        "def load(path=ROOT):\n    return path.read_text()\n"
    )
    script = '\n\nif __name__ == "__main__":\n    from tau2.domains.shop.utils import NOWHERE\n\n    print(NOWHERE)\n'
    (domain / "tools.py").write_text(f"{unread}{TOOLS}{script}")
    assert import_tau2(domain, tmp_path / "out").written == {"functions": 5, "tasks": 1}


def test_two_toolkits_are_one_too_many(domain, tmp_path):
    (domain / "tools.py").write_text(TOOLS + "\nclass More(ToolKitBase):\n    pass\n")
    with pytest.raises(UserError, match="holds ShopTools, More"):
        import_tau2(domain, tmp_path / "out")


def test_one_name_for_two_things_is_refused(domain, tmp_path):
    (domain / "tools.py").write_text(
        TOOLS.replace("class ShopTools(", "class Card:\n    pass\n\n\nclass ShopTools(").replace(
            "    db: ShopDB\n", "    db: ShopDB\n    card = Card\n"
        )
    )
    with pytest.raises(UserError, match=r"`Card` is defined here and in (data_model|tools)\.py"):
        import_tau2(domain, tmp_path / "out")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("from json import dumps as Any", "`Any` is `from json import dumps as Any` here and elsewhere `from typing"),
        ("\n".join(f"a{n} = lambda: a{n + 1}" for n in range(2_000)) + "\nEach = a0", "through too many definitions"),
    ],
)
def test_what_would_mean_two_things_or_leads_on_for_ever_is_refused(domain, tmp_path, code, message):
    used = TOOLS.replace("    db: ShopDB\n", "    db: ShopDB\n    any: Any = None\n    each: Each = None\n")
    (domain / "tools.py").write_text(f"{code}\n{used}")
    with pytest.raises(UserError, match=message):
        import_tau2(domain, tmp_path / "out")


def test_stars_that_lead_round_in_circles_come_to_an_end(domain, tmp_path):
    (domain / "paths.py").write_text("from .data_model import *\nSHOP_DB_PATH = 1\n")
    (domain / "data_model.py").write_text("from .paths import *\n" + MODELS)
    assert import_tau2(domain, tmp_path / "out").written == {"functions": 5, "tasks": 1}
