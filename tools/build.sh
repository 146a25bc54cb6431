# shellcheck shell=bash
# shellcheck disable=SC2154  # $root is set by the script that sources this file
# How a preset is configured and built. Sourced by ./everbloom and ./test; expects $root, the project's folder.
# The full output goes to build/log/<preset>.log; what a person sees is a progress line on stderr.

build_log() { printf '%s/build/log/%s.log' "$root" "$1"; }

# Keeps two builds of the same preset apart, for as long as the calling shell lives or until unlock_build.
lock_build() {
    mkdir -p "$root/build/log" && exec {build_lock}>"$root/build/$1.lock" && flock "$build_lock"
}
unlock_build() { exec {build_lock}>&-; }

# Shows ninja's "[3/20] ..." lines: one line that rewrites itself on a terminal, otherwise a single announcement.
# Silent when ninja has nothing to do.
show_progress() {
    local announcement=$1 line shown=
    while IFS= read -r line; do
        [[ $line =~ ^\[[1-9] ]] || continue
        if [[ -t 2 ]]; then
            printf '\r\033[K%s' "${line:0:$((${COLUMNS:-80} - 1))}" >&2
        elif [[ -z $shown && -n $announcement ]]; then
            printf '%s\n' "$announcement" >&2
        fi
        shown=1
    done
    [[ -z $shown || ! -t 2 ]] || printf '\r\033[K' >&2
}

# configure_preset PRESET [CMAKE-ARGUMENT...]: does nothing when the build folder is configured already, since
# ninja re-runs CMake by itself when its files change.
configure_preset() {
    local preset=$1
    shift
    mkdir -p "$root/build/log"
    local folder=$root/build/$preset cache=$root/build/$preset/CMakeCache.txt argument ready=1
    # CMake refuses a build folder whose project was moved or copied.
    if [[ -f $cache ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache"; then
        rm -rf "$folder"
    fi
    [[ -f $folder/build.ninja ]] || ready=
    for argument in "$@"; do
        [[ -f $cache ]] && grep -qxF -- "${argument#-D}" "$cache" || ready=
    done
    [[ -z $ready ]] || return 0
    (cd "$root" && cmake --preset "$preset" "$@") </dev/null >"$(build_log "$preset")" 2>&1
}

# build_preset PRESET ANNOUNCEMENT [TARGET...]
build_preset() {
    local preset=$1 announcement=$2 log
    shift 2
    log=$(build_log "$preset")
    cmake --build "$root/build/$preset" --parallel "$(nproc)" ${1:+--target "$@"} </dev/null 2>&1 |
        tee "$log" | show_progress "$announcement"
}
