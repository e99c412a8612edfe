"""Where a domain comes from stands in its file, and stays there when it is ordered."""

import pytest

from pipelines.domain_file import DomainFile
from pipelines.domains import domain_file, make_domain, origin_in, read_domain, write_domain
from pipelines.listing import listed_domains
from pipelines.orders import Order
from toolscale.errors import UserError
from toolscale.proposals.proposal import Origin

ORIGIN = Origin(division="91", topic='city "zoos"', tables={"animals": ["animal_id", "species"], "keepers": ["name"]})


def test_an_origin_survives_its_file_and_an_order_for_the_domain(tmp_path):
    zoo = make_domain("zoo", "animals")
    file = write_domain(str(tmp_path), zoo, origin=ORIGIN, off=True)
    assert (read_domain(str(tmp_path), "zoo"), origin_in(DomainFile.read(file))) == (zoo, ORIGIN)
    order = Order(order="o", run={"roles": {"agent": "openai/m"}, "seed": 3})
    write_domain(str(tmp_path), zoo, order)
    assert (read_domain(str(tmp_path), "zoo"), origin_in(DomainFile.read(file))) == (zoo, ORIGIN)


def test_a_domain_written_by_hand_has_none_and_is_listed_without_a_place(tmp_path):
    write_domain(str(tmp_path), make_domain("library", "books"))
    write_domain(str(tmp_path), make_domain("zoo", "animals"), origin=ORIGIN)
    assert origin_in(DomainFile.read(domain_file(str(tmp_path), "library"))) == Origin()
    listed, odd = listed_domains(str(tmp_path), "")
    assert [each.place for each in listed] == ["", "R 91 libraries, museums, zoos and nature reserves"]
    assert not odd


@pytest.mark.parametrize("said", ["division = 91", "tables = {animals = 'species'}", "tables = {'my animals' = ['a']}"])
def test_an_origin_in_another_form_is_one_line_with_its_path(tmp_path, said):
    file = domain_file(str(tmp_path), "zoo")
    file.parent.mkdir()
    file.write_text(f"description = 'animals'\n{said}\n")
    with pytest.raises(UserError, match=r"zoo\.toml: `(division|tables)"):
        origin_in(DomainFile.read(file))
    assert listed_domains(str(tmp_path), "")[1]
