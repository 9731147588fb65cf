"""Reading YAML as YAML 1.2: `21:00` stays a time, `no` stays a word, a repeated key is an error, every value has a line.

libyaml's composer does the syntax at C speed (a pure-Python reader took ten times as long over two hundred case
files); the scalars are resolved here by the 1.2 core schema, because libyaml's own resolver is 1.1.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import yaml

try:
    from yaml import CSafeLoader as _Loader
except ImportError:  # a build without libyaml: slower, same answers
    from yaml import SafeLoader as _Loader  # type: ignore[assignment]

_INT = re.compile(r"[-+]?[0-9]+\Z")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_CONST: dict[str, Any] = {"": None, "~": None, "null": None, "Null": None, "NULL": None}
_CONST |= dict.fromkeys(("true", "True", "TRUE"), True) | dict.fromkeys(("false", "False", "FALSE"), False)

Path = tuple[str | int, ...]


class YamlError(ValueError):
    """A file that is no YAML, or repeats a key. `line` is 1-based, `what` says what was found and what would be legal."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(f"line {line}: {what}")
        self.line = line
        self.what = what


@dataclass
class Document:
    """The plain value of a file, and the 1-based line of every value and of every key by its path."""

    value: Any
    lines: dict[Path, int] = field(default_factory=dict)

    def line(self, path: Path) -> int:
        """The line of `path`, or of its nearest ancestor that has one."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


DIGITS = 18
"""A longer number is a slip of the hand; Python itself stops reading at some thousand digits."""


def _scalar(node: yaml.ScalarNode) -> Any:
    text: str = node.value
    if node.style is None or node.style == "":
        if text in _CONST:
            return _CONST[text]
        if _INT.match(text) or _FLOAT.match(text):
            if len(text) > DIGITS:
                said = f"a number of {len(text)} characters; at most {DIGITS}, or in quotes if it is a text"
                raise YamlError(node.start_mark.line + 1, said)
            return int(text) if _INT.match(text) else float(text)
    return text


def read(text: str) -> Document:
    """Parse one document.

    Raises:
        YamlError: not YAML, more than one document, a repeated key, an alias, too long a number, or a key that is no scalar.
    """
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "not YAML"
        raise YamlError((mark.line + 1) if mark else 1, f"not YAML 1.2: {problem}") from None
    except (ValueError, RecursionError) as error:
        raise YamlError(1, f"not YAML 1.2: {error}") from None
    finally:
        loader.dispose()
    document = Document(None)
    if node is None:
        raise YamlError(1, "the file is empty; a mapping is expected")
    seen: set[int] = set()

    def build(node: yaml.Node, path: Path) -> Any:
        document.lines[path] = node.start_mark.line + 1
        if isinstance(node, yaml.ScalarNode):
            return _scalar(node)
        if id(node) in seen:
            raise YamlError(node.start_mark.line + 1, "an alias (*name); write the value out instead")
        seen.add(id(node))
        if len(path) > 60:
            raise YamlError(node.start_mark.line + 1, "nested too deeply (more than 60 levels)")
        if isinstance(node, yaml.SequenceNode):
            return [build(child, (*path, index)) for index, child in enumerate(node.value)]
        result: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise YamlError(key_node.start_mark.line + 1, "a key must be a plain word or number")
            key = _scalar(key_node)
            if key in result:
                raise YamlError(key_node.start_mark.line + 1, f"the key {key!r} stands twice; keep one of them")
            result[key] = build(value_node, (*path, key))
            document.lines[(*path, key)] = key_node.start_mark.line + 1
        return result

    document.value = build(node, ())
    return document
