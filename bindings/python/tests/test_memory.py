"""Every allocation failing in turn, ours and Python's."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent


@unittest.skipIf(shutil.which("cc") is None, "there is no C compiler")
class MemoryTest(unittest.TestCase):
    def test_every_allocation_fails(self):
        kinds = ["bloom", "quotient", "elastic_blocked"]
        if os.environ.get("EVERBLOOM_TEST_ROUNDS") == "many":
            from everbloom import kinds as all_kinds

            kinds = [name for name, kind in all_kinds().items() if "insert" in kind["capabilities"]]
        with tempfile.TemporaryDirectory() as folder:
            library = os.path.join(folder, "failing_malloc.so")
            subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, str(HERE / "failing_malloc.c"), "-ldl"], check=True)
            environment = {**os.environ, "LD_PRELOAD": library, "PYTHONMALLOC": "malloc", "TMPDIR": folder}
            done = subprocess.run([sys.executable, "-X", "faulthandler", str(HERE / "memory_sweep.py"), *kinds],
                                  env=environment, capture_output=True, text=True, timeout=600)  # fmt: skip
            self.assertEqual(done.returncode, 0, done.stderr[-3000:])
            found = re.match(r"(\d+) allocations failed", done.stdout)
            self.assertGreater(int(found[1]), 500)


if __name__ == "__main__":
    unittest.main()
