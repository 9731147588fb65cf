"""The command line: `bansha case`, `demo`, `replay`, `explain`, `verify`, `rules`, `clock` …. Each command imports only what it needs.

What goes wrong is said in one line on stderr that names what was found and what would be legal; the exit code is 2.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException
from typer.main import get_command

from bansha import __version__


class Mistake(Exception):
    """Something the caller can put right; its text is the line on stderr."""

    code = 2


class Unproved(Mistake):
    """A journal that was checked and does not hold: the answer asked for, not a wrong question."""

    code = 1


class _Commands(TyperGroup):
    """The commands, with `rules` imported only when it is asked for or listed."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [*super().list_commands(ctx), "rules"]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name != "rules":
            return super().get_command(ctx, cmd_name)
        from bansha.cli.rules import app as rules

        command = get_command(rules)
        command.name = "rules"
        return command


app = typer.Typer(
    name="bansha",
    cls=_Commands,
    help="版杀: a stage for play-by-post Werewolf.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

Seat = Annotated[int, typer.Option("--as", metavar="SEAT", help="Show only what this seat may know.")]
RulesetOption = Annotated[str, typer.Option("--ruleset", metavar="PATH", help="The ruleset file, if it is none that comes along.")]
JournalFile = Annotated[Path, typer.Argument(metavar="FILE", help="A journal as `bansha demo --save` writes it.")]


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"bansha {__version__}")
        raise typer.Exit(0)


@app.callback()
def _bansha(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """版杀: a stage for play-by-post Werewolf."""


@app.command()
def case(paths: Annotated[list[Path], typer.Argument(metavar="FILE|DIR…", help="Case files, or folders of them.")]) -> None:
    """Run case files: a line a file. Exit 0 if all hold, 1 if one failed, 2 if a file is malformed."""
    from bansha.cases.run import run_files

    raise typer.Exit(run_files(paths, typer.echo))


@app.command()
def demo(
    ruleset: Annotated[str, typer.Argument(metavar="RULESET", help="A bundled id, or a path to a ruleset file.")] = "m205",
    seed: Annotated[int, typer.Option(help="The game: the same seed, the same game.")] = 16,
    pace: Annotated[float, typer.Option(help="Seconds between two beats; 0: none.")] = 0.0,
    seat: Seat = 0,
    save: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the journal there.")] = None,
    option: Annotated[list[str] | None, typer.Option("--option", "-o", metavar="k=v", help="Set an option of the ruleset.")] = None,
    games: Annotated[int | None, typer.Option(metavar="N", help="Play so many games and print figures instead.")] = None,
    summary: Annotated[bool, typer.Option("--summary", help="The same, 100 games unless --games says otherwise.")] = False,
) -> None:
    """Play a whole game with computer players, here in the terminal."""
    from bansha.cli import games as run

    run.demo(ruleset, seed, pace, seat, save, option or [], 100 if summary and games is None else games)


@app.command()
def replay(
    file: JournalFile,
    until: Annotated[str, typer.Option(metavar="PHASE", help="Stop when this phase has ended, e.g. 'night 2'.")] = "",
    seat: Seat = 0,
    pace: Annotated[float, typer.Option(help="Seconds between two beats; 0: none.")] = 0.0,
    check: Annotated[bool, typer.Option("--check", help="Judge every command again and compare what follows.")] = False,
    ruleset: RulesetOption = "",
) -> None:
    """Show a game again from its journal, or judge it again."""
    from bansha.cli import replays as run

    run.check(file, ruleset) if check else run.replay(file, until, seat, pace, ruleset)


@app.command()
def explain(
    file: JournalFile,
    seat: Annotated[int, typer.Argument(metavar="SEAT", help="Whose fate, answer, vote or card.")],
    told: Annotated[str, typer.Option(metavar="SKILL", help="Why a private answer of this skill said so.")] = "",
    night: Annotated[int, typer.Option(help="With --told: of this night only.")] = -1,
    vote: Annotated[str, typer.Option(metavar="BALLOT", help="What became of the vote: exile or election.")] = "",
    day: Annotated[int, typer.Option(help="With --vote: of this day only.")] = 0,
    card: Annotated[bool, typer.Option(help="Why a card was proposed.")] = False,
    asker: Annotated[int, typer.Option("--as", metavar="SEAT", help="Use only what this seat may know.")] = 0,
    lang: Annotated[str, typer.Option(help="zh or en.")] = "zh",
    ruleset: RulesetOption = "",
) -> None:
    """Why a seat is out, why a check said so, why a vote was not counted: in the words of the rules."""
    from bansha.cli import replays as run

    run.explain(file, run.Asked(seat, told, night, vote, day, card), asker, lang, ruleset)


@app.command()
def verify(file: JournalFile) -> None:
    """Was the game dealt and drawn honestly, and is its journal whole? What tools/verify.py says."""
    from bansha.cli import journals

    typer.echo(journals.verified(file))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    code = 2
    try:
        result = get_command(app).main(args=arguments or ["--help"], prog_name="bansha", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except Mistake as mistake:
        line, code = str(mistake), mistake.code
    except TyperException as error:
        line = _usage(error, arguments)
    except typer.Abort:
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if os.environ.get("BANSHA_DEBUG"):
            raise
        line = f"a mistake of ours ({type(error).__name__}: {error}); BANSHA_DEBUG=1 shows where, please report it"
    print(f"bansha: {' '.join(line.split())}", file=sys.stderr)
    return code


@app.command()
def clock(
    rest: Annotated[float, typer.Option(help="seconds between two looks when nothing was due")] = 0.5,
    once: Annotated[bool, typer.Option(help="look once, then end")] = False,
) -> int:
    """Run what is due in the games of the town, until ended. Several clocks may run."""
    from bansha.cli import served

    return served.clock(rest, once)


@app.command()
def migrate(
    adopt: Annotated[bool, typer.Option("--adopt", help="The signing key was changed on purpose: the one at hand is the town's.")] = False,
    no_backup: Annotated[bool, typer.Option("--no-backup", help="Make no backup before; you have one.")] = False,
) -> int:
    """Bring the town's database to the present form; a backup is made before."""
    from bansha.cli import served

    return served.migrate(adopt, not no_backup)


@app.command()
def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to; nothing is written over.")],
    check: Annotated[bool, typer.Option("--check", help="Check this backup instead: checksums, chains, deals.")] = False,
    with_secret: Annotated[bool, typer.Option("--with-secret", help="Put the town's keys into it: of signing, of web push.")] = False,
) -> int:
    """Write the whole town as it stands at one moment into a file, while it goes on."""
    from bansha.cli import served

    return served.backup(file, check, with_secret)


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A backup; of either kind of database, into either kind.")],
    replace: Annotated[bool, typer.Option("--replace", help="The town that is there goes.")] = False,
) -> int:
    """Make the town what a backup holds, whole or not at all."""
    from bansha.cli import served

    return served.restore(file, replace)


@app.command()
def rebuild(game: Annotated[int, typer.Argument(help="the game's number")]) -> int:
    """Write anew, from its journal, what follows from a game's journal."""
    from bansha.cli import served

    return served.rebuild(game)


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The pages' port.")] = 8000,
    stream_port: Annotated[int, typer.Option(help="The live stream's port; 0: the one after the pages'.")] = 0,
    workers: Annotated[int, typer.Option(min=1, help="Processes for pages.")] = 2,
    threads: Annotated[int, typer.Option(min=1, help="Threads of each of them.")] = 4,
    only: Annotated[str, typer.Option(metavar="PARTS", help="Only pages, streams, clock, courier or company; some with commas.")] = "",
) -> int:
    """Serve the town: pages, live stream, clock, courier of notices, and computer players where there are some."""
    from bansha.cli import served

    return served.serve(host, port, stream_port, workers, threads, only)


@app.command()
def seed(
    port: Annotated[int, typer.Option(help="The port the town will be served at.")] = 8000,
    away: Annotated[bool, typer.Option("--away", help="Take the embedded database away instead.")] = False,
) -> int:
    """Make a demonstration town: games, accounts, a secret. What is there is kept."""
    from bansha.cli import served

    return served.seed(port, away)


@app.command()
def populate(
    games: Annotated[int, typer.Option(min=1, help="Games in play.")] = 10,
    posts: Annotated[int, typer.Option(min=0, help="Posts in today's thread of the first of them.")] = 0,
    events: Annotated[int, typer.Option(min=0, help="Events in the journal of another one.")] = 0,
) -> int:
    """Fill an empty town with games in play, to measure how cost grows."""
    from bansha.cli import served

    return served.populate(games, posts, events)


def _usage(error: TyperException, arguments: Sequence[str]) -> str:
    """What typer found wrong, and what would be legal there."""
    message = str(getattr(error, "format_message", lambda: str(error))()).rstrip(".")
    context = getattr(error, "ctx", None)
    if context is None:
        return message
    command = context.command
    if hasattr(command, "list_commands") and "ommand" in message:
        return f"{message}; commands are {', '.join(command.list_commands(context))}"
    named = getattr(getattr(error, "param", None), "opts", [])
    found = [after for name, after in pairwise(arguments) if name in named]
    options = ", ".join(name for parameter in command.params for name in parameter.opts if name.startswith("--"))
    legal = " ".join(piece for piece in command.collect_usage_pieces(context) if piece != "[OPTIONS]")
    return f"{message}{f', found {found[-1]!r}' if found else ''}; legal: {context.command_path} {legal} with {options or 'no options'}"


if __name__ == "__main__":
    sys.exit(main())
