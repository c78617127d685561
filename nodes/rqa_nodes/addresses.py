"""What may be shown of a URL, and does it lead away from this machine?"""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

__all__ = ["is_loopback", "shown_url"]


def is_loopback(url: str) -> bool:
    """True if the host of the URL is this machine; False for what is no URL."""
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def shown_url(url: str) -> str:
    """The URL without user, password and query, fit for a message; "(no address)" for what is no URL."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "(no address)"
    if "@" in parts.path:  # a password with a slash in it, which should have been written as %2F
        return f"{parts.scheme}://..."
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
