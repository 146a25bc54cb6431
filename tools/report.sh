# shellcheck shell=bash
# How ./test and its helpers count. Each check writes "PASSED FAILED" to a file of its own in $results, a folder
# shared by all of them, so that checks may run side by side; ./test adds the files up at the end.

# record NAME PASSED FAILED
record() { printf '%d %d\n' "$2" "$3" >"${results:?}/${1//\//_}.count"; }

# Prints "PASSED FAILED" over everything recorded so far.
totals() { cat "${results:?}"/*.count 2>/dev/null | awk '{ p += $1; f += $2 } END { print p + 0, f + 0 }'; }

now() { printf '%s' "${EPOCHREALTIME/[.,]/}"; }
seconds_since() { awk -v us="$(($(now) - $1))" 'BEGIN { printf "%.1f s", us / 1e6 }'; }

# print_result ok|FAILED NAME REMARK [LOG]: one line, and for a failure what it printed. Parallel checks take
# turns, so that their lines do not mix.
print_result() {
    (
        flock 8
        printf '  %-6s  %-34s %s\n' "$1" "$2" "$3"
        [[ -z ${4:-} ]] || sed 's/^/      | /' "$4"
    ) 8>"${results:?}/print.lock"
}

# check NAME COMMAND...: a check that counts as one.
check() {
    local name=$1 start log
    shift
    start=$(now)
    log=$results/${name//[^A-Za-z0-9]/_}.log
    if "$@" </dev/null >"$log" 2>&1; then
        record "$name" 1 0
        print_result ok "$name" "$(seconds_since "$start")"
    else
        record "$name" 0 1
        tail -n 80 "$log" >"$log.tail"
        print_result FAILED "$name" "$(seconds_since "$start")" "$log.tail"
        return 1
    fi
}
