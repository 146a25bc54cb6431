"""Runs all tests of the package that is installed, and writes "PASSED FAILED" to the file that is given.

    python run.py [COUNTS]

The tests are found beside this file. The package is not: it must be installed, or on PYTHONPATH.
"""

import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent


class Counting(unittest.TextTestResult):
    """Counts the tests that passed: not those that were skipped."""

    passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1


def main() -> int:
    sys.dont_write_bytecode = True  # nothing is left in the tree
    sys.path.insert(0, str(HERE))
    found = unittest.defaultTestLoader.discover(str(HERE), pattern="test_*.py", top_level_dir=str(HERE))
    result = unittest.TextTestRunner(verbosity=1, buffer=True, resultclass=Counting).run(found)
    failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
    if len(sys.argv) > 1:
        pathlib.Path(sys.argv[1]).write_text(f"{result.passed} {failed}\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
