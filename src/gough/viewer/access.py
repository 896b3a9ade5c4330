"""What the page's server accepts: requests with its token from its own page, and files below a few folders."""

from __future__ import annotations

import hmac
import os
import secrets
import socket
import stat
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from gough.description.parse import split_stage
from gough.errors import InputError
from gough.files import DOCUMENT
from gough.present.units import megabytes

if TYPE_CHECKING:
    from websockets.http11 import Request, Response

TOKEN = "token"
"""Name of the token in the query of an address."""
NEEDS_TOKEN = "Open the address that gough view printed: it ends with a token, and this request has another or none.\n"
FOREIGN_HOST = "This viewer answers to localhost and to addresses of this computer only.\n"
FOREIGN_PAGE = "This viewer answers to its own page only.\n"
CONTENT = (
    "default-src 'self' data: blob:; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; "
    "style-src 'self' 'unsafe-inline'; connect-src 'self' ws://{host} wss://{host} data: blob:; "
    "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""What the page may load and whom it may ask: its own server. Scripts and styles of viser are in the page itself, and
Plotly makes functions from text."""
HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Headers of every page that is served: an address with the token leaves the browser in no other request."""


@dataclass
class Guard:
    """Conditions for requests, of pages and of websockets alike.

    Attributes
    ----------
    is_local : bool
        Whether the server listens on loopback addresses only, so that all names for it are known.
    token : str
        Random text in the printed address, and in a cookie once the page was opened by that address.
    opened : callable
        Receives the query of the address whenever the page is loaded.

    """

    is_local: bool
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    opened: Callable[[str], None] = lambda query: None

    def refusal(self, request: Request) -> str | None:
        """Return the reason why a request is refused, None where it is not."""
        # A foreign name in Host is DNS rebinding, a foreign Origin another site's script: both would send the cookie.
        hosts, origins = request.headers.get_all("Host"), request.headers.get_all("Origin")
        name = host_name(hosts[0]) if len(hosts) == 1 else None
        if name is None or (self.is_local and not is_loopback(name)):
            return FOREIGN_HOST
        own = [f"{scheme}://{hosts[0].lower()}" for scheme in ("http", "https")]
        if any(origin.lower() not in own for origin in origins):
            return FOREIGN_PAGE
        given = [*_tokens_in_query(request.path), *_cookies(request.headers.get_all("Cookie"), _cookie_name(hosts[0]))]
        return None if any(self._is_token(value) for value in given) else NEEDS_TOKEN

    def dress(self, request: Request, response: Response) -> None:
        """Add headers to the response to an accepted request, and a cookie with the token; call `opened` for a page."""
        for name, value in HEADERS.items():
            response.headers[name] = value
        response.headers["Content-Security-Policy"] = CONTENT.format(host=request.headers["Host"])
        if any(self._is_token(value) for value in _tokens_in_query(request.path)):
            cookie = f"{_cookie_name(request.headers['Host'])}={self.token}; Path=/; HttpOnly; SameSite=Strict"
            response.headers["Set-Cookie"] = cookie
        address = urlsplit(request.path)
        if address.path == "/":
            self.opened(address.query)

    def _is_token(self, given: str) -> bool:
        # In constant time, which reveals nothing about the token.
        return hmac.compare_digest(given.encode("utf-8", "replace"), self.token.encode())


def is_loopback(host: str) -> bool:
    """Test whether a name or literal address, as browsers write it, is certainly this machine; no name is looked up."""
    if host.lower() == "localhost":
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    # Browsers send only this spelling of an address; programs disagree about others, such as 127.1.
    return str(address) == host and (host == "::1" or (address.version == 4 and address.is_loopback))


def listens_locally(host: str) -> bool:
    """Test whether a server that listens on `host` can be reached from this machine only."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError:
        return False
    return all(ip_address(str(place[0]).partition("%")[0]).is_loopback for *_, place in found)


def host_name(netloc: str) -> str | None:
    """Return the name in a Host header, in lower case, without port and brackets; None for a malformed header."""
    try:
        parts = urlsplit(f"//{netloc}")
        port = parts.port
    except ValueError:
        return None
    name = parts.hostname or ""
    shown = f"[{name}]" if ":" in name else name
    is_whole = netloc.lower() in (shown, f"{shown}:{port}")
    return name if name and is_whole else None


def _tokens_in_query(path: str) -> list[str]:
    """Tokens in the address of a request."""
    try:
        return parse_qs(urlsplit(path).query, max_num_fields=20).get(TOKEN, [])
    except ValueError:
        return []


def _cookies(headers: Iterable[str], name: str) -> list[str]:
    """Values of the cookies of this name."""
    pairs = (pair.strip().partition("=") for header in headers for pair in header.split(";"))
    return [value for key, _, value in pairs if key == name]


def _cookie_name(host: str) -> str:
    """Name of the cookie with the token of the server that a Host header names."""
    # Browsers keep cookies by host name only: the port in their name distinguishes viewers on one machine.
    return f"gough-view-{urlsplit(f'//{host}').port or 80}"


OUTSIDE = (
    "the page opens files only in the folder in which the viewer was started, and in folders of files that were named "
    "on its command line; start it there, or upload the file"
)
"""Error for all files outside; the same whether they exist or not, so that the page cannot find out which do."""
MOST_BYTES = {".toml": DOCUMENT, "": 100_000_000}
"""Largest size of files that are read, by ending; "" for all others."""


class Fence:
    """Folders below which the page may open files, and single files besides; symbolic links are followed.

    Parameters
    ----------
    folders, files : iterable of path
        They need not exist.

    """

    def __init__(self, folders: Iterable[str | Path] = (), files: Iterable[str | Path] = ()) -> None:
        self._folders, self._files = (list(filter(None, map(_resolved, each))) for each in (folders, files))

    @classmethod
    def around(cls, names: Iterable[str | Path]) -> Fence:
        """Return the current folder, named files and their folders; "name:1" is a stage of a machine file."""
        files = [Path(name if Path(name).is_file() else split_stage(str(name))[0]) for name in names]
        return cls([Path.cwd(), *(file.resolve().parent for file in files if file.is_file())], files)

    def add(self, folder: str | Path) -> None:
        """Let the page open files below one more folder."""
        self._folders += filter(None, [_resolved(folder)])

    def check(self, file: str | Path) -> None:
        """`InputError` for a file that the page may not open, or that would block it: pipes, devices, large files."""
        path = _resolved(file)
        if path is None or not (path in self._files or any(map(path.is_relative_to, self._folders))):
            raise InputError(OUTSIDE)
        try:
            found = path.stat()
        except OSError:
            return  # the function that opens it reports the error
        if stat.S_ISDIR(found.st_mode):
            raise InputError(f"{file} is a directory, expected a file")
        if not stat.S_ISREG(found.st_mode):
            raise InputError(f"{file} is a pipe, socket or device, expected a regular file")
        most = MOST_BYTES.get(path.suffix.lower(), MOST_BYTES[""])
        if found.st_size > most:
            kind = path.suffix.lower() if path.suffix.lower() in MOST_BYTES else "such"
            sizes = f"{megabytes(found.st_size)}, at most {megabytes(most)}"
            raise InputError(f"{file} holds {sizes} are read of {kind} files here; make it smaller")


def _resolved(file: str | Path) -> Path | None:
    """The path with symbolic links resolved; None for one that no file system has."""
    try:
        return Path(os.path.realpath(file))
    except (OSError, ValueError):  # such as names with a null character
        return None
