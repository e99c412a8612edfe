"""Which classes of a tau2-bench domain matter: the toolkits of both sides, and what keeps them in step."""

import ast
from dataclasses import dataclass

from toolscale.errors import UserError


@dataclass(frozen=True)
class Side:
    """A toolkit, and the class of its database; None where the toolkit does not say."""

    toolkit: str
    database: str | None


def sides_of(
    tools: ast.Module, user_tools: ast.Module | None, environment: ast.Module | None
) -> tuple[Side, Side | None, str | None]:
    """The agent's side, the user's, and the class of the environment if it has a `sync_tools` of its own.

    Raises `UserError` where a file holds no toolkit, or more than one.
    """
    agent = _side("tools.py", tools)
    user = _side("user_tools.py", user_tools) if user_tools else None
    return agent, user, _environment(environment) if environment else None


def _side(file: str, tree: ast.Module) -> Side:
    classes = _classes(tree)
    kits = [name for name in classes if descends(name, "ToolKitBase", classes)]
    kits = [name for name in kits if not any(descends(other, name, classes) for other in kits)]
    if len(kits) != 1:
        found = ", ".join(kits) or "none"
        raise UserError(f"{file} must hold one class that descends from ToolKitBase, holds {found}; keep one")
    annotated = next(
        (
            node.annotation.id
            for node in ast.walk(classes[kits[0]])
            if isinstance(node, ast.AnnAssign | ast.arg)
            and isinstance(node.annotation, ast.Name)
            and _named(node) == "db"
        ),
        None,
    )
    return Side(kits[0], annotated)


def _environment(tree: ast.Module) -> str | None:
    for name, node in _classes(tree).items():
        methods = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
        if "sync_tools" in methods and "Environment" in {base.id for base in node.bases if isinstance(base, ast.Name)}:
            return name
    return None


def _classes(tree: ast.Module) -> dict[str, ast.ClassDef]:
    return {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}


def _named(node: ast.AnnAssign | ast.arg) -> str:
    if isinstance(node, ast.arg):
        return node.arg
    return node.target.id if isinstance(node.target, ast.Name) else ""


def descends(name: str, ancestor: str, classes: dict[str, ast.ClassDef]) -> bool:
    """Whether a class has another among its ancestors, as far as these classes tell."""
    found, waiting = {name}, [name]  # a class may name itself as its base
    while waiting:
        of_class = classes.get(waiting.pop())
        bases = {base.id for base in of_class.bases if isinstance(base, ast.Name)} - found if of_class else set()
        if ancestor in bases:
            return True
        found |= bases
        waiting += bases
    return False
