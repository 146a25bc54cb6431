# Homebrew formula. Not tried: written by Homebrew's documentation. `url` and `sha256` are those of the published archive of sources, which
# has to be filled in; until then: brew install --HEAD --build-from-source ./everbloom.rb from a clone, with `head` naming it.
#
# The library and its headers only: the command line tool needs what the C++ library of Xcode lacks (docs/packages.md).
class Everbloom < Formula
  desc "Membership filters for sets that change"
  license "MIT"
  head "file://#{File.expand_path("../..", __dir__)}", using: :git, branch: "main"

  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "pkg-config" => :build
  depends_on "xxhash" => :build

  def install
    args = %w[-DEVERBLOOM_APPS=OFF -DEVERBLOOM_CAPI=OFF -DEVERBLOOM_TESTS=OFF -DEVERBLOOM_BENCH=OFF -DEVERBLOOM_WERROR=OFF]
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", *args, *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    (testpath/"test.cpp").write <<~CPP
      #include <everbloom/everbloom.hpp>
      int main() {
          everbloom::filter<std::string> seen({.capacity = 1000, .fpr = 0.01});
          seen.insert("anna");
          return seen.may_contain("anna") ? 0 : 1;
      }
    CPP
    system ENV.cxx, "-std=c++20", "test.cpp", "-I#{include}", "#{lib}/libeverbloom.a", "-o", "test"
    system "./test"
  end
end
