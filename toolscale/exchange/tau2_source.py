"""tau2-bench's tools as one module for the sandbox: what the tools reach of their files, after what stands in for tau2.

Nothing is run here. What no tool reaches is left out, whatever it imports.
"""

import ast
import builtins
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

from toolscale.environment import MODULES_ON_DEMAND, PRELOADED_MODULES
from toolscale.errors import UserError
from toolscale.exchange.tau2_classes import Side, descends, sides_of
from toolscale.python_source import parsed

_OWN = "toolscale.exchange.tau2_tables"
_STANDING_IN_FOR = ("tau2", "loguru")
_IN_THE_SANDBOX = ("__future__", *PRELOADED_MODULES, *MODULES_ON_DEMAND)


@dataclass(frozen=True)
class Merged:
    """One module with all that the tools need, and the classes in it that matter."""

    source: str
    agent: Side
    user: Side | None
    environment: str | None
    """The class that keeps both sides in step, where there is one."""


def merged_source(tools: Path) -> Merged:
    """tools.py, user_tools.py and environment.py beside it, and what these import of the files there.

    Raises `UserError` for what is not Python, for an import that the tools reach and the sandbox cannot have, and where
    a name that they reach means two things.
    """
    try:
        return _merged(tools)
    except RecursionError:
        raise UserError(
            f"{tools}: what its tools need leads on through too many definitions; shorten the way"
        ) from None


def _merged(tools: Path) -> Merged:
    stand_in = _stand_in()
    files = _Files(tools.parent, stand_in)
    agent, user, environment = sides_of(
        files.tree(tools), _optional(files, "user_tools"), _optional(files, "environment")
    )
    files.reach(tools, agent.toolkit)
    if user:
        files.reach(tools.parent / "user_tools.py", user.toolkit)
    if environment:
        files.reach(tools.parent / "environment.py", environment)
    databases = [files.database_of(side.database) for side in (agent, user) if side]
    sides = [Side(side.toolkit, name) for side, name in zip((agent, user), databases, strict=False) if side]
    return Merged("\n\n".join([stand_in, *files.texts()]), sides[0], sides[1] if user else None, environment)


def _optional(files: "_Files", name: str) -> ast.Module | None:
    file = files.folder / f"{name}.py"
    return files.tree(file) if file.is_file() else None


def _stand_in() -> str:
    """The text of both stand-ins as one; what the second imports from the first is there already."""
    folder = resources.files("toolscale.exchange")
    tables, tools = ((folder / f"tau2_{name}.py").read_text(encoding="utf-8") for name in ("tables", "stand_in"))
    (own,) = (node for node in parsed(tools).body if isinstance(node, ast.ImportFrom) and node.module == _OWN)
    lines = tools.splitlines()
    del lines[own.lineno - 1 : own.end_lineno]
    return tables + "\n\n" + "\n".join(lines) + "\n"


@dataclass
class _File:
    path: Path
    lines: list[str]
    tree: ast.Module
    defined: dict[str, list[ast.stmt]]
    imported: dict[str, tuple[ast.Import | ast.ImportFrom, ast.alias]]
    stars: list[ast.ImportFrom]
    reached: dict[str, None] = field(default_factory=dict)
    kept: dict[int, ast.stmt] = field(default_factory=dict)
    put: dict[str, str] = field(default_factory=dict)
    """What takes the place of an import, by the name that it defines."""
    needs: dict[Path, None] = field(default_factory=dict)


class _Files:
    """The files that the tools need, and of each what they reach, in the order in which they need each other."""

    def __init__(self, folder: Path, stand_in: str) -> None:
        self.folder = folder
        tree = parsed(stand_in)
        self._offered = set(_defined(tree))
        self._owner: dict[str, str] = dict.fromkeys(self._offered, "what stands in for tau2")
        for node in tree.body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                self._owner |= {_binds(alias): _as_written(node, alias) for alias in node.names}
        self._files: dict[Path, _File] = {}

    def tree(self, path: Path) -> ast.Module:
        """The file, read."""
        return self._file(path).tree

    def texts(self) -> list[str]:
        """What is reached of each file, after what it needs."""
        return [self._text(file) for file in self._ordered()]

    def _ordered(self) -> list[_File]:
        ordered: dict[Path, None] = {}
        entered: set[Path] = set()

        def enter(path: Path) -> None:
            if path not in entered:
                entered.add(path)
                for other in self._files[path].needs:
                    enter(other)
                ordered[path] = None

        for path in list(self._files):
            enter(path)
        return [file for path in ordered if (file := self._files[path]).reached]

    def database_of(self, wanted: str | None) -> str:
        """The class of a database: the one that a toolkit names, if that is one; else the last there is."""
        trees = [file.tree for file in self._ordered()]
        classes = {node.name: node for tree in trees for node in tree.body if isinstance(node, ast.ClassDef)}
        names = [name for name in classes if descends(name, "DB", classes)]
        return wanted if wanted in names else names[-1] if names else "DB"

    def reach(self, path: Path, name: str, passed: Collection[Path] = ()) -> bool:
        """Take in a name of a file with all that it reads. False where the file does not have it.

        Stars do not lead back to files that were `passed` on the way.
        """
        file = self._file(path)
        if name in file.reached:
            return True
        if name in file.defined:
            self._own(file, name)
            file.reached[name] = None
            for statement in file.defined[name]:
                self._keep(file, statement)
        elif name in file.imported:
            file.reached[name] = None
            file.put[name] = put = self._instead(file, *file.imported[name])
            if put.startswith(("import ", "from ")):
                self._import(file, name, put)
        elif not any(self._reach_star(file, star, name, {path, *passed}) for star in file.stars):
            return False
        for statement in file.tree.body:
            if _is_effect(statement) and id(statement) not in file.kept and name in _read(statement):
                self._keep(file, statement)
        return True

    def _keep(self, file: _File, statement: ast.stmt) -> None:
        file.kept[id(statement)] = statement
        for name in _read(statement):
            self.reach(file.path, name)
        for node in ast.walk(statement):
            if isinstance(node, ast.Import | ast.ImportFrom):
                for alias in node.names:
                    self._instead(file, node, alias)
        for name in _bound(statement):  # what else the same statement defines is there too
            file.reached.setdefault(name, None)

    def _reach_star(self, file: _File, star: ast.ImportFrom, name: str, passed: Collection[Path]) -> bool:
        beside = self._beside(star)
        if beside is None:
            if not star.level and (star.module or "").partition(".")[0] in _IN_THE_SANDBOX:
                file.put[f"{star.module}.*"] = _as_written(star, star.names[0])
            elif not hasattr(builtins, name):
                raise UserError(_no_import(file.path, star, "." * star.level + (star.module or "")))
            return False
        if beside in passed or not self.reach(beside, name, passed):
            return False
        file.needs[beside] = None
        return True

    def _own(self, file: _File, name: str) -> None:
        owner = self._owner.setdefault(name, file.path.name)
        if owner != file.path.name:
            raise UserError(f"{file.path}: `{name}` is defined here and in {owner}; rename one of them")

    def _instead(self, file: _File, node: ast.Import | ast.ImportFrom, alias: ast.alias) -> str:
        """What takes an import's place. Raises `UserError` for one that cannot be had."""
        name = alias.asname or alias.name
        if isinstance(node, ast.Import):
            if alias.name.partition(".")[0] not in _IN_THE_SANDBOX:
                raise UserError(_no_import(file.path, node, alias.name))
            return _as_written(node, alias)
        module = node.module or ""
        if (beside := self._beside(node)) is not None:
            if alias.name != "*" and not self.reach(beside, alias.name):
                raise UserError(f"{file.path}:{node.lineno}: imports {alias.name}, which {beside.name} does not define")
            file.needs[beside] = None
            return "" if alias.asname is None else f"{name} = {alias.name}"
        if module.partition(".")[0] in _STANDING_IN_FOR:
            if alias.name not in self._offered:
                raise UserError(_no_import(file.path, node, f"{module}.{alias.name}"))
            return "" if alias.asname is None else f"{name} = {alias.name}"
        if node.level or module.partition(".")[0] not in _IN_THE_SANDBOX:
            raise UserError(_no_import(file.path, node, "." * node.level + module))
        if module == "__future__":
            return ""
        return _as_written(node, alias)

    def _import(self, file: _File, name: str, written: str) -> None:
        if (owner := self._owner.setdefault(name, written)) != written:
            raise UserError(f"{file.path}: `{name}` is `{written}` here and elsewhere `{owner}`; rename one of them")

    def _beside(self, node: ast.ImportFrom) -> Path | None:
        module = node.module or ""
        beside = self.folder / f"{module.rpartition('.')[2]}.py"
        within = node.level or module.startswith("tau2.") or "." not in module
        return beside if within and module and beside.is_file() else None

    def _file(self, path: Path) -> _File:
        if path not in self._files:
            text, tree = _parsed(path)
            imported: dict[str, tuple[ast.Import | ast.ImportFrom, ast.alias]] = {}
            stars: list[ast.ImportFrom] = []
            for node in tree.body:
                if isinstance(node, ast.Import | ast.ImportFrom):
                    for alias in node.names:
                        if alias.name == "*" and isinstance(node, ast.ImportFrom):
                            stars.append(node)
                        else:
                            imported[_binds(alias)] = (node, alias)
            self._files[path] = _File(path, text.splitlines(), tree, _defined(tree), imported, stars)
        return self._files[path]

    def _text(self, file: _File) -> str:
        """The kept lines, with what takes the place of imports: those at the top first, others where they stand."""
        lines = list(file.lines)
        wanted: set[int] = set()
        for statement in file.kept.values():
            wanted |= {*range(_first_line(statement) - 1, statement.end_lineno or statement.lineno)}
            for node in ast.walk(statement):
                if isinstance(node, ast.Import | ast.ImportFrom):
                    put = [text for alias in node.names if (text := self._instead(file, node, alias))]
                    end = node.end_lineno or node.lineno
                    lines[node.lineno - 1 : end] = [" " * node.col_offset + ("; ".join(put) or "pass")] + [""] * (
                        end - node.lineno
                    )
        kept = [lines[number] for number in sorted(wanted)]
        return "\n".join([f"# {file.path.name}", *filter(None, dict.fromkeys(file.put.values())), *kept]) + "\n"


def _binds(alias: ast.alias) -> str:
    """The name that an import defines."""
    return alias.asname or alias.name.partition(".")[0]


def _as_written(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> str:
    of = f"from {node.module} " if isinstance(node, ast.ImportFrom) else ""
    return f"{of}import {alias.name}" + (f" as {alias.asname}" if alias.asname else "")


def _no_import(file: Path, node: ast.stmt, name: str) -> str:
    return f"{file}:{node.lineno}: imports {name}, which the sandbox does not have; rewrite the tool without it"


def _parsed(file: Path) -> tuple[str, ast.Module]:
    try:
        text = file.read_text(encoding="utf-8-sig")
        return text, parsed(text)
    except (OSError, ValueError) as error:
        raise UserError(f"{file}: cannot be read as Python: {error}; correct it") from None


def _defined(tree: ast.Module) -> dict[str, list[ast.stmt]]:
    """The names that a module defines at its top level, imports aside, each with the statements that do."""
    found: dict[str, list[ast.stmt]] = {}
    for node in tree.body:
        for name in _bound(node):
            found.setdefault(name, []).append(node)
    return found


def _bound(node: ast.stmt) -> Iterator[str]:
    """The names that a statement of a module defines, whatever `if` or `try` they stand in."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        targets: Sequence[ast.expr] = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            yield from (each.id for each in ast.walk(target) if isinstance(each, ast.Name) and _stores(each))
    elif isinstance(node, ast.If | ast.Try) and not _runs_as_a_script(node):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import | ast.ImportFrom):
                yield from (_binds(alias) for alias in child.names)
            elif isinstance(child, ast.stmt):
                yield from _bound(child)


def _stores(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def _is_effect(node: ast.stmt) -> bool:
    """Whether a statement does something to what others define, such as `Model.model_rebuild()`."""
    if isinstance(node, ast.Import | ast.ImportFrom) or _runs_as_a_script(node):
        return False
    return not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)) and not any(_bound(node))


def _runs_as_a_script(node: ast.stmt) -> bool:
    """Whether it is `if __name__ == "__main__":`, which never runs here."""
    return isinstance(node, ast.If) and not node.orelse and ast.unparse(node.test) == "__name__ == '__main__'"


def _read(node: ast.AST) -> set[str]:
    """The names that a statement reads, those in quoted annotations too."""
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    quoted = (each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str))
    return names | {text for text in quoted if text.isidentifier()}


def _first_line(node: ast.stmt) -> int:
    decorators: Iterable[ast.expr] = getattr(node, "decorator_list", ())
    return min([node.lineno, *(each.lineno for each in decorators)])
