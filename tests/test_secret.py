"""A secret is what its environment variable holds; one that holds nothing opens no server."""

import pytest

from toolscale.errors import UserError
from toolscale.secret import secret_in


def test_a_secret_is_what_its_variable_holds_without_a_line_end(monkeypatch):
    monkeypatch.setenv("OUR_KEY", "sesame\n")
    assert secret_in("OUR_KEY", "--key-variable") == "sesame"


@pytest.mark.parametrize("variable", ["EMPTY_KEY", "KEY_THAT_NOBODY_SET"])
def test_a_variable_without_a_secret_is_refused_where_it_was_named(monkeypatch, variable):
    monkeypatch.setenv("EMPTY_KEY", " ")
    with pytest.raises(UserError, match=f"^--key-variable: the environment variable {variable} is not set"):
        secret_in(variable, "--key-variable")
