"""Conan 2 recipe, for this tree: conan create packaging/conan. Not tried: written by Conan's documentation."""

import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load

TREE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


class Everbloom(ConanFile):
    name = "everbloom"
    description = "Membership filters for sets that change"
    license = "MIT"
    topics = ("bloom-filter", "membership", "probabilistic")
    package_type = "static-library"
    settings = "os", "arch", "compiler", "build_type"

    def set_version(self):
        self.version = re.search(r"project\(everbloom VERSION ([0-9.]+)", load(self, os.path.join(TREE, "CMakeLists.txt")))[1]

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "src/*"):
            copy(self, pattern, TREE, self.export_sources_folder)

    def requirements(self):
        self.requires("xxhash/[>=0.8.1 <1]", visible=False)

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        for option in ("APPS", "CAPI", "TESTS", "BENCH", "WERROR"):
            toolchain.cache_variables[f"EVERBLOOM_{option}"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        self.cpp_info.libs = ["everbloom"]
        self.cpp_info.set_property("cmake_file_name", "everbloom")
        self.cpp_info.set_property("cmake_target_name", "everbloom::everbloom")
        if self.settings.os == "Linux":
            self.cpp_info.system_libs = ["pthread"]
