"""`bansha serve`: pages, streams, clock and, where the town has some, the computer players; each a child of one process.

A child that dies is started again, the later the oftener it died. SIGTERM or SIGINT ends them all, each by its own number.
"""

from __future__ import annotations

import ctypes
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Event
from types import FrameType

from bansha.clock import run as clock
from bansha.company import run as company
from bansha.journal.time import now

log = logging.getLogger("bansha.serve")

PARTS = ("pages", "streams", "clock", "company")
WORKERS, THREADS = 2, 4
PATIENCE = 3
"""Seconds that requests and streams have to end."""
LONGEST_PAUSE = 30.0
STEADY = 60.0
"""Seconds after which a child counts as steady: its next death is its first again."""
PR_SET_PDEATHSIG = 1


def command(part: str, host: str, port: int) -> list[str]:
    """How a part is started as a process of its own."""
    ours = [sys.executable, "-c", "import sys; from bansha.cli import main; sys.exit(main())"]
    match part:
        case "pages":
            return [
                sys.executable, "-m", "gunicorn", "bansha.site.wsgi:application", "--bind", f"{_bracketed(host)}:{port}",
                "--workers", str(WORKERS), "--threads", str(THREADS), "--worker-class", "gthread", "--preload", "--log-level", "warning",
                "--graceful-timeout", str(PATIENCE), "--timeout", "60", "--keep-alive", "5", "--no-control-socket",
            ]  # fmt: skip
        case "streams":
            return [*ours, "serve", "--only", "streams", "--host", host, "--port", str(port)]
    return [*ours, "serve", "--only", part]


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def only(part: str, host: str, port: int) -> int:
    """Be one part, in this process, until ended. The streams are one port above the pages."""
    match part:
        case "pages":
            arguments = command("pages", host, port)
            os.execv(arguments[0], arguments)
        case "streams":
            streams(host, port + 1)
        case "clock":
            keep_time()
        case "company":
            company.serve()
    return 0


def streams(host: str, port: int) -> None:
    """Serve the live stream until ended; open streams are closed at once, and their browsers ask again."""
    import uvicorn

    from bansha.site.stream import Stream

    server: uvicorn.Server | None = None

    def stopping() -> bool:
        return server is not None and server.should_exit

    config = uvicorn.Config(
        Stream(stopping), host=host, port=port, lifespan="off", log_level="warning", access_log=False, timeout_graceful_shutdown=PATIENCE
    )
    server = uvicorn.Server(config)
    server.run()


def keep_time(rest: float = clock.REST) -> int:
    """The clock with the town's own deadlines, those of ceremonies. Returns the number of deadlines done."""
    from bansha.town.ceremony import advance_all

    return clock.serve(rest, lambda: advance_all(now()))


@dataclass
class Child:
    """A part that runs, or is to run again from `due` on (seconds of the monotonic clock)."""

    part: str
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    deaths: int = 0
    due: float = 0.0


class Supervisor:
    """Starts the parts and keeps them running until told to end."""

    def __init__(self, parts: Sequence[str], host: str, port: int) -> None:
        self.children = [Child(part) for part in parts]
        self.host = host
        self.port = port
        self.stop = Event()
        self.environment = {**os.environ}
        self.environment.setdefault("BANSHA_STREAM", f"http://localhost:{port + 1}")

    def run(self) -> int:
        """Until SIGTERM or SIGINT; returns the exit code."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._ended)
        try:
            while not self.stop.is_set():
                for child in self.children:
                    self._tend(child)
                self.stop.wait(0.2)
        finally:
            self.end()
        return 0

    def _ended(self, _signal: int, _frame: FrameType | None) -> None:
        self.stop.set()

    def _tend(self, child: Child) -> None:
        """Start a child that is due, and notice one that has died."""
        moment = time.monotonic()
        if child.process is not None:
            code = child.process.poll()
            if code is None:
                return
            child.process = None
            child.deaths = child.deaths + 1 if moment - child.started < STEADY else 1
            pause = min(LONGEST_PAUSE, 0.25 * 2 ** (child.deaths - 1))
            child.due = moment + pause
            log.warning("%s ended with %s; starting it again in %.1f s", child.part, code, pause)
        if moment >= child.due:
            child.started = moment
            child.process = subprocess.Popen(
                command(child.part, self.host, self.port), env=self.environment, start_new_session=True, preexec_fn=_die_with_parent
            )

    def end(self) -> None:
        """End every child by its own number, the pages first; one that does not end in time is killed."""
        running = [child.process for child in self.children if child.process is not None]
        for process in running:
            process.terminate()
        last = time.monotonic() + 2 * PATIENCE + 2
        for process in running:
            try:
                process.wait(max(0.1, last - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _die_with_parent() -> None:
    """On Linux a child is told to end when this process was killed."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def serve(host: str, port: int) -> int:
    """Serve the whole town until ended. Returns the exit code."""
    parts = PARTS if company.needed() else PARTS[:3]
    return Supervisor(parts, host, port).run()
