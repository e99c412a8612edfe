"""Which addresses a page may be fetched from: public ones, so that no page leads into the network that we stand in."""

import errno
import ipaddress
import socket
from collections.abc import Callable, Collection, Iterator
from typing import Any

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_INNER_SERVICES = frozenset({ipaddress.ip_address("168.63.129.16")})
"""Addresses in public space behind which a cloud's own services answer its machines (Azure's)."""


class NotPublic(OSError):  # noqa: N818 - it says what happened
    """A connection that was not made, because its address is not a public one."""

    def __init__(self) -> None:
        super().__init__(errno.EACCES, "it leads to an address that is not public")


def is_public(address: str) -> bool:
    """Whether the address, or every IPv4 address that it stands for, belongs to the public internet."""
    try:
        given = ipaddress.ip_address(address)
    except ValueError:
        return False
    return all(_is_public(each) for each in _meanings(given))


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


def _meanings(address: Address) -> Iterator[Address]:
    """The addresses at which a packet to this one may end: itself, or the IPv4 addresses that are spelled in it."""
    if isinstance(address, ipaddress.IPv4Address):
        yield address
    elif address.ipv4_mapped is not None:
        yield address.ipv4_mapped
    elif address in _NAT64:
        yield ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    else:
        yield address
        if address.sixtofour is not None:
            yield address.sixtofour
        if address.teredo is not None:
            yield from address.teredo


def _is_public(address: Address) -> bool:
    return (
        address.is_global
        and not address.is_multicast
        and not address.is_reserved
        and not address.is_unspecified
        and address not in _INNER_SERVICES
    )
