"""Which addresses an agent may have. Judges the text of a URL only: no DNS look-up, no connection."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

_Network = ipaddress.IPv4Network | ipaddress.IPv6Network
_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_NUMBER_LABEL = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)", re.IGNORECASE)
_UNSAFE = re.compile(r"[\x00-\x20\x7f\\]")


class AddressNotAllowed(ValueError):
    """The URL must not be called; the text says why and does not repeat credentials."""


@dataclass(frozen=True, slots=True)
class AddressPolicy:
    """http and https without credentials; no link-local, multicast or unspecified address; no disguised IP.

    `networks`, `hosts` and `ports` narrow it further where they are not empty: the host must then be a listed name or
    an address in a listed network, the port a listed one.
    """

    networks: tuple[_Network, ...] = ()
    hosts: frozenset[str] = frozenset()
    ports: frozenset[int] = frozenset()

    def split(self, url: str) -> SplitResult:
        """The parts of an allowed URL. Raises AddressNotAllowed."""
        parts, port = _split(url)
        host = (parts.hostname or "").rstrip(".")
        address = _ip(host)
        if address and (address.is_link_local or address.is_multicast or address.is_unspecified):
            raise AddressNotAllowed("link-local, multicast and unspecified addresses are not allowed")
        if self.ports and port not in self.ports:
            raise AddressNotAllowed(f"port {port} is not allowed")
        if (self.hosts or self.networks) and not self._listed(host, address):
            raise AddressNotAllowed("the host is not among the allowed ones")
        return parts

    def _listed(self, host: str, address: _Address | None) -> bool:
        return host in self.hosts or (address is not None and any(address in network for network in self.networks))


def _split(url: str) -> tuple[SplitResult, int]:
    if _UNSAFE.search(url):
        raise AddressNotAllowed("the URL contains blanks, control characters or backslashes")
    try:
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        raise AddressNotAllowed("this is not a URL") from None
    if parts.scheme not in ("http", "https"):
        raise AddressNotAllowed("only http and https are allowed")
    if "@" in parts.netloc:
        raise AddressNotAllowed("the URL contains credentials")
    if not parts.hostname:
        raise AddressNotAllowed("the URL has no host")
    return parts, port


def _ip(host: str) -> _Address | None:
    """The address that `host` spells, None for a name.

    `2130706433` and `0x7f.1` reach 127.0.0.1, so they are refused.
    """
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        if _NUMBER_LABEL.fullmatch(host.rpartition(".")[2]):
            raise AddressNotAllowed("IP addresses must be written in full") from None
        return None
    return getattr(address, "ipv4_mapped", None) or address
