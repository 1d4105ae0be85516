"""The package itself: types, stubs, examples in the documentation."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import inspect
import io
import os
import pathlib
import pkgutil
import re
import subprocess
import sys

import corefeval
import pytest
from conftest import NEEDS_MYPY, ROOT

# The Metric of torchmetrics needs that package; test_torchmetrics.py uses a stand-in. The module `scorer` exists only if
# coreference-eval provides one; test_first_minutes.py uses a stand-in.
LEFT_OUT = (".__main__", "._corefeval", ".corefeval_metric", ".scorer", ".torchmetrics")
MODULES = [
    name for _, name, _ in pkgutil.walk_packages(corefeval.__path__, "corefeval.") if not name.endswith(LEFT_OUT)
]


ALL_PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
#: The pages with examples in Python.
PAGES = [page for page in ALL_PAGES if "```python" in page.read_text()]


@pytest.mark.parametrize("name", ["corefeval", *MODULES])
def test_examples_in_the_documentation_run(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert result.failed == 0


@pytest.mark.filterwarnings("ignore::corefeval.CorefevalWarning")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_on_pages_run(page, monkeypatch):
    """Runs the examples of a page in order; code after >>> must print the output on the page."""
    monkeypatch.chdir(ROOT)
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
    names, shown = {}, 0
    with contextlib.redirect_stdout(io.StringIO()):
        for block in blocks:
            if ">>>" not in block:
                exec(block, names)
                continue
            found = doctest.DocTestParser().get_doctest(block, names, page.name, str(page), 0)
            assert doctest.DocTestRunner().run(found, clear_globs=False).failed == 0
            shown += 1
    assert blocks and (page.name != "python.md" or len(blocks) > 5 and shown)


def test_examples_on_pages_are_between_fences():
    """Indented examples are not run."""
    for page in ALL_PAGES:
        text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
        assert not re.findall(r"^    .*\bcorefeval\.\w+\(.*", text, re.MULTILINE), page


def test_examples_exist():
    modules = [importlib.import_module(name) for name in MODULES]
    found = [test for module in modules for test in doctest.DocTestFinder().find(module) if test.examples]
    assert len(found) >= 8


@pytest.mark.parametrize("name", ["corefeval", *MODULES])
def test_everything_public_is_documented(name):
    module = importlib.import_module(name)
    assert module.__doc__
    for public in getattr(module, "__all__", ()):
        thing = getattr(module, public)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert thing.__doc__, f"{name}.{public}"
            for member, value in vars(thing).items():
                if not member.startswith("_") and callable(value):
                    assert value.__doc__, f"{name}.{public}.{member}"


def test_all_names_exist():
    assert sorted(corefeval.__all__) == sorted(set(corefeval.__all__))
    assert all(hasattr(corefeval, name) for name in corefeval.__all__)
    assert (pathlib.Path(corefeval.__file__).parent / "py.typed").is_file()


def test_optional_packages_are_imported_only_on_use():
    names = ["numpy", "scipy", "pandas", "polars", "pyarrow", "torch", "spacy", "sklearn", "evaluate", "datasets", "pyspark"]
    code = f"import sys, {', '.join(MODULES)}; print([name for name in {names} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


#: The replacements for other scorers, and the modules for other packages.
LATER = ("allennlp", "clustering", "coval", "e2e", "huggingface", "spacy", "spark", "torchmetrics")


def test_modules_are_imported_on_request():
    """`corefeval.huggingface.METRIC` needs no separate import, and `import corefeval` imports none of them."""
    code = f"""
import sys, corefeval
assert not [name for name in {LATER} if f"corefeval.{{name}}" in sys.modules]
assert set({LATER}) <= set(dir(corefeval))
print(corefeval.huggingface.METRIC, corefeval.coval.muc is corefeval.coval.evaluator.muc, corefeval.clustering.rand_score([0], [0]))
assert {{"allennlp", "spacy", "spark", "torchmetrics"}}.isdisjoint(sys.modules)
corefeval.absent
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.split()[1:] == ["True", "1.0"] and "corefeval_metric" in done.stdout
    assert done.stderr.endswith("AttributeError: module 'corefeval' has no attribute 'absent'\n")


def test_errors_have_one_base():
    errors = [thing for thing in vars(corefeval).values() if inspect.isclass(thing) and thing.__name__.endswith("Error")]
    assert len(errors) == 8 and all(issubclass(error, corefeval.CorefevalError) for error in errors)


@NEEDS_MYPY
@pytest.mark.parametrize("arguments", [["mypy"], ["mypy.stubtest", "corefeval._corefeval"]])
def test_types(arguments, tmp_path):
    path = {"MYPY_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", *arguments], capture_output=True, text=True, cwd=ROOT, env={**os.environ, **path}
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("script", sorted((ROOT / "docs").glob("*.py")), ids=lambda path: path.name)
def test_the_tutorial_runs(script, tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "error", script], capture_output=True, text=True, cwd=ROOT, env={**os.environ, "TMPDIR": str(tmp_path)}
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(done.stdout.splitlines()) > 10
