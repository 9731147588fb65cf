"""`bansha rules`: the rulesets as players and directors read them, and the linter for who writes one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, NoReturn

import msgspec
import typer

from bansha.referee.vocabulary import VOCABULARY
from bansha.rulesets.brief import brief as brief_lines
from bansha.rulesets.diff import diff as diff_lines
from bansha.rulesets.document import FORMATS
from bansha.rulesets.lint import lint_faults, lint_file
from bansha.rulesets.load import Loaded, RulesetError, bundled, find, load
from bansha.rulesets.model import Ruleset
from bansha.rulesets.sheet import show as show_sheet
from bansha.rulesets.words import OptionError

LANGS = ("zh", "en")

app = typer.Typer(help="Rulesets: list, show, brief, lint, diff, schema.", no_args_is_help=True, rich_markup_mode=None)

Name = Annotated[str, typer.Argument(help="A bundled id, or a path to a ruleset file.", metavar="ID")]
Lang = Annotated[str, typer.Option(help="zh or en.")]
Set = Annotated[list[str] | None, typer.Option("--option", "-o", help="Set an option: name=value; may be repeated.")]


def _fail(message: str) -> NoReturn:
    typer.echo(message.replace("\n", " "), err=True)
    raise typer.Exit(2)


def _load(name: str) -> Loaded:
    try:
        return load(name)
    except RulesetError as error:
        _fail(str(error))


def _lang(lang: str) -> str:
    if lang not in LANGS:
        _fail(f"--lang {lang!r}: languages are {', '.join(LANGS)}")
    return lang


def _options(pairs: list[str] | None) -> dict[str, str]:
    options = {}
    for pair in pairs or []:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            _fail(f"--option {pair!r}: write name=value, for example weekend=plain")
        options[name.strip()] = value.strip()
    return options


@app.command("list")
def list_() -> None:
    """The rulesets that come with bansha: id, seats, names."""
    for id in bundled():
        rules = _load(id).ruleset
        typer.echo(f"{id:<18}{rules.seats:>3}  {rules.name.zh} · {rules.name.en}")


@app.command()
def show(
    name: Name,
    lang: Lang = "zh",
    format: Annotated[str, typer.Option(help="text, md, html or bbcode.")] = "text",
    option: Set = None,
) -> None:
    """The whole rule sheet of a ruleset."""
    if format not in FORMATS:
        _fail(f"--format {format!r}: formats are {', '.join(FORMATS)}")
    try:
        typer.echo(show_sheet(_load(name), _lang(lang), format, _options(option)), nl=False)
    except (OptionError, RulesetError) as error:
        _fail(str(error))


@app.command()
def brief(name: Name, lang: Lang = "zh", option: Set = None) -> None:
    """What is unusual on a board, in at most a dozen lines: 〔老〕 for readers of the town's older boards, 〔新〕 for
    readers of the common modern one."""
    try:
        for line in brief_lines(_load(name), _lang(lang), _options(option)):
            typer.echo(line)
    except OptionError as error:
        _fail(str(error))


@app.command()
def lint(
    paths: Annotated[list[str], typer.Argument(help="Ruleset files, bundled ids, or a folder of planted faults.", metavar="PATH…")],
) -> None:
    """What could not be played: file, line, what was found, what would be legal. Exits 1 when there is something.

    A folder is read as files that plant one fault each, marked on its line by `# fault: CODE`; its summary is printed.
    """
    bad = False
    for name in paths:
        path = Path(name)
        if path.is_dir():
            summary, good = lint_faults(path, VOCABULARY)
            typer.echo(summary)
            bad |= not good
            continue
        try:
            file = find(name)
        except RulesetError as error:
            _fail(str(error))
        faults = lint_file(file, VOCABULARY)
        for fault in faults:
            typer.echo(str(fault))
        if not faults:
            typer.echo(f"{name}: no faults")
        bad |= bool(faults)
    if bad:
        raise typer.Exit(1)


@app.command()
def diff(
    a: Annotated[str, typer.Argument(help="The older ruleset: an id or a path.", metavar="A")],
    b: Annotated[str, typer.Argument(help="The newer one.", metavar="B")],
    lang: Lang = "zh",
) -> None:
    """What B changes against A, in a player's words."""
    for line in diff_lines(_load(a), _load(b), _lang(lang)):
        typer.echo(line)


@app.command()
def schema() -> None:
    """The JSON Schema of ruleset files, for editors."""
    typer.echo(json.dumps(msgspec.json.schema(Ruleset), ensure_ascii=False, indent=2))
