"""All benchmarks, each as a ratio to a named reference measured in the same run; results go to bench/results.md.

    python bench/run.py            everything (about half an hour)
    python bench/run.py referee    one part: referee, refold, view, cases, start, pages, writers_sqlite,
                                   writers_postgresql, readers, growth; its table is renewed
    python bench/run.py --first    the last four go before all other programs, as on a machine of one's own (as root)
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE))

import pages
import play
import referee
import yaml

from bansha.referee import archive
from bansha.referee.board import compile_board
from bansha.referee.commands import Post
from bansha.referee.game import Game
from bansha.referee.reading import Reading
from bansha.referee.state import State
from bansha.rulesets.load import bundled, load
from bansha.sight.types import DIRECTOR, PUBLIC, Viewer
from bansha.sight.view import view

Row = tuple[str, str, str, str]
SAID = Reading("", "", "", ())


def cpu(work: Callable[[], object], rounds: int) -> float:
    """Median CPU seconds of one call."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return statistics.median(times)


def roles_of(name: str) -> list[str]:
    """The roles of a bundled ruleset, as many as it names."""
    return [role for role, spec in load(name).ruleset.roles.items() for _ in range(spec.count)]


def a_game(name: str, seed: int, posts: int = 0, until: int = 99) -> Game:
    """A random game, with posts; stopped in the discussion day numbered `until`."""
    rng = random.Random(seed)
    board = compile_board(load(name))
    roles = roles_of(name)
    rng.shuffle(roles)
    ref = 0

    def talk(game: Game) -> bool:
        nonlocal ref
        state = game.state
        for seat in state.seats(state.alive) * posts:
            ref += 1
            game.do(Post(seat, "discussion", ref, "0" * 64, 0, SAID), state.now, f"seat {seat}")
        return state.day >= until

    return play.play(board, roles, rng.random, seed, talk)


def bench_referee() -> list[Row]:
    """Whole games per CPU-second, uniformly random legal choices, all events, every ballot cast."""
    rows = []
    loop = referee.reference(4000)
    rows.append(("tight loop, ten players", f"{loop:,.0f} games/CPU-s", "the reference", "a loop that is no referee"))
    for name in bundled():
        rate, events, entries = referee.measure(name, 200)
        rows.append((f"{name}: whole games", f"{rate:,.0f} games/CPU-s", f"1:{loop / rate:.1f} of the loop", f"{events:.0f} events, {entries:.0f} entries a game"))
    board, roles, rng = compile_board(load("m205")), roles_of("m205"), random.Random(7)

    def sealed() -> None:
        for seed in range(200):
            rng.shuffle(roles)
            archive.write(play.play(board, roles, rng.random, seed).entries)

    rate = 200 / cpu(sealed, 3)
    rows.append(("m205: whole games, journal sealed", f"{rate:,.0f} games/CPU-s", f"1:{loop / rate:.1f} of the loop", "JSON lines, hash chain"))
    fast = ROOT / ".fast"
    if fast.exists():
        done = subprocess.run(
            [sys.executable, str(HERE / "referee.py")], env={**os.environ, "PYTHONPATH": str(fast)}, capture_output=True, text=True, check=True
        )
        for line in done.stdout.splitlines():
            if line.startswith(("m", "b")):
                name, rest = line.split(None, 1)
                rate_text, ratio, *_ = rest.split(", ")
                rows.append((f"{name}: compiled (`make fast`)", rate_text.replace(" games per CPU-second", " games/CPU-s"), ratio, "mypyc"))
    return rows


def bench_refold() -> list[Row]:
    """A 2,000-event journal from its stored form, chain check included."""
    games = (a_game("m46", seed, posts=30) for seed in range(100))
    game = next(game for game in games if sum(len(entry[4]) for entry in game.entries) >= 2000)
    lines = archive.write(game.entries).splitlines(keepends=True)
    events = 0
    kept = []
    for line, entry in zip(lines, game.entries, strict=True):
        kept.append(line)
        events += len(entry[4])
        if events >= 2000:
            break
    data = b"".join(kept)
    mine = cpu(lambda: archive.fold(State(game.board), archive.read(data)), 21)

    def bare() -> None:
        for line in data.splitlines():
            hashlib.sha256(line).hexdigest()
            json.loads(line)

    reference = cpu(bare, 21)
    note = f"{events} events in {len(kept)} lines; reference: json.loads and SHA-256 of the same lines"
    return [("refold with chain check", f"{1000 * mine:.1f} ms", f"{mine / reference:.2f} × bare reading", note)]


def bench_view() -> list[Row]:
    """A warm view of a game under way."""
    rows = []
    for name, viewer in (("m205", Viewer("player", 8)), ("m205", PUBLIC), ("baichibai", Viewer("player", 4)), ("baichibai", DIRECTOR)):
        state = a_game(name, 5, posts=5, until=2).state
        seen = view(state, viewer)
        mine = cpu(lambda state=state, viewer=viewer: [view(state, viewer) for _ in range(200)], 5) / 200
        plain = json.loads(_encode(seen))
        reference = cpu(lambda plain=plain: [json.dumps(plain) for _ in range(200)], 5) / 200
        rows.append((f"warm view: {name}, {viewer.kind}", f"{1000 * mine:.3f} ms", f"{mine / reference:.2f} × json.dumps of it", ""))
    return rows


def _encode(value: object) -> bytes:
    import msgspec

    return msgspec.json.encode(value)


def bench_cases() -> list[Row]:
    """`bansha case` over 200 files, the process and all."""
    files = sorted((ROOT / "tests" / "cases").rglob("*.yaml"))[:200]
    bansha = Path(sys.executable).parent / "bansha"
    times = []
    for _ in range(3):
        start = time.perf_counter()
        subprocess.run([bansha, "case", *files], check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    texts = [file.read_text(encoding="utf-8") for file in files]
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    reference = cpu(lambda: [yaml.compose(text, loader) for text in texts], 3)
    mine = statistics.median(times)
    return [(f"`bansha case` over {len(files)} files", f"{mine:.2f} s", f"{mine / reference:.1f} × composing their YAML", "wall clock of the process")]


def bench_start() -> list[Row]:
    """Importing the referee in a fresh process."""
    code = "import time; t = time.process_time(); import {}; print(time.process_time() - t)"

    def measure(module: str) -> float:
        outputs = [subprocess.run([sys.executable, "-c", code.format(module)], capture_output=True, text=True, check=True) for _ in range(7)]
        return statistics.median(float(done.stdout) for done in outputs)

    mine, reference = measure("bansha.referee.judge"), measure("msgspec, json, hashlib, hmac")
    bare = measure("bansha.referee")
    return [
        ("import bansha.referee", f"{1000 * bare:.0f} ms", f"{bare / reference:.1f} × its libraries", ""),
        ("import bansha.referee.judge (all of it)", f"{1000 * mine:.0f} ms", f"{mine / reference:.1f} × its libraries", "reference: msgspec, json, hashlib, hmac"),
    ]


def bench_pages() -> list[Row]:
    """The 20-posts page of a thread of 300 posts, warm, beside the bare Django page of bench/bare_page: both under gunicorn with two
    workers, asked by turns; CPU of the workers a request, medians of the rounds."""
    return pages.rows()


def _served(name: str, *options: str) -> list[Row]:
    """The rows of a benchmark that serves a town, in a process of its own."""
    first = ["--first"] if "--first" in sys.argv else []
    command = [sys.executable, str(HERE / f"{name}.py"), *options, *first]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    rows = [tuple(line.split(" | ")) for line in done.stdout.splitlines()]
    return [(what, figure, ratio, note) for what, figure, ratio, note in rows]


def bench_writers_sqlite() -> list[Row]:
    """Sixteen writers over HTTP (`bansha serve`, two page processes), each posting or voting every half second on average for two
    minutes; latency counts from the moment a write was due. Then the closed loop, each as fast as it can. On SQLite."""
    return [row for where in ("one", "two") for row in _served("writers", "--database", "sqlite", "--in", where)]


def bench_writers_postgresql() -> list[Row]:
    """The same on PostgreSQL with its own settings: what it has said stands on the disk."""
    return [row for where in ("one", "two") for row in _served("writers", "--database", "postgresql", "--in", where)]


def bench_readers() -> list[Row]:
    """A thousand live readers of one thread on PostgreSQL, two page processes, one stream process; a post every three seconds."""
    return _served("readers")


def bench_growth() -> list[Row]:
    """How cost grows, in towns that `bansha populate` fills: CPU of one request in its process, the median, and its questions to the
    database. SQLite, then PostgreSQL, whose own CPU stands behind the plus."""
    return [(f"{kind}, {row[0]}", *row[1:]) for kind in ("sqlite", "postgresql") for row in _served("growth", "--database", kind)]


PARTS: dict[str, Callable[[], list[Row]]] = {
    "referee": bench_referee,
    "refold": bench_refold,
    "view": bench_view,
    "cases": bench_cases,
    "start": bench_start,
    "pages": bench_pages,
    "writers_sqlite": bench_writers_sqlite,
    "writers_postgresql": bench_writers_postgresql,
    "readers": bench_readers,
    "growth": bench_growth,
}


def machine() -> str:
    """What the figures were measured on."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
        model = names[0] if names else model
    return f"{model}, {os.cpu_count()} cores, CPython {platform.python_version()}, {platform.system()}"


def main(wanted: list[str]) -> int:
    """Measure, print, and write the page: all of it, or the tables of the parts that were asked for."""
    wanted = [name for name in wanted if name != "--first"]
    unknown = [name for name in wanted if name not in PARTS]
    if unknown:
        print(f"no part {unknown[0]!r}; parts are {', '.join(PARTS)}", file=sys.stderr)
        return 2
    out = ["# Benchmarks", "", f"{datetime.now(UTC):%Y-%m-%d}, {machine()}.", "", "`make bench`. Ratios count; absolute figures drift with the machine.", ""]
    page = HERE / "results.md"
    kept = page.read_text(encoding="utf-8").split("\n## ") if wanted and page.exists() else []
    tables = {section.split("\n", 1)[0]: f"## {section.strip()}\n" for section in kept[1:]}
    for name, part in PARTS.items():
        if wanted and name not in wanted:
            continue
        rows = part()
        when = f"Measured {datetime.now(UTC):%Y-%m-%d %H:%M} UTC, load {os.getloadavg()[0]:.1f}."
        lines = [f"## {name}", "", " ".join((part.__doc__ or "").split()) + f" {when}", "", "| what | figure | ratio | note |", "|---|---|---|---|"]
        tables[name] = "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows), ""])
        for row in rows:
            print("  ".join(row), flush=True)
    head = [*kept[0].rstrip().split("\n"), ""] if kept else out
    with tempfile.NamedTemporaryFile("w", dir=HERE, delete=False, encoding="utf-8") as new:
        new.write("\n".join([*head, *(tables[name] for name in PARTS if name in tables)]))
    Path(new.name).chmod(0o644)
    Path(new.name).replace(page)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
