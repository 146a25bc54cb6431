// Archive of a run: what a reader needs to cite, check and redraw the files of `reproduce --out DIR`.
//
//   run.json      command, scale, seed, inputs, version and build of the program, machine
//   CITATION.cff  how to cite the program
//   redraw.sh     draws every figure again from its script, with gnuplot
//   checksums     XXH3-128 of every file of the run, as `xxhsum -c checksums` reads it
#pragma once

#include <everbloom/core/result.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace everbloom::cli {

/// What the archive says about the run.
struct run_facts {
    std::string command; // to be typed again
    std::string scale;
    std::uint64_t seed = 0;
    unsigned threads = 1;
    std::vector<std::string> papers;
    std::string keys;       // file; empty: random keys
    std::string topologies; // directory; empty: built in
};

/// Writes the four files. `inputs` are files that the run has read; none of them is overwritten.
[[nodiscard]] result<void> write_archive(const std::string& directory, const run_facts& facts,
                                         std::span<const std::string> inputs);

} // namespace everbloom::cli
