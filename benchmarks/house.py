"""The shape of a checkout in figures: ``python benchmarks/house.py [--repo DIR ...]``.

With several checkouts (``git worktree add DIR COMMIT``) there is a column for each, so before and after come from one
command. Nothing of a checkout is run: its files are read and its imports are found by grimp.
"""

import argparse
import ast
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import grimp

PACKAGES = ("toolscale", "pipelines", "trainer")
PARTS = ("toolscale", "toolscale/reference", "pipelines", "trainer", "tests", "benchmarks")
DOMAINS = {
    *("ecommerce", "education", "entertainment", "finance", "medicine"),
    *("railway", "restaurant", "sport", "travel", "weather"),
}
"""The reference domains, wherever they lie."""

DATA = {".yaml", ".toml", ".json", ".csv", ".md", ".j2"}
WORDS = 10
OPTIONS = (
    *("domains", "seed", "tasks_per_domain", "keep", "pass_rate"),
    *("golden_calls", "attempts", "model", "max_cost", "run"),
)
"""What a run of the factory is told, by the names that the command line gives them."""


@cache
def source(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(source(path))


def lines(paths: list[Path]) -> int:
    return sum(source(path).count("\n") for path in paths)


def python(repo: Path, *folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((repo / folder).rglob("*.py"))]


def of_a_domain(repo: Path, path: Path) -> bool:
    return not DOMAINS.isdisjoint(path.relative_to(repo).parts[:-1])


def counted(paths: list[Path]) -> str:
    return f"{len(paths):,} files, {lines(paths):,} lines"


def parts(repo: Path) -> Iterator[tuple[str, str]]:
    for part in PARTS:
        inner = tuple(repo / other for other in PARTS if other.startswith(f"{part}/"))
        own = [path for path in python(repo, part) if not any(path.is_relative_to(folder) for folder in inner)]
        yield f"`{part}`" + (" without `reference`" if inner else ""), counted(own)
    yield "Python in all", counted(python(repo, *(part for part in PARTS if "/" not in part)))
    theirs = [path for path in sorted(repo.glob("toolscale/**/*.*")) if of_a_domain(repo, path)]
    yield "the ten reference domains", counted([path for path in theirs if path.suffix == ".py"])
    yield "their text and data", counted([path for path in theirs if path.suffix in DATA])
    code = python(repo, *PACKAGES)
    longest = max(code, key=lambda path: lines([path]))
    yield "longest file", f"{lines([longest]):,} lines, `{longest.relative_to(repo)}`"
    yield "files of more than 300 lines", str(sum(lines([path]) > 300 for path in code))


def module_name(repo: Path, path: Path) -> str:
    return ".".join(path.relative_to(repo).with_suffix("").parts).removesuffix(".__init__")


def named_modules(path: Path) -> Iterator[str]:
    """Modules that a file imports by a string: ``import_module("a.b")``, or ``"a.b:name"`` for somebody who does."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if found := re.fullmatch(r"([a-z_]\w*(?:\.\w+)+):\w+", node.value):
                yield found[1]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            match node.args[0]:
                case ast.Constant(str(name)):
                    yield name


@cache
def circles(repo: Path) -> list[list[str]]:
    """Files that lead to each other by imports: at the top, inside functions, for types only, or by a string."""
    sys.path.insert(0, str(repo))
    graph = grimp.build_graph(*PACKAGES, cache_dir=None)
    sys.path.remove(str(repo))
    for package in PACKAGES:
        sys.modules.pop(package, None)
    for path in python(repo, *PACKAGES):
        for named in set(named_modules(path)) & graph.modules:
            graph.add_import(importer=module_name(repo, path), imported=named)
    leads_to = {module: {module, *graph.find_upstream_modules(module)} for module in graph.modules}
    found = {frozenset(other for other in others if module in leads_to[other]) for module, others in leads_to.items()}
    return sorted(sorted(circle) for circle in found if len(circle) > 1)


def imported_inside_functions(repo: Path) -> int:
    """Imports of our own modules that run when a function does."""
    return sum(
        ours(node)
        for path in python(repo, *PACKAGES)
        for outer in ast.walk(tree(path))
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(outer)
    )


def ours(node: ast.AST) -> bool:
    match node:
        case ast.ImportFrom(module=str(module)):
            return module.partition(".")[0] in PACKAGES
        case ast.Import(names=names):
            return any(alias.name.partition(".")[0] in PACKAGES for alias in names)
    return False


def defined(path: Path) -> Iterator[str]:
    """Classes and aliases of types at the top of a file."""
    for node in tree(path).body:
        match node:
            case ast.ClassDef(name=name) | ast.Assign(targets=[ast.Name(name)]) | ast.AnnAssign(target=ast.Name(name)):
                if re.fullmatch(r"[A-Z]\w*[a-z]\w*", name):
                    yield name


def definitions(repo: Path) -> Counter[str]:
    """Name -> files that define it, outside the reference domains, which are alike by intent."""
    code = (path for path in python(repo, *PACKAGES) if not of_a_domain(repo, path))
    return Counter(name for path in code for name in set(defined(path)))


def declared(repo: Path) -> dict[str, set[Path]]:
    """Option -> files of command line, pipelines and settings where it is an annotated parameter or field."""
    found = defaultdict(set)
    for path in [*python(repo, "toolscale/cli", "pipelines"), repo / "toolscale/settings.py"]:
        for node in ast.walk(tree(path)):
            match node:
                case ast.AnnAssign(target=ast.Name(name)) | ast.arg(arg=name, annotation=ast.expr()):
                    found[name].add(path)
    return found


def shape(repo: Path, words: list[str]) -> dict[str, str]:
    """The rows of one checkout's column."""
    rows = dict(parts(repo))
    found = circles(repo)
    rows["circles among files"] = f"{len(found)}, of {sum(map(len, found))} files"
    rows["imports of our own inside functions"] = str(imported_inside_functions(repo))
    names = definitions(repo)
    rows |= {f"definitions of `{word}`": str(names[word]) for word in words}
    rows["words defined three times or more"] = str(sum(count >= 3 for count in names.values()))
    options = declared(repo)
    files = [len(options[option]) for option in OPTIONS]
    rows[f"declarations of {len(OPTIONS)} options of a run"] = f"{sum(files)}, at most {max(files)} of one"
    pages = sorted((repo / "docs").rglob("*.md"))
    rows["docs"] = f"{len(pages)} pages, {sum(len(source(page).split()) for page in pages):,} words"
    return rows


def main() -> None:
    """Print the table as Markdown, and the circles by name."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--repo", type=Path, nargs="+", default=[Path(__file__).parents[1]], help="checkouts, oldest first"
    )
    repos = [repo.resolve() for repo in parser.parse_args().repo]
    words = [word for word, _ in definitions(repos[0]).most_common(WORDS)]
    columns = [shape(repo, words) for repo in repos]
    print("|", *(f"| {repo.name} " for repo in repos), "|", sep="")
    print("| --- ", *("| ---: " for _ in repos), "|", sep="")
    for row in columns[0]:
        print(f"| {row} |", " | ".join(column[row] for column in columns), "|")
    for repo in repos:
        for circle in circles(repo):
            print(f"\n{repo.name}, a circle of {len(circle)}: {', '.join(circle)}")


if __name__ == "__main__":
    main()
