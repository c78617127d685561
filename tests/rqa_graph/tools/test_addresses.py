"""Which addresses may be asked for a page, and which never."""

from __future__ import annotations

from ipaddress import IPv4Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rqa_graph.tools.addresses import is_public

_PRIVATE = [
    *("127.0.0.1", "127.8.8.8", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1"),
    *("192.0.0.192", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "168.63.129.16", "192.0.2.1"),
    *("::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "ff02::1", "2001:db8::1"),
    *("::ffff:127.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe"),
    *("2002:7f00:1::", "2002:a00:1::", "2001:0:7f00:1::80ff:fffe"),
    *("", "localhost", "1", "0x7f.1", "127.1", "example.org", "1.2.3.4.5"),
]


@pytest.mark.parametrize("address", _PRIVATE)
def test_what_is_not_public_is_never_asked(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["1.1.1.1", "93.184.216.34", "2606:4700:4700::1111"])
def test_a_public_machine_may_be_asked(address: str) -> None:
    assert is_public(address)


@given(st.ip_addresses(v=4))
def test_an_address_in_ipv6_clothes_is_judged_like_itself(address: IPv4Address) -> None:
    if not is_public(str(address)):
        assert not is_public(f"::ffff:{address}")
        assert not is_public(f"64:ff9b::{address}")
        assert not is_public(f"2002:{int(address) >> 16:x}:{int(address) & 0xFFFF:x}::")
