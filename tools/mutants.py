"""Mutants: one small change of the rules' code each, as a change of its syntax tree.

What is changed: comparisons, numbers, and/or/not, conditions turned round, arithmetic and bit operators, codes and kinds
(strings), returned values, assignments and calls taken away, break/continue, `any`/`all` and `min`/`max`, defaults. What is
left alone: docstrings, annotations, assertions, sentences for people, `__slots__` and the like.
"""

from __future__ import annotations
import __future__

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

_COMPARE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_OPERATOR: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitAnd,
    ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}  # fmt: skip
_FLAGS = __future__.annotations.compiler_flag
_CALLS = {"any": "all", "all": "any", "min": "max", "max": "min"}
_CODE = re.compile(r"[^\s{}，。：“”]{1,24}")  # a code, a kind, a name; no sentence
_LEFT_ALONE = frozenset({"__slots__", "__all__", "FIELDS", "_SHALLOW", "SENTENCES", "FAULTS"})  # lists of names and sentences for people


@dataclass
class Mutant:
    """One change: where it stands, what it is, and how it is made (`node.name[index] = new` in the tree)."""

    file: str
    line: int
    where: str  # the outermost function, "day.close_day" or "Board._options"; "" for what runs at import
    kind: str
    before: str
    after: str
    node: ast.AST = field(repr=False)
    name: str = field(repr=False)
    index: int | None = field(repr=False)
    new: Any = field(repr=False)
    number: int = 0  # of those with the same text in the same function, from 0

    @property
    def key(self) -> str:
        """A name that outlives changes elsewhere in the file."""
        again = f" #{self.number + 1}" if self.number else ""
        return f"{self.file} | {self.where} | {self.before} → {self.after}{again}"

    def apply(self) -> None:
        """Change the tree."""
        if self.index is None:
            setattr(self.node, self.name, self.new)
        else:
            getattr(self.node, self.name)[self.index] = self.new
        ast.fix_missing_locations(self.node)


class Module:
    """A module of the engine: its source, its tree and its mutants, numbered in the order of the tree."""

    def __init__(self, root: Path, file: str) -> None:
        self.file = file
        self.name = file.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
        self.source = (root / file).read_text(encoding="utf-8")
        self.tree = ast.parse(self.source, str(root / file))
        self.mutants: list[Mutant] = []
        seen: dict[str, int] = {}
        for mutant in _Finder(file, self.tree).all():
            base = mutant.key
            mutant.number = seen.get(base, 0)
            seen[base] = mutant.number + 1
            self.mutants.append(mutant)

    def code(self, path: str) -> CodeType:
        """The whole module, compiled as it now is."""
        code: CodeType = compile(self.tree, path, "exec", flags=_FLAGS, dont_inherit=True)
        return code

    def swap(self, mutant: Mutant, live: dict[str, Any]) -> bool:
        """Put the changed function's code into the live function, so that every table holding it holds the mutant.

        False: it is not to be found there, or runs at import; the module must be imported anew.
        """
        if not mutant.where:
            return False
        path = mutant.where.split(".")
        function = _live(live, path)
        if function is None:
            return False
        top = next((node for node in self.tree.body if getattr(node, "name", "") == path[0]), None)
        if top is None:
            return False
        tree = ast.Module([top], [])
        code: CodeType | None = compile(tree, function.__code__.co_filename, "exec", flags=_FLAGS, dont_inherit=True)
        for name in path:
            code = next((c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == name), None) if code else None
        if code is None or len(code.co_freevars) != len(function.__code__.co_freevars):
            return False
        function.__code__ = code
        return True


def _live(names: dict[str, Any], path: list[str]) -> FunctionType | None:
    thing = names.get(path[0])
    for name in path[1:]:
        thing = vars(thing).get(name) if isinstance(thing, type) else None
    if isinstance(thing, property):
        thing = thing.fget
    elif isinstance(thing, (classmethod, staticmethod)):
        thing = thing.__func__
    if hasattr(thing, "cache_clear"):
        thing = getattr(thing, "__wrapped__", None)
    return thing if isinstance(thing, FunctionType) else None


class _Finder:
    """Walks a module and offers every change."""

    def __init__(self, file: str, tree: ast.Module) -> None:
        self.file = file
        self.tree = tree

    def all(self) -> Iterator[Mutant]:
        """Every mutant, in the order of the tree."""
        for index, node in enumerate(self.tree.body):
            yield from self._visit(self.tree, "body", index, node, "", "")

    def _visit(self, parent: ast.AST, name: str, index: int | None, node: ast.AST, cls: str, where: str) -> Iterator[Mutant]:
        if self._left_alone(node):
            return
        here = where

        def offer(kind: str, new: ast.AST, text: str = "") -> Mutant:
            old = ast.unparse(node)
            line: int = getattr(node, "lineno", 0) or getattr(parent, "lineno", 0)
            shown = text or ast.unparse(new)
            return Mutant(self.file, line, here, kind, _short(old), _short(shown), parent, name, index, new)

        yield from _changes(parent, name, node, offer)
        inner = where
        if isinstance(node, ast.ClassDef) and not where:
            cls = node.name
        elif isinstance(node, ast.FunctionDef) and not where:
            inner = f"{cls}.{node.name}" if cls else node.name
        for child_name, child in ast.iter_fields(node):
            if child_name in ("annotation", "returns", "decorator_list", "op", "ops", "ctx", "bases"):
                continue
            # defaults run at import, whatever function they stand in
            scope = where if child_name == "args" else inner
            for at, item in enumerate(child) if isinstance(child, list) else ((None, child),):
                if isinstance(item, ast.AST):
                    yield from self._visit(node, child_name, at, item, cls, scope)

    def _left_alone(self, node: ast.AST) -> bool:
        if isinstance(node, (ast.Assert, ast.Import, ast.ImportFrom, ast.JoinedStr)):
            return True
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return True
        if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Literal":
            return True
        if isinstance(node, ast.AnnAssign) and node.value is None:
            return True
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            return any(isinstance(target, ast.Name) and target.id in _LEFT_ALONE for target in targets)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            return True
        # what cannot happen is not played: raise RuntimeError(...)
        return isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and ast.unparse(node.exc.func) == "RuntimeError"


def _changes(parent: ast.AST, name: str, node: ast.AST, offer: Callable[..., Mutant]) -> Iterator[Mutant]:
    match node:
        case ast.Compare():
            for at, op in enumerate(node.ops):
                ops = [*node.ops[:at], _COMPARE[type(op)](), *node.ops[at + 1 :]]
                yield offer("compare", ast.Compare(node.left, ops, node.comparators))
        case ast.BoolOp():
            yield offer("and/or", ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values))
        case ast.UnaryOp(op=ast.Not()):
            yield offer("not", node.operand)
        case ast.UnaryOp(op=ast.Invert()):
            yield offer("bits", node.operand)
        case ast.BinOp():
            yield offer("operator", ast.BinOp(node.left, _OPERATOR[type(node.op)](), node.right))
        case ast.AugAssign():
            yield offer("operator", ast.AugAssign(node.target, _OPERATOR[type(node.op)](), node.value))
            yield offer("removed", ast.Pass())
        case ast.Constant(value=bool(value)):
            yield offer("constant", ast.Constant(not value))
        case ast.Constant(value=int(value)):
            # a set of seats that is missing: rather all of them than bit 0, which stands for no seat
            missing = value == 0 and isinstance(parent, ast.Call) and ast.unparse(parent.func).endswith(".get")
            yield offer("number", ast.Constant(-1 if missing else value + 1))
        case ast.Constant(value=str(value)) if _CODE.fullmatch(value):
            yield offer("string", ast.Constant(f"XX{value}"))
        case ast.Call(func=ast.Name(id=id)) if id in _CALLS:
            yield offer("call", ast.Call(ast.Name(_CALLS[id], ast.Load()), node.args, node.keywords))
        case ast.Return(value=value) if value is not None and not isinstance(value, ast.Constant):
            yield offer("return", ast.Return(ast.Constant(None)))
        case ast.Expr(value=ast.Call()) | ast.Raise() | ast.Delete():
            yield offer("removed", ast.Pass())
        case ast.Assign(targets=[ast.Name()], value=value) if not isinstance(value, (ast.Constant, ast.Name, ast.Attribute)):
            yield offer("assigned", ast.Assign(node.targets, ast.Constant(None), lineno=node.lineno))
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield offer("removed", ast.Pass())
        case ast.Break():
            yield offer("loop", ast.Pass())
        case ast.Continue():
            yield offer("loop", ast.Break())
    if name in ("test", "ifs") and not isinstance(node, (ast.Compare, ast.BoolOp)) and not _is_not(node):
        assert isinstance(node, ast.expr)
        yield offer("condition", ast.UnaryOp(ast.Not(), node))


def _is_not(node: ast.AST) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 110 else f"{line[:107]}..."
