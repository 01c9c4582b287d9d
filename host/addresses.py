"""Which addresses are public: a pure rule."""

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Final

Address = IPv4Address | IPv6Address

_UNICAST: Final = IPv6Network("2000::/3")
_NAT64: Final = IPv6Network("64:ff9b::/96")


def address_of(text: str) -> Address | None:
    """The address that a text spells out in full; None if it is a name, or something odd."""
    try:
        return ip_address(text)
    except ValueError:
        return None


def is_public(address: Address) -> bool:
    """Whether everybody may reach this address: neither our own machine or network, nor a way round to them.

    An IPv6 address that carries an IPv4 one (mapped, NAT64, 6to4) is as public as that.
    """
    if isinstance(address, IPv4Address):
        return address.is_global and not address.is_multicast and not address.is_reserved
    inner = _carried(address)
    if inner is not None:
        return is_public(inner)
    return address in _UNICAST and address.is_global and address.teredo is None and address.scope_id is None


def _carried(address: IPv6Address) -> IPv4Address | None:
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour
