#!/usr/bin/env bash
# Runs one libFuzzer target for a while, and records it as one check. It starts from the seeds in
# tests/fuzz/corpus/<name>, copied first, because libFuzzer writes what it finds into its corpus. An input that
# breaks the target is kept in build/fuzz/artifacts.
#
#   tools/run_fuzz.sh PROGRAM SECONDS       ($results: see tools/report.sh)
set -euo pipefail

here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
# shellcheck source=tools/report.sh
source "$here/report.sh"
program=$1 seconds=$2
label=${program##*/}
seeds=${here%/*}/tests/fuzz/corpus/${label#fuzz_}
corpus=$results/corpus_$label
artifacts=${program%/bin/*}/artifacts

mkdir -p "$corpus" "$artifacts"
[[ ! -d $seeds ]] || cp -r "$seeds/." "$corpus"
ASAN_SYMBOLIZER_PATH=$(command -v llvm-symbolizer-14 || true)
export ASAN_SYMBOLIZER_PATH

check "$label" "$program" "$corpus" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=3072 \
    -artifact_prefix="$artifacts/" -print_final_stats=1 || true
