"""What `lint-imports` cannot see: cycles through modules named in strings, and how fast the command line starts."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import grimp

PACKAGES = ("toolscale", "pipelines", "trainer")


def test_no_import_cycle_is_closed_by_a_module_named_in_a_string() -> None:
    graph = grimp.build_graph(*PACKAGES, cache_dir=None)
    for module in graph.modules:
        for named in _named_in_strings(module, graph):
            graph.add_import(importer=module, imported=named)
    cycles = [sorted(graph.nominate_cycle_breakers(package)) for package in graph.modules]
    assert not [cycle for cycle in cycles if cycle]


def _named_in_strings(module: str, graph: grimp.ImportGraph) -> Iterator[str]:
    """The modules that a module may import by name: `"package.module:attribute"` or `f"package.{module}"`."""
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    source = Path(spec.origin).read_text(encoding="utf-8")
    if not any(f'"{package}.' in source for package in PACKAGES):
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            name = node.value.partition(":")[0]
            found = graph.find_children(name[:-1]) if name.endswith(".") and name[:-1] in graph.modules else {name}
            yield from found & graph.modules - {module}


def test_help_imports_nothing_that_is_slow_to_import():
    code = (
        "import atexit, runpy, sys; atexit.register(lambda: print(*sys.modules)); "
        "sys.argv = ['toolscale', '--help']; runpy.run_module('toolscale.cli', run_name='__main__')"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "demo" in told
    loaded = set(told.splitlines()[-1].split())
    assert "typer" in loaded
    assert not loaded & {"dagster", "duckdb", "huggingface_hub", "jsonschema", "litellm", "numpy", "openai", "pandas"}
    assert not loaded & {"polars", "pyarrow", "sqlalchemy", "sqlmodel", "torch", "transformers", "vllm"}


def test_litellm_is_not_imported_before_it_is_used():
    code = "import sys, toolscale.llm, toolscale.settings; sys.exit('litellm' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
