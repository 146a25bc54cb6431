"""Runs all tests of the package that is installed, and writes "PASSED FAILED" to the file that is given.

    python run.py [COUNTS]

The tests are found beside this file. The package is not: it must be installed, or on PYTHONPATH.
"""

import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent


def main() -> int:
    sys.dont_write_bytecode = True  # nothing is left in the tree
    sys.path.insert(0, str(HERE))
    found = unittest.defaultTestLoader.discover(str(HERE), pattern="test_*.py", top_level_dir=str(HERE))
    result = unittest.TextTestRunner(verbosity=1, buffer=True).run(found)
    failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
    passed = result.testsRun - failed - len(result.skipped)
    if len(sys.argv) > 1:
        pathlib.Path(sys.argv[1]).write_text(f"{max(passed, 0)} {failed}\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
