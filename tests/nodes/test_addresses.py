"""Addresses: shown without secrets, and told near from far."""

from __future__ import annotations

import pytest

from rqa_nodes.addresses import is_loopback, shown_url


@pytest.mark.parametrize(
    ("url", "shown", "loopback"),
    [
        ("http://user:pw@host:8080/v1?key=abc", "http://host:8080/v1", False),
        ("http://[::1]:8080/v1", "http://[::1]:8080/v1", True),
        ("http://localhost:11434", "http://localhost:11434", True),
        ("http://127.9.9.9", "http://127.9.9.9", True),
        ("http://127.0.0.1.example.org", "http://127.0.0.1.example.org", False),
        ("http://localhost@evil.example", "http://evil.example", False),
        ("http://[::1", "(no address)", False),
        ("words", "://words", False),
    ],
)
def test_an_address_is_shown_without_secrets_and_known_to_be_near_or_far(url: str, shown: str, loopback: bool) -> None:
    assert shown_url(url) == shown
    assert is_loopback(url) is loopback
