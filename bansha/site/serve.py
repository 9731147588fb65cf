"""`bansha serve`: pages, streams, clock, courier and, where the town has some, the computer players; each a child of one process.

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

from django.conf import settings

from bansha.clock import run as clock
from bansha.company import run as company
from bansha.journal.time import now
from bansha.notify import courier

log = logging.getLogger("bansha.serve")

PARTS = ("pages", "streams", "clock", "courier", "company")
WORKERS, THREADS = 2, 4
PATIENCE = 3
"""Seconds that requests and streams have to end."""
LONGEST_PAUSE = 30.0
STEADY = 60.0
"""Seconds after which a child counts as steady: its next death is its first again."""
PR_SET_PDEATHSIG = 1


def command(part: str, host: str, port: int, stream_port: int = 0, workers: int = WORKERS, threads: int = THREADS) -> list[str]:
    """How a part is started as a process of its own. `stream_port` 0: the port after the pages'."""
    ours = [sys.executable, "-c", "import sys; from bansha.cli import main; sys.exit(main())"]
    match part:
        case "pages":
            return [
                sys.executable, "-m", "gunicorn", "bansha.site.wsgi:application", "--config", "python:bansha.site.workers",
                "--bind", f"{_bracketed(host)}:{port}",
                "--workers", str(workers), "--threads", str(threads), "--worker-class", "gthread", "--preload", "--log-level", "warning",
                "--graceful-timeout", str(PATIENCE), "--timeout", "60", "--keep-alive", "5", "--no-control-socket",
            ]  # fmt: skip
        case "streams" | "company":
            return [*ours, "serve", "--only", part, "--host", host, "--port", str(port), "--stream-port", str(stream_port)]
    return [*ours, "serve", "--only", part]


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def only(part: str, host: str, port: int, stream_port: int = 0, workers: int = WORKERS, threads: int = THREADS) -> int:
    """Be one part, in this process, until ended."""
    match part:
        case "pages":
            arguments = command("pages", host, port, stream_port, workers, threads)
            os.execv(arguments[0], arguments)
        case "streams":
            streams(host, stream_port or port + 1)
        case "clock":
            keep_time()
        case "courier":
            courier.serve()
        case "company":
            company.serve(f"http://{_reached(host)}:{port}", named())
    return 0


def _reached(host: str) -> str:
    """Where a server that listens at `host` is reached from this machine."""
    return _bracketed({"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host))


def named() -> str:
    """A name that the town is addressed by."""
    return settings.HOSTS[0].lstrip(".*") or "localhost"


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
    from bansha.journal import doors
    from bansha.town.ceremony import advance_all

    def beside() -> int:
        done = advance_all(now())
        doors.settle()
        return done

    return clock.serve(rest, beside)


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

    def __init__(
        self, parts: Sequence[str], host: str, port: int, stream_port: int = 0, workers: int = WORKERS, threads: int = THREADS
    ) -> None:
        self.children = [Child(part) for part in parts]
        self.where = (host, port, stream_port, workers, threads)
        self.stop = Event()
        self.environment = {**os.environ}
        self.environment.setdefault("BANSHA_STREAM", f"http://localhost:{stream_port or port + 1}")
        if settings.HOSTS == ["localhost"]:
            self.environment.setdefault("BANSHA_ADDRESS", f"http://localhost:{port}")

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
                command(child.part, *self.where), env=self.environment, start_new_session=True, preexec_fn=_die_with_parent
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


def serve(
    host: str, port: int, stream_port: int = 0, workers: int = WORKERS, threads: int = THREADS, parts: Sequence[str] = ()
) -> int:
    """Serve these parts of the town until ended; without any the whole town. Returns the exit code."""
    parts = parts or (PARTS if company.needed() else PARTS[:-1])
    return Supervisor(parts, host, port, stream_port, workers, threads).run()
