"""May a machine at this address be asked for a document?

Only public unicast addresses: a page that a model or a search names must not reach this machine, its network, or the
metadata service of a cloud. An IPv6 address that stands for an IPv4 one is judged by that one too.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final

__all__ = ["is_public"]

_TRANSLATED: Final = (IPv6Network("64:ff9b::/96"), IPv6Network("::/96"))
"""Prefixes whose last 32 bits are an IPv4 address: NAT64 (RFC 6052) and the old IPv4-compatible form (RFC 4291)."""
_CLOUD: Final = frozenset({IPv4Address("168.63.129.16")})
"""Azure's platform service: a public address that answers only from inside a machine."""

_PROTOCOLS: Final = IPv4Network("192.0.0.0/24")
"""IETF protocol assignments (RFC 6890), a cloud's metadata among them; older Pythons call parts of it global."""


def is_public(address: str) -> bool:
    """Is this the address of a machine of the public internet? False for what is no address."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    return all(_is_public(one) for one in (found, *_meant(found)))


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    special = address.is_multicast or address.is_reserved or address in _CLOUD or address in _PROTOCOLS
    return address.is_global and not special


def _meant(address: IPv4Address | IPv6Address) -> list[IPv4Address]:
    """The IPv4 addresses inside an IPv6 one."""
    if isinstance(address, IPv4Address):
        return []
    found = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if any(address in network for network in _TRANSLATED):
        found.append(IPv4Address(int(address) & 0xFFFF_FFFF))
    return [one for one in found if one is not None]
