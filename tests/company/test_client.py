"""The client: one connection, opened again when it was closed; problems as exceptions; the event stream in messages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from bansha.company.client import Busy, Client, Gone, Line, Refused


class Town(BaseHTTPRequestHandler):
    """Answers what it is told to, and closes every second connection without a word."""

    protocol_version = "HTTP/1.1"
    calls: list[tuple[str, str, str]] = []  # noqa: RUF012
    connections = 0

    def setup(self) -> None:
        """A new connection."""
        super().setup()
        type(self).connections += 1

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""

    def answer(self) -> None:
        """One call."""
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.calls.append((self.command, self.path, self.headers.get("Idempotency-Key", "")))
        if self.path.startswith("/stream/"):
            text = b'event: post\ndata: {"floor": 3}\nid: talk-1:3\n\n: here\n\nevent: end\ndata: {}\n\n'
        else:
            text = json.dumps({"game": 7, "seat": 2, "address": f"http://{self.headers['Host']}/stream/?t=x"}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)
        self.close_connection = len(self.calls) % 2 == 0

    do_GET = do_POST = answer


@pytest.fixture
def url() -> Iterator[str]:
    """The address of such a town."""
    Town.calls, Town.connections = [], 0
    server = ThreadingHTTPServer(("127.0.0.1", 0), Town)
    thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join(10)
    server.server_close()


def test_a_connection_is_kept_and_opened_again(url: str) -> None:
    line = Line(url)
    client = Client(line, "bansha_x")
    assert [client.me()["seat"] for _ in range(6)] == [2] * 6
    assert len(Town.calls) == 6 and Town.connections == 3
    line.close()


def test_what_is_written_carries_a_key_of_its_own(url: str) -> None:
    line = Line(url)
    client = Client(line, "bansha_x", 7)
    client.say("talk-1", "早。")
    client.say("talk-1", "早。")
    keys = [key for method, _path, key in Town.calls if method == "POST"]
    assert len(set(keys)) == 2 and all(len(key) == 32 for key in keys)
    line.close()


def test_nobody_answers() -> None:
    with pytest.raises(Busy, match="does not answer"):
        Client(Line("http://127.0.0.1:9", timeout=2), "bansha_x").me()


def test_the_stream_comes_in_messages(url: str) -> None:
    line = Line(url)
    assert [(event.name, event.data) for event in Client(line, "bansha_x", 7).stream("talk-1", 2)] == [("post", {"floor": 3}), ("end", {})]
    assert Town.calls[-1][1] == "/stream/?t=x&after=2"
    line.close()


@pytest.mark.parametrize(
    ("status", "kind"), [(401, Gone), (403, Gone), (404, Gone), (422, Refused), (400, Refused), (429, Busy), (503, Busy)]
)
def test_problems(status: int, kind: type[Exception]) -> None:
    def line(_method: str, _path: str, _headers: Mapping[str, str], _body: bytes) -> tuple[int, Mapping[str, str], bytes]:
        problem = json.dumps({"code": "why", "zh": "不", "en": "no", "at": []}).encode()
        return status, {"retry-after": "7"}, problem

    with pytest.raises(kind) as caught:
        Client(line, "bansha_x", 7).sign("extend")
    found: Any = caught.value
    assert type(found) is kind and (found.seconds == 7 if kind is Busy else found.code == "why")
