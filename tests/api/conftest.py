"""Tests of the interface run on a fresh SQLite database in this process; time is the test clock's."""

import os

from tests.support import served

os.environ["BANSHA_QUICK_PASSWORDS"] = "1"
served.start("sqlite")

from collections.abc import Iterator  # noqa: E402
from threading import Thread  # noqa: E402
from wsgiref.simple_server import WSGIRequestHandler, make_server  # noqa: E402

import pytest  # noqa: E402

from tests.support.clocks import clock  # noqa: E402, F401


class Quiet(WSGIRequestHandler):
    """Says nothing of its requests."""

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


@pytest.fixture(scope="session")
def served_at() -> Iterator[str]:
    """The address of the town's pages, served by a thread of this process."""
    from bansha.site.wsgi import application

    server = make_server("127.0.0.1", 0, application, handler_class=Quiet)
    thread = Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join(10)
    server.server_close()
