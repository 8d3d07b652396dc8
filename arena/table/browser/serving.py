"""Tables on a port: links are printed, the first one is opened, and people play until Ctrl-C."""

from __future__ import annotations

import argparse
import socket
import threading
import webbrowser
from typing import TYPE_CHECKING

from arena.core.errors import ArenaError
from arena.web.guard import LOOPBACK

if TYPE_CHECKING:
    from arena.table.browser.host import TableHost

_OPENS_AFTER_S = 0.5


def add_serving_options(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Where the page is, and whether it opens by itself."""
    parser.add_argument("--host", help="where to listen (default: this machine only)")
    parser.add_argument("--port", type=int, default=0, metavar="PORT", help="default: a free one")
    parser.add_argument("--no-open", action="store_true", help="only print the links")


def open_tables(hosts: list[TableHost], args: argparse.Namespace) -> None:
    """Serve these tables until the process is asked to end."""
    try:
        from arena.table.browser.server import LONGEST_REQUEST, TableServer
        from arena.web.serving import listen
    except ImportError as error:  # pragma: no cover
        raise ArenaError(
            f"a table in the browser needs {error.name}: pip install 'arena-tricks[play]'"
        ) from error
    server = TableServer(hosts)
    listener = listen(args.host or LOOPBACK, args.port)
    address = listener.address
    url = address.url if address.is_loopback else address.url.replace(LOOPBACK, _own_number())
    links = server.links(url)
    for place, link in links:
        is_numbered = len(hosts) > 1 and not place.host.has_names
        table = f"table {hosts.index(place.host) + 1}, " if is_numbered else ""
        print(f"{table}{place.name}: {link}", flush=True)
    if not address.is_loopback:
        print(
            "Give each person one link; it is the key to the seat. Connections are not encrypted."
        )
    print("Ctrl-C ends it.", flush=True)
    if not args.no_open:
        timer = threading.Timer(_OPENS_AFTER_S, webbrowser.open, [links[0][1]])
        timer.daemon = True
        timer.start()
    guarded = server.guarded(address)
    connections = max(64, 16 * len(links))
    listener.serve(guarded, connections=connections, longest_message=LONGEST_REQUEST)


def _own_number() -> str:
    """The number by which other machines reach this one; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address kept for documentation
        except OSError:
            return LOOPBACK
        return str(probe.getsockname()[0])
