"""Which addresses a visitor may have this server connect to: those of the public internet, and no others.

A name is resolved once, every address that it stands for is checked, and the connection goes to one of those checked; a name
server that answers differently a moment later changes nothing.
"""

import ipaddress
import socket
from ipaddress import IPv4Address, IPv6Address
from urllib.parse import urlsplit

from backend.errors import AddressError

# All of IPv6 that is handed out to the public; local, multicast and reserved addresses lie outside.
PUBLIC_IPV6 = ipaddress.IPv6Network("2000::/3")
# Networks that carry an IPv4 address in an IPv6 one, and by how many bits it is shifted.
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
# Formerly the relay of 6to4, and protocol assignments that `is_global` lets through in part.
DOCUMENTS_IPV6 = ipaddress.IPv6Network("3fff::/20")  # for examples; Python does not know it yet
NOT_FOR_SERVERS = tuple(ipaddress.IPv4Network(network) for network in ("192.88.99.0/24", "192.0.0.0/24"))

# Databases, queues, file shares, remote desktops and chats among the ports from 1024 up: some take orders in any text.
CLOSED_PORTS = frozenset(map(int, """
    1080 1433 1521 1720 1723 2049 2375 2376 2379 3128 3306 3389 3659 4045 4190 5060 5061 5432 5672 5900 5984 6000 6379 6443 6566
    6665 6666 6667 6668 6669 6679 6697 7001 9042 9092 9200 9300 10250 11211 27017
""".split()))  # fmt: skip


def is_public(address: str) -> bool:
    """Tell whether an IP address belongs to the public internet; an IPv4 address inside an IPv6 one counts as itself."""
    try:
        read = ipaddress.ip_address(address)
    except ValueError:
        return False
    inside = _inside(read) if isinstance(read, IPv6Address) else read
    if isinstance(inside, IPv6Address):
        return inside in PUBLIC_IPV6 and inside not in DOCUMENTS_IPV6 and inside.is_global
    listed = any(inside in network for network in NOT_FOR_SERVERS)
    return inside.is_global and not inside.is_multicast and not inside.is_reserved and not listed


def _inside(address: IPv6Address) -> IPv4Address | IPv6Address:
    """The IPv4 address that a mapped, 6to4 or NAT64 address leads to; others as they are."""
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    return IPv4Address(int(address) & 0xFFFFFFFF) if address in NAT64 else address


def is_port_for_visitors(port: int) -> bool:
    """Tell whether a visitor may have this server connect to a port: of mail, remote logins and databases they may not."""
    return port in (80, 443) or (1024 <= port < 65536 and port not in CLOSED_PORTS)


def checked_addresses(host: str, port: int, private: bool = False) -> tuple[str, ...]:
    """Resolve a name once and return its addresses, to be connected to as they are.

    Raises AddressError if the name is unknown, or if any of its addresses is not public and `private` is not set.
    """
    if not private and not is_port_for_visitors(port):
        raise AddressError(f"Port {port} is not one at which visitors may name a server; use 80, 443, or one from 1024 up.")
    try:
        answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise AddressError(f"The host {host:.200} has no address; check how it is spelled.") from error
    addresses = tuple(dict.fromkeys(str(answer[4][0]) for answer in answers))
    if not private and not all(is_public(address) for address in addresses):
        raise AddressError(
            f"{host:.200} is not an address of the public internet, and visitors may name no other here; choose a public one, "
            "or ask the person who runs Parley to allow private addresses (--allow-private-addresses)."
        )
    return addresses


def refuse_private_number(url: str) -> None:
    """Raise AddressError for an address that is a number outside the public internet; what a name stands for is seen later."""
    host = urlsplit(url).hostname or ""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return
    checked_addresses(host, 80)


def is_loopback(host: str) -> bool:
    """Tell whether a server that listens on `host` can be reached from its own computer only."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
