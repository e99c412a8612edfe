"""What the internet's own registries keep back is not public, on every Python: not only on those that know of it."""

import ipaddress
from ipaddress import ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolscale.tools.addresses import is_public

# IANA IPv4 and IPv6 Special-Purpose Address Registries: every block that is not globally reachable, or
# of which that cannot be said, and the blocks for multicast.
NOT_GLOBAL = [
    *("0.0.0.0/8", "0.0.0.0/32", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
    *("192.0.0.0/24", "192.0.0.0/29", "192.0.0.8/32", "192.0.0.170/32", "192.0.0.171/32", "192.0.2.0/24"),
    *("192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4"),
    *("255.255.255.255/32", "224.0.0.0/4"),
    *("::1/128", "::/128", "::ffff:0:0/96", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64", "2001::/23", "2001::/32"),
    *("2001:2::/48", "2001:10::/28", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10"),
    "ff00::/8",
]
# Globally reachable by those registries, or given out to nobody in particular, and yet no place for a page.
KEPT_BACK_TOO = [
    *("192.0.0.9/32", "192.0.0.10/32", "168.63.129.16/32"),
    *("2001:1::1/128", "2001:1::2/128", "2001:1::3/128", "2001:3::/32", "2001:4:112::/48", "2001:20::/28"),
    *("2001:30::/28", "fec0::/10", "::127.0.0.1/128", "4000::/3", "8000::/3", "c000::/3"),
]
GLOBAL = ["192.31.196.0/24", "192.52.193.0/24", "192.175.48.0/24", "2620:4f:8000::/48", "2a00::/12", "8.8.8.0/24"]
EVERY_BLOCK = [ip_network(block) for block in (*NOT_GLOBAL, *KEPT_BACK_TOO) if block != "::ffff:0:0/96"]


@given(st.data())
@pytest.mark.parametrize("block", [*NOT_GLOBAL, *KEPT_BACK_TOO])
def test_no_address_of_a_block_that_is_kept_back_is_public(block, data):
    network = ip_network(block)
    within = data.draw(st.sampled_from([network[0], network[-1]]) | st.ip_addresses(network=network))
    if block == "::ffff:0:0/96":  # IPv4 in IPv6's spelling: as public as the address that it spells
        assert is_public(str(within)) == is_public(str(within.ipv4_mapped))
    else:
        assert not is_public(str(within))


@given(st.data())
@pytest.mark.parametrize("block", GLOBAL)
def test_every_address_of_a_block_that_is_reachable_is_public(block, data):
    network = ip_network(block)
    assert is_public(str(data.draw(st.sampled_from([network[0], network[-1]]) | st.ip_addresses(network=network))))


@given(st.ip_addresses(v=4) | st.ip_addresses(network=ip_network("2000::/3")))
def test_whatever_no_registry_keeps_back_is_public(address):
    kept_back = any(address in block for block in EVERY_BLOCK if block.version == address.version)
    assert is_public(str(address)) is not kept_back


@given(st.ip_addresses(v=4))
def test_an_address_is_as_public_as_the_one_that_it_spells(address):
    for prefix in (0xFFFF << 32, 0x64FF9B << 96):
        assert is_public(str(ipaddress.IPv6Address(prefix | int(address)))) is is_public(str(address))


@pytest.mark.parametrize(
    "address", ["2606:4700:4700::1111%eth0", "fe80::1%1", "::ffff:1.1.1.1%lo", "64:ff9b::1.1.1.1%0"]
)
def test_an_address_with_a_zone_is_one_of_this_machines_own_links(address):
    assert ip_address(address)
    assert not is_public(address)
