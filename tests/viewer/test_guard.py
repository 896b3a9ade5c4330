"""Whom the page answers: a table of hosts, origins and tokens, and pages elsewhere in Chromium."""

import shutil
import socket
import urllib.error
import urllib.request

import pytest
from tests.conftest import CHROMIUM_FLAGS

from gough.viewer.access import Guard, host_name, is_loopback, listens_locally

viser = pytest.importorskip("viser", reason="viser is not installed")
PATIENCE = 60

OWN = ["localhost", "LocalHost", "127.0.0.1", "127.1.2.3", "[::1]"]
FOREIGN = [
    "127.0.0.1.evil.example",
    "127.evil.example",
    "127.0.0.1.",
    "localhost.",
    "localhost.evil.example",
    "evil.example",
    "127.1",
    "127.0.1",
    "2130706433",
    "0x7f000001",
    "0x7f.0.0.1",
    "0177.0.0.1",
    "127.0.0.01",
    "127.0.0.256",
    "128.0.0.1",
    "0.0.0.0",
    "0",
    "192.168.1.7",
    "[::]",
    "::1",
    "[::1",
    "[::1%25lo]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:0:0:1]",
    "[127.0.0.1]",
    "[fe80::1]",
    "user@127.0.0.1",
    "127.0.0.1/path",
    "127.0.0.1#x",
    "evil.example@127.0.0.1",
    "",
]


def serve(**options):
    from gough.viewer.server import start_server

    return start_server(**options)


@pytest.fixture(scope="module")
def server():
    from gough.viewer.server import stop_server

    server = serve()
    yield server
    stop_server(server)


@pytest.fixture(scope="module")
def token(server):
    from gough.viewer.server import token_of

    return token_of(server).partition("=")[2]


def status(server, path="/", *, host="127.0.0.1:PORT", upgrade=False, **headers):
    """Status code of a request; `host` None sends none, PORT is the server's."""
    port = str(server.get_port())
    lines = [f"GET {path} HTTP/1.1"]
    lines += [] if host is None else [f"Host: {one}" for one in ([host] if isinstance(host, str) else host)]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    if upgrade:
        lines += ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"]
        lines += ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", f"Sec-WebSocket-Protocol: viser-v{viser.__version__}"]
    text = "\r\n".join([*lines, "", ""]).replace("PORT", port)
    with socket.create_connection(("127.0.0.1", int(port)), timeout=PATIENCE) as link:
        link.sendall(text.encode())
        return int(link.recv(4096).split()[1])


@pytest.mark.parametrize("host", OWN)
def test_names_of_this_machine_are_answered(server, token, host):
    assert is_loopback(host_name(host))
    for shown in (host, f"{host}:PORT"):
        assert status(server, f"/?token={token}", host=shown) == 200
        assert status(server, f"/?token={token}", host=shown, upgrade=True, Origin=f"http://{shown}") == 101


@pytest.mark.parametrize("host", FOREIGN)
def test_other_names_are_not_answered(server, token, host):
    assert not is_loopback(host_name(host) or "")
    for shown in (host, f"{host}:PORT"):
        assert status(server, f"/?token={token}", host=shown) == 403
        assert status(server, f"/?token={token}", host=shown, upgrade=True, Origin=f"http://{shown}") == 403
        assert status(server, f"/?token={token}", upgrade=True, Origin=f"http://{shown}") == 403


@pytest.mark.parametrize("upgrade", [False, True])
def test_a_request_has_one_host_and_no_foreign_origin(server, token, upgrade):
    found = {200, 101}
    path = f"/?token={token}"
    assert status(server, path, upgrade=upgrade) in found  # no browser, but with the token
    assert status(server, path, upgrade=upgrade, Origin="http://127.0.0.1:PORT") in found
    assert status(server, path, upgrade=upgrade, host=None) == 403
    assert status(server, path, upgrade=upgrade, host=["127.0.0.1:PORT", "127.0.0.1:PORT"]) == 403
    for origin in ("null", "", "http://127.0.0.1:1", "http://localhost:PORT", "ftp://127.0.0.1:PORT", "127.0.0.1:PORT"):
        assert status(server, path, upgrade=upgrade, Origin=origin) == 403, origin


@pytest.mark.parametrize("upgrade", [False, True])
def test_every_request_needs_the_token(server, token, upgrade):
    found, cookie = {200, 101}, f"gough-view-{server.get_port()}"
    assert status(server, "/?view=x", upgrade=upgrade, Cookie=f"a=b; {cookie}={token}") in found
    assert status(server, "/?token=old", upgrade=upgrade, Cookie=f"{cookie}={token}") in found
    wrong = ("token=", f"token={token}x", f"token={token[:-1]}", f"tok={token}")
    for path in ("/", f"/{token}", "/index.html", *(f"/?{query}" for query in wrong)):
        assert status(server, path, upgrade=upgrade) == 403, path
    assert status(server, "/?token=%ff%00é&token[]=1", upgrade=upgrade) == 403
    assert status(server, upgrade=upgrade, Cookie=f"gough-view-1={token}") == 403
    assert status(server, upgrade=upgrade, Cookie=f"{cookie}=") == 403


def test_the_token_is_random_and_comes_back_in_a_cookie_that_no_other_site_sends(server, token):
    from gough.viewer.server import address

    assert Guard(True).token != Guard(True).token
    assert len(token) >= 32
    with urllib.request.urlopen(address(server), timeout=PATIENCE) as answer:
        cookie = answer.headers["Set-Cookie"]
    assert cookie == f"gough-view-{server.get_port()}={token}; Path=/; HttpOnly; SameSite=Strict"
    with pytest.raises(urllib.error.HTTPError, match="403") as refused:
        urllib.request.urlopen(address(server).partition("?")[0], timeout=PATIENCE)
    assert b"Open the address that gough view printed" in refused.value.read()
    assert refused.value.headers["Set-Cookie"] is None


def test_beyond_loopback_the_token_is_needed_too():
    from gough.viewer.server import stop_server, token_of

    server = serve(host="0.0.0.0")
    try:
        path = f"/?{token_of(server)}"
        assert status(server, path, host="lab.example:PORT") == 200
        assert status(server, path, host="lab.example:PORT", upgrade=True, Origin="http://lab.example:PORT") == 101
        assert status(server, path, host="lab.example:PORT", upgrade=True, Origin="http://evil.example:PORT") == 403
        assert status(server, host="lab.example:PORT") == status(server, upgrade=True) == 403
    finally:
        stop_server(server)


def test_where_a_server_listens_is_judged_by_its_addresses():
    assert all(map(listens_locally, ("127.0.0.1", "127.1", "localhost", "::1", "127.3.2.1")))
    assert not any(map(listens_locally, ("0.0.0.0", "::", "203.0.113.7", "no.such.host.invalid")))


TRY = """async (places) => {
  const tried = (place) => new Promise((done) => {
    const link = new WebSocket(place, PROTOCOL);
    link.onopen = () => { link.close(); done("open"); };
    link.onerror = () => done("refused");
  });
  return Promise.all(places.map(tried));
}"""


@pytest.mark.thorough
def test_pages_under_names_that_lead_here_are_shut_out_in_a_browser(browser, server, token):
    """Names whose owner lets them lead to this machine, as a page elsewhere may, even with the token."""
    rules = "--host-resolver-rules=MAP *.example 127.0.0.1"
    chromium = browser.browser_type.launch(executable_path=shutil.which("chromium"), args=[*CHROMIUM_FLAGS, rules])
    try:
        port, context = server.get_port(), chromium.new_context()
        page = context.new_page()
        script = TRY.replace("PROTOCOL", repr(f"viser-v{viser.__version__}"))
        for name in ("127.0.0.1.evil.example", "127.evil.example"):
            assert page.goto(f"http://{name}:{port}/?token={token}").status == 403
            places = [f"ws://{host}:{port}/?token={token}" for host in (name, "127.0.0.1", "localhost")]
            assert page.evaluate(script, places) == ["refused"] * 3
        assert page.goto(f"http://127.0.0.1:{port}/").status == 403
        assert page.goto(f"http://127.0.0.1:{port}/?token={token}").status == 200
        assert page.evaluate(script, [f"ws://127.0.0.1:{port}/"]) == ["open"]  # by its cookie
        assert page.goto(f"http://127.0.0.1:{port}/?view=saved").status == 200
    finally:
        chromium.close()


LEAK = """async (place) => {
  const image = new Promise((done) => {
    const shown = new Image();
    shown.onload = shown.onerror = done;
    shown.src = `${place}/image`;
  });
  const link = new Promise((done) => { new WebSocket(place.replace("http", "ws")).onerror = done; });
  const sent = fetch(place, { mode: "no-cors" }).catch(() => 0);
  const over = new Promise((done) => setTimeout(done, 2000));
  return Promise.race([over, Promise.all([image, link, sent])]);
}"""


def test_a_script_in_the_page_reaches_no_other_server(browser, server, token):
    """Not even one on this computer, while the page and its websocket work."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        other.settimeout(0.5)
        context = browser.new_context()
        try:
            page = context.new_page()
            page.goto(f"http://127.0.0.1:{server.get_port()}/?token={token}")
            script = TRY.replace("PROTOCOL", repr(f"viser-v{viser.__version__}"))
            assert page.evaluate(script, [f"ws://127.0.0.1:{server.get_port()}/"]) == ["open"]
            page.evaluate(LEAK, f"http://127.0.0.1:{other.getsockname()[1]}")
            with pytest.raises(TimeoutError):
                other.accept()
        finally:
            context.close()
