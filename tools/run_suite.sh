#!/usr/bin/env bash
# Runs one GoogleTest executable and records its cases: every case counts as one. Prints one line when all pass,
# else the text of the cases that failed. A program that dies has written no report: it counts as one failure,
# by name, besides the cases that had passed before.
#
#   tools/run_suite.sh PROGRAM LABEL PART PARTS        ($results: see tools/report.sh)
#
# Of a suite that is run in parts, only the cases of this part are run; parts count from 1.
set -euo pipefail

# shellcheck source=tools/report.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/report.sh"
program=$1 label=$2 part=$3 parts=$4
((parts == 1)) || label+=" ($part of $parts)"
export GTEST_SHARD_INDEX=$((part - 1)) GTEST_TOTAL_SHARDS=$parts
log=$results/${label//[^A-Za-z0-9]/_}.log
report=${log%.log}.xml
limit=${EVERBLOOM_SUITE_SECONDS:-1800} # a suite that hangs is a suite that failed

start=$(now)
status=0
{ # the outer redirection silences bash's own remark about a program that was killed
    timeout --kill-after=10 "$limit" "$program" --gtest_output="xml:$report" --gtest_color=no \
        </dev/null >"$log" 2>&1 || status=$?
} 2>/dev/null
elapsed=$(seconds_since "$start")

# attribute NAME: of the report's root element, which holds the sums.
attribute() { sed -n "/<testsuites/{s/.* $1=\"\([0-9]*\)\".*/\1/p;q}" "$report"; }

by_case='' # do the report's failures explain the exit status?
if [[ -s $report ]]; then
    failed=$(($(attribute failures) + $(attribute errors)))
    skipped=$(grep -c 'result="skipped"' "$report" || true)
    passed=$(($(attribute tests) - failed - skipped - $(attribute disabled)))
    remark="$passed cases, $elapsed"
    ((skipped == 0)) || remark+=", $skipped skipped"
    if ((failed != 0)); then
        by_case=1
    elif ((status != 0)); then
        failed=1
        remark="all cases passed, but it ended with status $status, $elapsed"
    fi
else
    passed=$(grep -c '^\[       OK \]' "$log" || true)
    failed=1
    last=$(sed -n 's/^\[ RUN      \] //p' "$log" | tail -n 1)
    remark="died with status $status in ${last:-its start}, $elapsed"
    ((status != 124)) || remark="still running after $limit s in ${last:-its start}"
fi

record "$label" "$passed" "$failed"
if ((failed == 0)); then
    print_result ok "$label" "$remark"
    exit 0
fi

# From "[ RUN" to "[  FAILED" of each failed case; of a dead program, the end of its output.
if [[ -n $by_case ]]; then
    awk '
        /^\[ RUN / { text = "" }
        { text = text $0 "\n" }
        /^\[  FAILED  \].*ms\)$/ { printf "%s", text }
        /^\[       OK|^\[  SKIPPED|^\[----------\]/ { text = "" }
    ' "$log" | head -n 400 >"$log.failed"
else
    tail -n 80 "$log" >"$log.failed"
fi
((passed == 0)) || remark="$failed failed, $remark"
print_result FAILED "$label" "$remark" "$log.failed"
