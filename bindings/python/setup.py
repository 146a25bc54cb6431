"""Builds the package: CMake makes the extension module, setuptools packs it into a wheel for Python 3.11 and all later versions.

EVERBLOOM_BUILD_DIR names a configured build folder of everbloom to use, so that what is compiled there is not compiled again; otherwise
a folder of its own in setuptools' build folder is used. EVERBLOOM_SOURCE_DIR names the sources of everbloom, for a copy of this folder elsewhere.
"""

import os
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

HERE = Path(__file__).resolve().parent
# What CMake needs; in a source distribution it lies beside this file.
SOURCES = ["CMakeLists.txt", "CMakePresets.json", "LICENSE", "cmake", "include", "src", "capi", "bindings/python/src"]
BUNDLE = HERE / "everbloom-sources"
ROOT = BUNDLE if BUNDLE.exists() else Path(os.environ.get("EVERBLOOM_SOURCE_DIR", HERE.parent.parent))

# The number is in the library's CMakeLists.txt and nowhere else.
VERSION = re.search(r"^project\(everbloom VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]


class CMakeBuild(build_ext):
    def build_extension(self, ext):
        given = os.environ.get("EVERBLOOM_BUILD_DIR")
        folder = Path(given) if given else Path(self.build_temp).resolve() / "cmake"
        folder.mkdir(parents=True, exist_ok=True)
        options = ["-DEVERBLOOM_PYTHON:BOOL=ON", f"-DEVERBLOOM_PYTHON_INCLUDE:PATH={sysconfig.get_paths()['include']}"]
        if not given:
            options += ["-DCMAKE_BUILD_TYPE=Release", "-DEVERBLOOM_APPS=OFF", "-DEVERBLOOM_TESTS=OFF", "-DEVERBLOOM_BENCH=OFF"]
            options += ["-DEVERBLOOM_WERROR=OFF"]
            if shutil.which("ninja"):
                options += ["-G", "Ninja"]
        jobs = str(os.cpu_count() or 1)
        subprocess.run(["cmake", "-S", str(ROOT), "-B", str(folder), *options], check=True)
        subprocess.run(["cmake", "--build", str(folder), "--target", "everbloom_python", "--parallel", jobs], check=True)
        target = Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / "python" / "_everbloom.abi3.so", target)


class SourcesToo(sdist):
    """A source distribution has the sources of the library, too."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        for name in SOURCES:
            source, target = ROOT / name, Path(base_dir) / BUNDLE.name / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, dirs_exist_ok=True)
            else:
                shutil.copyfile(source, target)


setup(
    version=VERSION,
    ext_modules=[Extension("everbloom._everbloom", sources=[], py_limited_api=True)],
    cmdclass={"build_ext": CMakeBuild, "sdist": SourcesToo},
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
