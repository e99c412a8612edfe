"""Which addresses a page may be fetched from: public ones, so that no page leads into the network that we stand in."""

import errno
import ipaddress
import socket
from collections.abc import Callable, Collection
from typing import Any

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_NOT_PUBLIC_4 = tuple(
    ipaddress.IPv4Network(network)
    for network in (
        *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
        *("192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24"),
        *("203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"),
        "168.63.129.16/32",  # behind which Azure's own services answer its machines
    )
)
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
"""All that was ever given out of IPv6, so that what is reserved, now or later, needs no list."""
_NOT_PUBLIC_6 = tuple(
    ipaddress.IPv6Network(network)
    for network in (
        "2001::/23",  # of protocols, such as Teredo: no page lies there
        "2001:db8::/32",
        "2002::/16",  # 6to4, whose packets end at whatever IPv4 address is spelled in it
        "3fff::/20",
    )
)
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


class NotPublic(OSError):  # noqa: N818 - it says what happened
    """A connection that was not made, because its address is not a public one."""

    def __init__(self) -> None:
        super().__init__(errno.EACCES, "it leads to an address that is not public")


def is_public(address: str) -> bool:
    """Whether the address, or the IPv4 address that it stands for, belongs to the public internet.

    Not left to `ipaddress`, whose own answer differs from one release of Python to the next.
    """
    try:
        meant = _meant(ipaddress.ip_address(address))
    except ValueError:
        return False
    if isinstance(meant, ipaddress.IPv4Address):
        return not any(meant in network for network in _NOT_PUBLIC_4)
    named = meant.scope_id is not None  # a zone is one of this machine's own links
    return not named and meant in _GLOBAL_UNICAST and not any(meant in network for network in _NOT_PUBLIC_6)


def public_sockets(allowed: Collection[str]) -> Callable[[Any], socket.socket]:
    """A maker of sockets for aiohttp that refuses to make one towards an address that is not public.

    It is asked for each address right before the connection is made to that very address. So it does not matter how
    the address came about: a literal in any spelling, a name, a name that answers differently the second time, or a
    redirect. ``allowed`` are addresses that are let through all the same.
    """

    def make(address_info: Any) -> socket.socket:
        family, kind, protocol, _, place = address_info
        if place[0] not in allowed and not is_public(place[0]):
            raise NotPublic
        return socket.socket(family, kind, protocol)

    return make


def _meant(address: Address) -> Address:
    """The address at which a packet to this one ends: itself, or the IPv4 address that is spelled in it."""
    if isinstance(address, ipaddress.IPv4Address) or address.scope_id is not None:
        return address
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address
