"""The audit of dependencies, against a service of our own: it finds what is weak, and silence is no proof."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tools.audit import LOCK, audit

WEAKNESS = {
    "id": "OSV-2026-1", "summary": "weak", "details": "weak", "modified": "2026-01-01T00:00:00Z",
    "affected": [{"package": {"name": "django", "ecosystem": "PyPI"}, "ranges": [
        {"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "99"}]}], "versions": []}],
}  # fmt: skip


@pytest.fixture
def service() -> Iterator[tuple[str, set[str], set[str]]]:
    """A service that knows weaknesses of the packages named in its first set, and records whom it was asked about."""
    weak: set[str] = set()
    asked: set[str] = set()

    class Answer(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.add(question["package"]["name"])
            body = json.dumps({"vulns": [WEAKNESS]} if question["package"]["name"] in weak else {}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1/query", weak, asked
    server.shutdown()
    server.server_close()


@pytest.mark.process
def test_every_pinned_dependency_is_asked_about(service: tuple[str, set[str], set[str]]) -> None:
    address, weak, asked = service
    pinned = {line.split("==")[0] for line in LOCK.read_text("utf-8").splitlines() if "==" in line and not line.startswith(" ")}
    code, lines = audit(address)
    assert (code, lines[-1].split(", ")[1:]) == (0, [f"{len(asked)} asked about", "0 known weaknesses"])
    assert len(pinned - asked) < 12  # what is for other systems alone
    weak.add("django")
    code, lines = audit(address)
    assert code == 1
    assert any(line.startswith("django ") and "OSV-2026-1, mended in 99" in line for line in lines)


@pytest.mark.process
def test_a_service_that_cannot_be_asked_proves_nothing(tmp_path: Path) -> None:
    lock = tmp_path / "small.lock"
    lock.write_text(LOCK.read_text("utf-8").split("\n\n")[0].partition("aiosignal==")[0], "utf-8")
    code, lines = audit("http://127.0.0.1:9/v1/query", lock)
    assert code == 2
    assert "could not be asked" in lines[0]
