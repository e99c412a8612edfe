"""What code a function reaches: the modules that it names, all that these import, and what no import shows."""

import inspect
from collections.abc import Callable, Collection, Iterator
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import grimp

from toolscale.reference.domain import domain_folders

PACKAGES = ("toolscale", "trainer")
"""Where what is reached is told by imports. Of `pipelines` itself only what a function calls counts, by its text."""

UNSEEN: dict[str, tuple[str, ...]] = {
    "toolscale.checkers.binding": ("checkers/everyday.txt",),
    "toolscale.environment.process": ("environment/inside/*.py",),
    "toolscale.programs.workshop": ("programs/inside/*.py",),
    "toolscale.proposals.nearness": ("proposals/common_words.txt",),
    "toolscale.proposals.tree": ("proposals/isic.toml",),
    "toolscale.reference.domain": (),
    "toolscale.reference.voices": ("reference/wordings/voices.yaml",),
    "toolscale.reference.computed": ("reference/wordings/computed.yaml",),
    "toolscale.catalogue.catalogue": ("catalogue/catalogue.toml",),
    "toolscale.catalogue.prices": ("catalogue/prices.json", "catalogue/price_sources.toml"),
    "toolscale.tools.code": ("tools/interpreter.py",),
    "toolscale.mock_endpoint.experts.expert": ("mock_endpoint/experts/experts.toml",),
    "toolscale.dataset.report.page": ("dataset/report/report.html.j2", "dataset/report/*.css", "dataset/report/*.js"),
    "toolscale.evaluation.report": ("evaluation/report.html.j2",),
    "toolscale.evaluation.comparison.page": ("evaluation/comparison/page.html.j2",),
    "toolscale.evaluation.papers.figures": ("evaluation/papers/*.csv", "evaluation/papers/tables.toml"),
    "toolscale.evaluation.benchmarks": ("evaluation/benchmarks/*.py",),
    "trainer.config": ("presets/**/*.*",),
    "trainer.demo.model": ("templates/*.jinja",),
    "trainer.demo.page": ("demo/page.html.j2",),
    "trainer.demo.report": ("demo/report.html.j2",),
    "trainer.report.page": ("report/report.html.j2", "report/viewer.css", "report/viewer.js"),
    "trainer.route_demo.report": ("route_demo/report.html.j2",),
    "trainer.orchestrator_demo.dataset": ("orchestrator_demo/experts.toml",),
    "trainer.orchestrator_demo.report": ("orchestrator_demo/report.html.j2",),
}
"""Module -> files of its package, as patterns, that it reads, imports by name or runs as a program.

The reference domains lie wherever they are installed, in this package or in another (`domain_folders`). A model of our
own is not among them: whether it is reached is a setting (`llm/providers.py`).
"""

_ONLY_SHOWS = {"pipelines.metadata"}
"""Modules of `pipelines` that say in the UI what was made, and make nothing."""


def reach(*roots: Callable[..., Any] | str) -> set[Path]:
    """The files that functions, or modules given by name, depend on, apart from `pipelines`."""
    modules, _ = _named_by(roots)
    return files_of(modules)


def hash_of_code(*roots: Callable[..., Any] | str) -> str:
    """A hash that changes with anything that functions, or modules given by name, depend on."""
    modules, texts = _named_by(roots)
    digest = sha256()
    for part in (*texts, *sorted(map(_content, files_of(modules)))):
        digest.update(len(part).to_bytes(8, "big") + part.encode())
    return digest.hexdigest()


def files_of(modules: Collection[str]) -> set[Path]:
    """The files of modules, of all that they import, and of what these reach unseen."""
    graph = _graph()
    reached = set(modules).union(*(graph.find_upstream_modules(module) for module in modules))
    unseen = [file for module in reached & UNSEEN.keys() for file in _unseen(module)]
    return {_file(module) for module in reached}.union(unseen)


@cache
def _graph() -> grimp.ImportGraph:
    """Who imports whom, inside of functions too, and for typing alone not."""
    graph = grimp.build_graph(*PACKAGES, exclude_type_checking_imports=True, cache_dir=None)
    for module in UNSEEN.keys() & graph.modules:
        for other in {_module(file) for file in _unseen(module)} & graph.modules - {module}:
            graph.add_import(importer=module, imported=other)
    return graph


@cache
def _unseen(module: str) -> tuple[Path, ...]:
    root = _root(module.partition(".")[0])
    found = [file for pattern in UNSEEN[module] for file in root.glob(pattern)]
    if module == domain_folders.__module__:
        found += [file for folder in domain_folders() for file in folder.glob("**/*.*")]
    return tuple(file for file in found if "__pycache__" not in file.parts)


@cache
def _root(package: str) -> Path:
    return Path(str(import_module(package).__path__[0]))


@cache
def _file(module: str) -> Path:
    package, *parts = module.split(".")
    place = _root(package).joinpath(*parts)
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")


def _module(file: Path) -> str:
    return ".".join(Path(_place(file)).with_suffix("").parts).removesuffix(".__init__")


def _place(file: Path) -> str:
    """A file's path from its package on: the same wherever the package is installed."""
    root = next(root for root in (*map(_root, PACKAGES), *domain_folders()) if file.is_relative_to(root))
    return file.relative_to(root.parent).as_posix()


@cache
def _content(file: Path) -> str:
    return f"{_place(file)} {sha256(file.read_bytes()).hexdigest()}"


def _named_by(roots: Collection[Callable[..., Any] | str]) -> tuple[set[str], list[str]]:
    """The modules that are given or that functions name, and the texts of those of ours that are called."""
    modules = {root for root in roots if isinstance(root, str)}
    texts: dict[Callable[..., Any], str] = {}
    left = [root for root in roots if not isinstance(root, str)]
    while left:
        function = left.pop()
        module = function.__module__
        if module.partition(".")[0] in PACKAGES:
            modules.add(module)
        elif isinstance(function, FunctionType) and module not in _ONLY_SHOWS and function not in texts:
            texts[function] = _text(function)
            used = [function.__globals__[name] for name in _names(function.__code__) if name in function.__globals__]
            modules |= {each.__name__ for each in used if isinstance(each, ModuleType) and _is_ours(each.__name__)}
            left += [each for each in used if callable(each) and _is_ours(getattr(each, "__module__", None))]
    return modules, sorted(texts.values())


@cache
def _text(function: FunctionType) -> str:
    return inspect.getsource(function)


def _is_ours(module: str | None) -> bool:
    return (module or "").partition(".")[0] in (*PACKAGES, "pipelines")


def _names(code: CodeType) -> Iterator[str]:
    """The names that a function's code looks up, with the functions inside it."""
    yield from code.co_names
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _names(each)
