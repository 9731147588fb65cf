"""Local fakes that record what arrived: a mail server, and a push service that opens what was sealed for it."""

from __future__ import annotations

import base64
import json
import socketserver
import threading
from collections.abc import Callable
from email import message_from_bytes, policy
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import http_ece
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from py_vapid import Vapid02


class Letter(NamedTuple):
    """A mail as it arrived: from and to as the envelope has them, and the message."""

    sender: str
    to: list[str]
    mail: EmailMessage

    @property
    def text(self) -> str:
        """Its body."""
        return str(self.mail.get_content())


class _Post(socketserver.StreamRequestHandler):
    """Just enough of SMTP (RFC 5321)."""

    def say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())

    def handle(self) -> None:
        fake: MailFake = self.server.fake  # type: ignore[attr-defined]
        sender, to = "", []
        self.say("220 fake")
        while line := self.rfile.readline().decode().strip():
            word = line[:4].upper()
            if word == "MAIL":
                sender, to = line[10:].partition(" ")[0].strip("<>"), []
            elif word == "RCPT":
                to.append(line[8:].strip("<>"))
                if fake.refuses:
                    self.say(f"{fake.refuses} no")
                    continue
            elif word == "DATA":
                self.say("354 go on")
                data = b""
                while (part := self.rfile.readline()) != b".\r\n":
                    data += part[1:] if part.startswith(b"..") else part
                fake.letters.append(Letter(sender, list(to), message_from_bytes(data, policy=policy.default)))  # type: ignore[arg-type]
                fake.arrived(len(fake.letters))
            elif word == "QUIT":
                self.say("221 bye")
                return
            self.say("250 fine")


class MailFake:
    """A mail server on 127.0.0.1. `refuses`: a code with which recipients are refused; `arrived`: called with the count after
    each letter, before it is acknowledged."""

    def __init__(self) -> None:
        self.letters: list[Letter] = []
        self.refuses = 0
        self.arrived: Callable[[int], object] = lambda _count: None
        self.server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Post)
        self.server.daemon_threads = True
        self.server.fake = self  # type: ignore[attr-defined]
        self.port = int(self.server.server_address[1])
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        """The BANSHA_MAIL that leads here."""
        return f"smtp+plain://127.0.0.1:{self.port}"


class Arrived(NamedTuple):
    """A push message as it arrived: at which path, with which headers (names in small letters), and what was sealed in it."""

    path: str
    headers: dict[str, str]
    said: dict[str, Any]


class Browser:
    """A browser that has subscribed: its endpoint and keys, and the private half."""

    def __init__(self, fake: PushFake, name: str) -> None:
        self.path = f"/push/{name}"
        self.endpoint = f"http://127.0.0.1:{fake.port}{self.path}"
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.secret = bytes(range(16))
        fake.browsers[self.path] = self

    @property
    def form(self) -> dict[str, str]:
        """What the page hands in."""
        point = self.key.public_key().public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
        return {"endpoint": self.endpoint, "p256dh": _text(point), "auth": _text(self.secret)}

    def opened(self, body: bytes) -> dict[str, Any]:
        """A message, unsealed."""
        found: dict[str, Any] = json.loads(http_ece.decrypt(body, private_key=self.key, auth_secret=self.secret, version="aes128gcm"))
        return found


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class _Push(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        fake: PushFake = self.server.fake  # type: ignore[attr-defined]
        body = self.rfile.read(int(self.headers["Content-Length"]))
        fake.asked.append(self.path)
        status = fake.answers.get(self.path, 201)
        if status == 201:
            headers = {name.lower(): value for name, value in self.headers.items()}
            assert Vapid02.verify(headers["authorization"]), "signed with the town's key"
            fake.messages.append(Arrived(self.path, headers, fake.browsers[self.path].opened(body)))
            fake.arrived(len(fake.messages))
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "/push/elsewhere")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


class PushFake:
    """A push service on 127.0.0.1. `answers`: path → status instead of 201; `arrived`: called with the count after each message,
    before it is acknowledged. `asked`: every path that was asked."""

    def __init__(self) -> None:
        self.messages: list[Arrived] = []
        self.browsers: dict[str, Browser] = {}
        self.answers: dict[str, int] = {}
        self.asked: list[str] = []
        self.arrived: Callable[[int], object] = lambda _count: None
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), _Push)
        self.server.daemon_threads = True
        self.server.fake = self  # type: ignore[attr-defined]
        self.port = int(self.server.server_address[1])
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def host(self) -> str:
        """How it stands on the list of push services."""
        return f"127.0.0.1:{self.port}"
