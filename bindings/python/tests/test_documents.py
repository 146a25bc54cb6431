"""Everything that is written runs: docstrings, the tutorial, the README, the type stubs."""

import contextlib
import doctest
import importlib.util
import importlib.metadata
import inspect
import io
import os
import pathlib
import re
import sys
import tempfile
import types
import unittest

import everbloom
from everbloom import _everbloom

ROOT = pathlib.Path(__file__).resolve().parents[3]


class DocumentTest(unittest.TestCase):
    def test_docstrings(self):
        names = dict(vars(everbloom))
        attempted = 0
        for name in ("", ".cluster", ".filter", ".laboratory", ".outcomes"):
            module = importlib.import_module("everbloom" + name)
            found = doctest.testmod(module, globs=dict(names), verbose=False)
            self.assertEqual(found.failed, 0, name)
            attempted += found.attempted
        self.assertGreater(attempted, 30)
        parsed = doctest.DocTestFinder().find(everbloom.ArrowKeys, globs=dict(names))
        self.assertTrue(parsed)
        for one in parsed:
            self.assertEqual(doctest.DocTestRunner().run(one).failed, 0)

    def run_page(self, path):
        """All blocks of a page are one program, run in an empty folder. What it prints follows in a block of text."""
        text = path.read_text(encoding="utf-8")
        # A module that can be found: processes of a pool look there for its functions.
        sys.modules["tutorial"] = types.ModuleType("tutorial")
        names, before, count = vars(sys.modules["tutorial"]), os.getcwd(), 0
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                for found in re.finditer(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?", text, re.M | re.S):
                    line = text[: found.start()].count("\n") + 1
                    printed = io.StringIO()
                    with contextlib.redirect_stdout(printed):
                        exec(compile("\n" * line + found[1], str(path), "exec"), names)
                    if found[2] is not None:
                        self.assertEqual(printed.getvalue(), found[2], f"{path.name}, line {line}")
                    count += 1
            finally:
                os.chdir(before)
        return count

    @unittest.skipIf(importlib.util.find_spec("numpy") is None, "numpy is not installed")
    def test_the_tutorial(self):
        self.assertGreater(self.run_page(ROOT / "docs/python.md"), 10)

    def test_the_readmes(self):
        self.assertEqual(self.run_page(ROOT / "README.md"), 1)
        self.assertEqual(self.run_page(ROOT / "bindings/python/README.md"), 1)

    def test_the_stubs_name_what_there_is(self):
        stub = (pathlib.Path(everbloom.__file__).parent / "_everbloom.pyi").read_text()
        self.assertTrue((pathlib.Path(everbloom.__file__).parent / "py.typed").exists())
        body = stub[stub.index("class FilterBase") : stub.index("def kinds")]
        methods = set(re.findall(r"def (\w+)\(", body))
        real = {name for name in vars(_everbloom.FilterBase) if not name.startswith("__") or name == "__contains__"}
        self.assertEqual(methods, real)

    def test_everything_public_is_documented(self):
        for name in everbloom.__all__:
            self.assertTrue(getattr(everbloom, name).__doc__, name)
        for name, member in vars(everbloom.Filter).items():
            if not name.startswith("_") and callable(member):
                self.assertTrue(inspect.getdoc(member), name)

    def test_the_version_is_that_of_the_library(self):
        text = (ROOT / "CMakeLists.txt").read_text()
        self.assertEqual(re.search(r"^project\(everbloom VERSION ([0-9.]+)", text, re.M)[1], everbloom.__version__)
        self.assertEqual(importlib.metadata.version("everbloom"), everbloom.__version__)


if __name__ == "__main__":
    unittest.main()
