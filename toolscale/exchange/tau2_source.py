"""tau2-bench's tools as one module for the sandbox: imports resolved, stand-ins put in, one function a tool."""

import ast
from importlib import resources
from pathlib import Path

from toolscale.environment import MODULES_ON_DEMAND, PRELOADED_MODULES
from toolscale.errors import UserError
from toolscale.python_source import parsed

_OWN = "toolscale.exchange.tau2_tables"
_STANDING_IN_FOR = ("tau2", "loguru")
_IN_THE_SANDBOX = ("__future__", *PRELOADED_MODULES, *MODULES_ON_DEMAND)


def merged_source(tools: Path) -> str:
    """tools.py with the files beside it that it imports, after what stands in for tau2.

    Nothing is run. Raises `UserError` for what is not Python, for an import that the sandbox cannot have, and where two
    of the files define one name.
    """
    stand_in = _stand_in()
    merged = _Merged(tools.parent, stand_in)
    merged.add(tools)
    return "\n\n".join([stand_in, *merged.texts])


def _stand_in() -> str:
    """The text of both stand-ins as one; what the second imports from the first is there already."""
    folder = resources.files("toolscale.exchange")
    tables, tools = ((folder / f"tau2_{name}.py").read_text(encoding="utf-8") for name in ("tables", "stand_in"))
    (own,) = (node for node in ast.parse(tools).body if isinstance(node, ast.ImportFrom) and node.module == _OWN)
    lines = tools.splitlines()
    del lines[own.lineno - 1 : own.end_lineno]
    return tables + "\n\n" + "\n".join(lines) + "\n"


class _Merged:
    """The files so far, each once, in the order in which they need each other."""

    def __init__(self, folder: Path, stand_in: str) -> None:
        self.texts: list[str] = []
        self._folder = folder
        self._offered = _defined(ast.parse(stand_in))
        self._owner = dict.fromkeys(self._offered, "what stands in for tau2")
        self._added: set[Path] = set()

    def add(self, file: Path) -> None:
        """Add a file, after those beside it that it imports."""
        if file in self._added:
            return
        self._added.add(file)
        text, tree = _parsed(file)
        lines = text.splitlines()
        for block in [node for node in tree.body if _runs_as_a_script(node)]:
            end = block.end_lineno or block.lineno
            lines[block.lineno - 1 : end] = [""] * (end - block.lineno + 1)
            tree.body.remove(block)
        read = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        # From the last to the first, so that the numbers of the lines before stay right.
        for node in reversed(list(ast.walk(tree))):
            if isinstance(node, ast.Import | ast.ImportFrom) and (put := self._put(file, node, read)) is not None:
                lines[node.lineno - 1 : node.end_lineno] = (
                    [" " * node.col_offset + put] if put else [" " * node.col_offset + "pass"]
                )
        for name in _defined(tree):
            if name in self._owner:
                raise UserError(f"{file}: `{name}` is defined here and in {self._owner[name]}; rename one of them")
            self._owner[name] = file.name
        self.texts.append(f"# {file.name}\n" + "\n".join(lines) + "\n")

    def _put(self, file: Path, node: ast.Import | ast.ImportFrom, read: set[str]) -> str | None:
        """The same as `_instead`, but an import that cannot be had, and whose names nothing reads, is left out."""
        try:
            return self._instead(file, node)
        except UserError:
            names = {alias.asname or alias.name.partition(".")[0] for alias in node.names}
            if names & {*read, "*"}:
                raise
            return ""

    def _instead(self, file: Path, node: ast.Import | ast.ImportFrom) -> str | None:
        """What takes an import's place; None where it may stay, empty where nothing is needed."""
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.partition(".")[0] not in _IN_THE_SANDBOX:
                    raise UserError(_no_import(file, node, alias.name))
            return None
        module = node.module or ""
        beside = self._folder / f"{module.rpartition('.')[2]}.py"
        if beside.is_file() and (node.level or module.startswith("tau2.") or "." not in module):
            self.add(beside)
            return _renamed(node)
        if module.partition(".")[0] in _STANDING_IN_FOR:
            for alias in node.names:
                if alias.name not in self._offered:
                    raise UserError(_no_import(file, node, f"{module}.{alias.name}"))
            return _renamed(node)
        if node.level or module.partition(".")[0] not in _IN_THE_SANDBOX:
            raise UserError(_no_import(file, node, "." * node.level + module))
        return "" if module == "__future__" else None


def _runs_as_a_script(node: ast.stmt) -> bool:
    """Whether it is `if __name__ == "__main__":`, which never runs here."""
    return isinstance(node, ast.If) and not node.orelse and ast.unparse(node.test) == "__name__ == '__main__'"


def _no_import(file: Path, node: ast.stmt, name: str) -> str:
    return f"{file}:{node.lineno}: imports {name}, which the sandbox does not have; rewrite the tool without it"


def _renamed(node: ast.ImportFrom) -> str:
    """Assignments for the names that an import changes."""
    return "; ".join(f"{alias.asname} = {alias.name}" for alias in node.names if alias.asname)


def _parsed(file: Path) -> tuple[str, ast.Module]:
    try:
        text = file.read_text(encoding="utf-8-sig")
        return text, parsed(text)
    except (OSError, ValueError) as error:
        raise UserError(f"{file}: cannot be read as Python: {error}; correct it") from None


def _defined(tree: ast.Module) -> set[str]:
    """The names that a module defines at its top level, imports aside."""
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign):
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
    return found


def toolkit_and_database(source: str) -> tuple[str, str]:
    """The names of the toolkit class and of the database class in a merged source.

    Raises `UserError` where there is no toolkit, or more than one.
    """
    classes = {node.name: node for node in parsed(source).body if isinstance(node, ast.ClassDef)}

    def descends(name: str, ancestor: str) -> bool:
        found, waiting = {name}, [name]  # a class may name itself as its base
        while waiting:
            of_class = classes.get(waiting.pop())
            bases = {base.id for base in of_class.bases if isinstance(base, ast.Name)} - found if of_class else set()
            if ancestor in bases:
                return True
            found |= bases
            waiting += bases
        return False

    kits = [name for name in classes if descends(name, "ToolKitBase") and name != "GenericToolKit"]
    kits = [name for name in kits if not any(descends(other, name) for other in kits)]
    if len(kits) != 1:
        found = ", ".join(kits) or "none"
        raise UserError(f"tools.py must hold one class that descends from ToolKitBase, holds {found}; keep one")
    databases = [name for name in classes if descends(name, "DB")]
    annotated = next(
        (
            node.annotation.id
            for node in ast.walk(classes[kits[0]])
            if isinstance(node, ast.AnnAssign | ast.arg)
            and isinstance(node.annotation, ast.Name)
            and node.annotation.id in databases
        ),
        None,
    )
    return kits[0], annotated or (databases[-1] if databases else "DB")
