"""Small errors that can be planted in the sources: exact edits of one expression or statement each."""

from __future__ import annotations

import ast
import difflib
import random
import re
from itertools import islice
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "gough"
SWAPPED = {ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*"), ast.Pow: ("**", "*")}
FLIPPED = {"<": ">", ">": "<", "<=": ">", ">=": "<", "==": "!=", "!=": "=="}
PAIRS = (
    "min max",
    "minimum maximum",
    "fmin fmax",
    "sin cos",
    "any all",
    "argmin argmax",
    "floor ceil",
    "arcsin arccos",
)
OTHER = {a: b for pair in PAIRS for a, b in (pair.split(), pair.split()[::-1])}


class Mutant(NamedTuple):
    """An edit: bytes from `begin` to `end` of a file become `text`; `lines` are those of the statement."""

    path: Path
    line: int
    lines: range
    is_import: bool
    begin: int
    end: int
    text: str

    @property
    def room(self) -> str:
        """Folder of the package."""
        return self.name.partition("/")[0] if "/" in self.name else ""

    @property
    def name(self) -> str:
        """The file, below the package."""
        return self.path.relative_to(SOURCE).as_posix()

    def applied(self, source: bytes) -> bytes:
        """The file with the error in it."""
        return source[: self.begin] + self.text.encode() + source[self.end :]


class _Finder(ast.NodeVisitor):
    """Collects the edits of one file."""

    def __init__(self, path: Path, source: bytes) -> None:
        self.path, self.source, self.found = path, source, list[Mutant]()
        self.depth, self.lines = 0, range(1, 1)
        self.starts = [0]
        for line in source.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def place(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.starts[node.lineno - 1] + node.col_offset, self.starts[node.end_lineno - 1] + node.end_col_offset

    def text(self, node: ast.expr) -> str:
        begin, end = self.place(node)
        return self.source[begin:end].decode()

    def add(self, node: ast.expr | ast.stmt, begin: int, end: int, text: str) -> None:
        self.found.append(Mutant(self.path, node.lineno, self.lines, self.depth == 0, begin, end, text))

    def replace(self, node: ast.expr | ast.stmt, text: str) -> None:
        self.add(node, *self.place(node), text)

    def between(self, node: ast.expr, left: ast.expr, right: ast.expr, was: str, now: str) -> None:
        """Replace an operator between two operands."""
        begin, end = self.place(left)[1], self.place(right)[0]
        found = re.search(rb"(?<![-+*/<>=!])" + re.escape(was.encode()) + rb"(?![*/<>=])", self.source[begin:end])
        if found:
            self.add(node, begin + found.start(), begin + found.end(), now)

    def visit(self, node: ast.AST) -> None:
        """Note the lines of the statement that is visited: of a compound one, of its head."""
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            self.lines = range(
                node.lineno, max(body[0].lineno if body else (node.end_lineno or 0) + 1, node.lineno + 1)
            )
        super().visit(node)

    def visit_If(self, node: ast.If) -> None:
        self.replace(node.test, "False")
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call):
            self.replace(node, "pass")
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        if all(isinstance(target, ast.Subscript | ast.Attribute) for target in node.targets):
            self.replace(node, "pass")
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for part in [*node.args.defaults, *(d for d in node.args.kw_defaults if d)]:
            self.visit(part)
        self.depth += 1
        self.empty(node)
        for statement in node.body:
            self.visit(statement)
        self.depth -= 1

    def empty(self, node: ast.FunctionDef) -> None:
        """A function that returns what it is given first."""
        first = next((a.arg for a in node.args.args if a.arg not in ("self", "cls")), "None")
        body = [s for s in node.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
        if body:
            self.lines = range(body[0].lineno, body[0].lineno + 1)
            begin = self.place(body[0])[0]
            self.add(body[0], begin, begin, f"return {first}\n{' ' * body[0].col_offset}")

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if type(node.op) in SWAPPED:
            self.between(node, node.left, node.right, *SWAPPED[type(node.op)])
        if isinstance(node.op, ast.Add | ast.Sub):  # a term dropped, its operator with it
            self.add(node, self.place(node.left)[1], self.place(node.right)[1], "")
        if isinstance(node.op, ast.MatMult):
            self.replace(node, f"(({self.text(node.right)}) @ ({self.text(node.left)}))")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if type(node.op) in SWAPPED:
            was, now = SWAPPED[type(node.op)]
            self.between(node.target, node.target, node.value, f"{was}=", f"{now}=")
        self.replace(node, "pass")
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.USub | ast.Not):
            self.replace(node, f"({self.text(node.operand)})")
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        symbols = {ast.Lt: "<", ast.Gt: ">", ast.LtE: "<=", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
        symbol = symbols.get(type(node.ops[0]))
        if symbol:
            self.between(node, node.left, node.comparators[0], symbol, FLIPPED[symbol])
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        was, now = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        self.between(node, node.values[0], node.values[1], was, now)
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self.replace(node, str(not node.value))
        elif isinstance(node.value, int):
            self.replace(node, str(node.value + 1))
        elif isinstance(node.value, float):
            self.replace(node, repr(2.0 * node.value) if node.value else "1.0")

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func
        if isinstance(name, ast.Attribute | ast.Name):
            word = name.attr if isinstance(name, ast.Attribute) else name.id
            end = self.place(name)[1]
            if word in OTHER:
                self.add(node, end - len(word), end, OTHER[word])
            if word == "swapaxes" and len(node.args) == 3:
                self.replace(node, f"({self.text(node.args[0])})")
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if node.attr == "T":
            self.replace(node, self.text(node.value))
        self.generic_visit(node)


def _all_of(path: Path) -> list[Mutant]:
    finder = _Finder(path, path.read_bytes())
    finder.visit(ast.parse(finder.source))
    return finder.found


def sample(count: int, seed: int, room: str | None, is_body: bool) -> list[Mutant]:
    """Mutants drawn from all of a room, or of all rooms; with `is_body`, from functions without their body alone."""
    found: list[Mutant] = []
    for path in sorted(SOURCE.rglob("*.py")):
        found += [m for m in _all_of(path) if room in (None, m.room) and (m.text.startswith("return ") or not is_body)]
    random.Random(seed).shuffle(found)
    print(f"{count} of {len(found)} mutants, seed {seed}", flush=True)
    return list(islice(filter(_is_code, found), count))


def named(entry: dict[str, str]) -> Mutant:
    """The edit that replaces the lines `was` of a file by `becomes`, both without indentation."""
    path, was = SOURCE / entry["file"], entry["was"].splitlines()
    lines = path.read_bytes().splitlines(keepends=True)
    bare = [line.decode().strip() for line in lines]
    places = [k for k in range(len(lines)) if bare[k : k + len(was)] == was]
    if len(places) != 1:
        raise SystemExit(f"{entry['file']} holds this {len(places)} times, not once:\n{entry['was']}")
    k = places[0]
    near = [m for m in _all_of(path) if k + 1 in m.lines]
    of = min(near, key=lambda m: len(m.lines)) if near else None
    indent = b" " * (len(lines[k]) - len(lines[k].lstrip()))
    text = b"".join(indent + line.encode() + b"\n" for line in entry["becomes"].splitlines())
    begin, end = (sum(map(len, lines[:j])) for j in (k, k + len(was)))
    within = range(k + 1, k + 1 + len(was)) if of is None else of.lines
    return Mutant(path, k + 1, within, of is not None and of.is_import, begin, end, text.decode())


def _is_code(mutant: Mutant) -> bool:
    try:
        ast.parse(mutant.applied(mutant.path.read_bytes()))
    except SyntaxError:
        return False
    return True


def difference(mutant: Mutant) -> tuple[str, str]:
    """The lines that change, before and after."""
    source = mutant.path.read_bytes()
    one, other = (text.decode().splitlines() for text in (source, mutant.applied(source)))
    changed = [line for line in difflib.unified_diff(one, other, lineterm="", n=0) if line[:3] not in ("---", "+++")]
    was, becomes = ("\n".join(line[1:].strip() for line in changed if line[0] == sign) for sign in "-+")
    return was, becomes
