# shellcheck shell=bash
# shellcheck disable=SC2154  # root, begun, only, long, fuzz_seconds and the lists of suites are set by ./test
# The stages of ./test, in the order in which it runs them. Sourced by it; each stage records its own results,
# prints one line per check, and returns 0, so that one failure does not hide the others.

stage() { printf '\n[%7s] %s\n' "$(seconds_since "$begun")" "$1"; }

# Prints those of the given suites that have sources.
existing_suites() {
    local suite
    for suite in "$@"; do
        [[ -z $(find "$root/tests/$suite" -name '*.cpp' -print -quit 2>/dev/null) ]] || printf '%s\n' "$suite"
    done
}

# build NAME PRESET [TARGET...]: counts as one check; a failure shows the errors and the end of the log.
build() {
    local name=$1 preset=$2 start log
    shift 2
    start=$(now)
    log=$(build_log "$preset")
    if { configure_preset "$preset" && build_preset "$preset" "" "$@"; }; then
        record "$name" 1 0
        print_result ok "$name" "$(seconds_since "$start")"
    else
        {
            grep -E -A 5 'error:|CMake Error' "$log" | head -n 60 || true
            printf '... the last lines of %s:\n' "$log"
            tail -n 15 "$log"
        } >"$results/build.tail"
        record "$name" 0 1
        print_result FAILED "$name" "$(seconds_since "$start")" "$results/build.tail"
        return 1
    fi
}

# run_suites PRESET SUFFIX SUITE...: two at a time.
run_suites() {
    local preset=$1 suffix=$2 suite part parts
    shift 2
    for suite in "$@"; do
        # The longest ones in two parts, so that neither core waits for them at the end.
        parts=1
        [[ $suite != @(cli|contract|unit) ]] || parts=2
        for ((part = 1; part <= parts; ++part)); do
            printf '%s\0' "$root/build/$preset/bin/test_$suite" "$suite$suffix" "$part" "$parts"
        done
    done | xargs -0 -r -n 4 -P 3 "$root/tools/run_suite.sh" || true
}

# The suites of this run.
chosen_suites() {
    if [[ -n $only ]]; then
        existing_suites "$only"
    elif [[ -n $long ]]; then
        existing_suites "${all_suites[@]}"
    else
        existing_suites "${plain_suites[@]}"
    fi
}

# Returns 1 if the build failed, for then there is nothing to run, to install or to analyse.
stage_build() {
    stage "build"
    local suites targets=() doors=()
    mapfile -t suites < <(chosen_suites)
    targets=("${suites[@]/#/test_}")
    if ((${#suites[@]} == 0)); then
        printf 'tests/%s has no sources\n' "$only"
        record "$only" 0 1
        return 1
    fi
    if [[ -z $only ]]; then
        targets+=(everbloom everbloom_c everbloom_cli)
        if [[ -z $core ]]; then
            doors=(-DEVERBLOOM_SQLITE:BOOL=ON -DEVERBLOOM_REDIS:BOOL=ON)
            targets+=(everbloom_sqlite everbloom_redis everbloom_redis_rival)
        fi
    fi
    configure_preset dev "${doors[@]}" || true # a failure shows in the build
    build "build (dev)" dev "${targets[@]}"
}

stage_suites() {
    stage "suites"
    local suites
    mapfile -t suites < <(chosen_suites)
    run_suites dev "" "${suites[@]}"
}

stage_doors() {
    stage_sqlite
    stage_python
    stage_redis
    stage_cluster
    stage_foreign
    stage_web
}

stage_sqlite() {
    stage "SQLite extension"
    ensure_packages "${packages_sqlite[@]}"
    configure_preset dev -DEVERBLOOM_SQLITE:BOOL=ON || true
    build "build (sqlite)" dev everbloom_sqlite everbloom_cli || return 0
    check "in the sqlite3 shell" "$root/tools/check_sqlite" "$root/build/dev/everbloom_sqlite.so" "$root/build/dev/bin/everbloom" || true
}

# The package as users get it: a wheel, in a fresh virtual environment outside of the tree. Once for all stages of a run.
install_python_package() {
    local folder=$results/python
    [[ ! -e $folder ]] || { [[ -x $folder/venv/bin/python ]] && return 0 || return 1; }
    ensure_packages "${packages_python[@]}"
    mkdir "$folder"
    check "wheel" "$root/tools/python_wheel" dev "$folder/wheels" || return 1
    check "fresh virtual environment" "$root/tools/python_environment" "$folder/wheels" "$folder/venv" || return 1
}

# Every test counts as one.
stage_python() {
    stage "Python package"
    local folder=$results/python start passed failed
    install_python_package || return 0
    start=$(now)
    (cd "$folder" && timeout --kill-after=10 "${EVERBLOOM_SUITE_SECONDS:-900}" venv/bin/python "$root/bindings/python/tests/run.py" count \
        </dev/null >tests.log 2>&1) || true
    read -r passed failed < <(cat "$folder/count" 2>/dev/null || echo 0 1)
    record "python" "$passed" "$failed"
    if ((failed == 0)); then
        print_result ok "python" "$passed cases, $(seconds_since "$start")"
    else
        tail -n 80 "$folder/tests.log" >"$folder/tests.tail"
        print_result FAILED "python" "$failed failed, $(seconds_since "$start")" "$folder/tests.tail"
    fi
}

# Our filters in the formats of other programs, and theirs, asked by both sides.
stage_foreign() {
    stage "filters of other programs"
    ensure_packages "${packages_foreign[@]}"
    build "build (program)" dev everbloom_cli || return 0
    local cli=$root/build/dev/bin/everbloom
    check "foreign: DCSO's bloom" "$root/tests/foreign/run" "$cli" dcso || true
    check "foreign: Guava" "$root/tests/foreign/run" "$cli" guava || true
    check "foreign: DuckDB from npm" "$root/tests/foreign/install" "$root/build/node-duckdb" || return 0
    check "foreign: DuckDB" "$root/tests/foreign/run" "$cli" duckdb "$root/build/node-duckdb" || true
}

# run_redis_tests MODULE SUFFIX: each file with servers of its own, on the loopback interface and free ports; two at a time.
run_redis_tests() {
    local half file name number=0 halves=()
    for half in 0 1; do
        for file in "$root"/tests/redis/test_*.py; do
            number=$((number + 1))
            ((number % 2 == half)) || continue
            name=${file##*/test_} name=${name%.py}
            check "redis: $name$2" "$root/tests/redis/run" "$1" "$name" || true
        done &
        halves+=($!)
    done
    wait "${halves[@]}" || true
}

stage_redis() {
    stage "Redis module"
    ensure_packages "${packages_redis[@]}"
    command -v npm >/dev/null || ensure_packages "${packages_node[@]}"
    configure_preset dev -DEVERBLOOM_REDIS:BOOL=ON || true
    build "build (redis)" dev everbloom_redis everbloom_redis_rival everbloom_cli || return 0
    check "redis: node-redis from npm" "$root/tests/redis/node/install" "$root/build/node-redis" || true
    run_redis_tests "$root/build/dev/everbloom.so" ""
    [[ -z $long ]] || check "redis: the server's own header" "$root/tests/redis/check_header" || true
    [[ -z $long || $only != redis ]] || redis_under_asan
}

# Three masters and three replicas on the loopback interface. The two mostly wait, for servers to notice that another one is gone.
stage_cluster() {
    stage "Redis Cluster"
    ensure_packages "${packages_redis[@]}"
    configure_preset dev -DEVERBLOOM_REDIS:BOOL=ON || true
    build "build (redis)" dev everbloom_redis everbloom_cli || return 0
    install_python_package || return 0
    local module=$root/build/dev/everbloom.so python=$results/python/venv/bin/python table=$root/build/log/cluster.txt
    rm -f "$table"
    EVERBLOOM_CLI=$root/build/dev/bin/everbloom check "cluster: Python package" "$root/tests/redis/run_cluster" "$module" "$python" client &
    local client=$!
    check "cluster: members after accidents" "$root/tests/redis/run_cluster" "$module" "$python" events "$table" || true
    wait "$client" || true
    [[ ! -f $table ]] || printf '  the table of events is in %s\n' "${table#"$root/"}"
}

# Part of stage_asan with --long, because it builds in the same folder.
redis_under_asan() {
    ensure_packages "${packages_redis[@]}"
    configure_preset asan -DEVERBLOOM_REDIS:BOOL=ON || true
    build "build (redis, asan)" asan everbloom_redis everbloom_redis_rival || return 0
    EVERBLOOM_REDIS_SANITIZED=1 EVERBLOOM_TEST_ROUNDS=many run_redis_tests "$root/build/asan/everbloom.so" " (asan)"
}

# counted_tests NAME COMMAND...: node's tests, each of which counts as one.
counted_tests() {
    local name=$1 log=$results/${1//[^A-Za-z0-9]/_}.log start passed failed
    shift
    start=$(now)
    timeout --kill-after=10 "${EVERBLOOM_SUITE_SECONDS:-900}" "$@" </dev/null >"$log" 2>&1 || true
    passed=$(sed -n 's/^# pass //p' "$log")
    failed=$(awk '/^# (fail|cancelled) / { sum += $3; seen = 1 } END { if (seen) print sum }' "$log")
    # A run that did not come to its end has no sums.
    [[ -n $passed && -n $failed ]] && ((passed > 0)) || { passed=0 failed=1; }
    record "$name" "$passed" "$failed"
    if ((failed == 0)); then
        print_result ok "$name" "$passed cases, $(seconds_since "$start")"
    else
        { grep -v -E '^(ok|# Subtest)' "$log" || true; } | head -n 150 >"$log.tail"
        print_result FAILED "$name" "$failed failed, $(seconds_since "$start")" "$log.tail"
    fi
}

# The modules, the npm package in node, and the page in Chromium, on the loopback interface; compared with the native program.
stage_web() {
    stage "npm package and page"
    ensure_packages "${packages_web[@]}" "${packages_web_test[@]}"
    local made=$root/build/web
    build "build (native program)" dev everbloom_cli || return 0
    check "WebAssembly modules" "$root/tools/web" modules || return 0
    check "npm package" "$root/tools/web" package || return 0
    check "page" "$root/tools/web" page || return 0
    check "sizes" "$root/tools/check_web_sizes" || true
    # Side by side: most of the time one of them waits for its browser.
    local file name running=()
    EVERBLOOM_PACKAGE=$made/package counted_tests "npm" node --test --test-reporter=tap "$root"/bindings/js/tests/*.test.mjs &
    running+=($!)
    for file in "$root"/web/tests/*.test.mjs; do
        name=${file##*/}
        EVERBLOOM_NODE_MODULES=$made/npm/node_modules EVERBLOOM_PAGE=$made/page EVERBLOOM_CLI=$root/build/dev/bin/everbloom \
            counted_tests "page: ${name%.test.mjs}" node --test --test-reporter=tap "$file" &
        running+=($!)
    done
    wait "${running[@]}" || true
}

stage_source() {
    stage "source"
    check "layers" "$root/tools/check_layers" || true
    check "version" "$root/tools/check_version" || true
    check "formatting" "$root/tools/check_format" &
    local formatting=$!
    [[ ! -x $root/build/dev/bin/everbloom ]] ||
        check "documents" "$root/tools/check_docs" "$root/build/dev/bin/everbloom" || true
    wait "$formatting" || true
    if [[ -n $long ]]; then
        build "headers stand alone" dev everbloom_verify_interface_header_sets || true
        ensure_packages "${packages_portability[@]}"
        check "32 bits, libc++, WebAssembly" "$root/tools/check_portability" || true
        configure_preset release -DEVERBLOOM_BENCH:BOOL=ON || true
        build "benchmarks" release everbloom_bench || true
        check "reference" "$root/tools/make_reference" || true
    fi
}

stage_asan() {
    stage "unit, contract and hostile under AddressSanitizer and UndefinedBehaviorSanitizer"
    local suites
    mapfile -t suites < <(existing_suites "${asan_suites[@]}" ${long:+capi})
    ((${#suites[@]})) || return 0
    # A program that the hostile suite runs needs the library without sanitizers. A run of everything has built it before.
    [[ -z $only ]] || { configure_preset dev && build_preset dev "" everbloom; } || true # a failure shows below
    # UBSan looks at every pointer before every access and after every sum. Most of what that finds AddressSanitizer finds too, and it
    # takes half of the build's time: only --long does it.
    local less=null,alignment,object-size,vptr,pointer-overflow,nonnull-attribute,returns-nonnull-attribute
    [[ -z $long ]] || less=
    configure_preset asan "-DEVERBLOOM_PLAIN_LIBRARY:FILEPATH=$root/build/dev/libeverbloom.a" \
        "-DEVERBLOOM_SANITIZE_LESS:STRING=$less" || true
    build "build (asan)" asan "${suites[@]/#/test_}" || return 0
    # Freed memory is kept for a while so that its use is noticed. 256 MiB, the default, are mostly page faults here.
    ASAN_OPTIONS=quarantine_size_mb=16 EVERBLOOM_TEST_ROUNDS=few run_suites asan " (asan)" "${suites[@]}"
    [[ -z $long ]] || redis_under_asan
}

stage_threads() {
    stage "threads, under ThreadSanitizer"
    build "build (tsan)" tsan test_threads || return 0
    run_suites tsan " (tsan)" threads
}

stage_fuzz() {
    stage "fuzz, $fuzz_seconds s each"
    [[ -n $(find "$root/tests/fuzz" -maxdepth 1 -name '*.cpp' -print -quit 2>/dev/null) ]] || return 0
    build "build (fuzz)" fuzz || return 0
    local source
    for source in "$root"/tests/fuzz/*.cpp; do
        source=${source##*/}
        printf '%s\0' "$root/build/fuzz/bin/fuzz_${source%.cpp}" "$fuzz_seconds"
    done | xargs -0 -r -n 2 -P 2 "$root/tools/run_fuzz.sh" || true
}

# The packages of a release: made, installed into a fresh Debian, and used there.
stage_packages() {
    stage "packages"
    if check "make_packages" "$root/tools/make_packages"; then
        check "installed in a fresh Debian" "$root/tools/check_packages" || true
    fi
}

# What other POSIX systems take instead of Linux' own calls.
stage_portable() {
    stage "portable twins"
    local suites
    mapfile -t suites < <(existing_suites unit cli)
    build "build (portable)" portable "${suites[@]/#/test_}" || return 0
    run_suites portable " (portable)" "${suites[@]}"
}

stage_aarch64() {
    stage "64-bit ARM, by qemu"
    check "unit (aarch64)" "$root/tools/check_aarch64" unit || true
}

stage_site() {
    stage "documentation site"
    if check "site" "$root/tools/make_site" --out "$results/site"; then
        check "links of the site" "$root/tools/check_site" "$results/site" || true
    fi
}

# Speed that was won and lost again would not show in any other test.
stage_instructions() {
    stage "instructions of hot loops"
    ensure_packages "${packages_instructions[@]}"
    configure_preset release -DEVERBLOOM_BENCH:BOOL=ON || true
    build "build (hot loops)" release everbloom_hot_loops everbloom_cli || return 0
    check "instructions" "$root/tools/check_instructions" || true
}

stage_install() {
    stage "install"
    local folder=$results/install mode
    mkdir "$folder"
    # Most of these wait for one compiler: two at a time.
    {
        if check "install" "$root/tools/check_install.sh" install "$folder"; then
            for mode in cmake pkgconfig c readme examples; do
                check "installed tree: $mode" "$root/tools/check_install.sh" "$mode" "$folder" || true
            done
        fi
    } &
    local installed=$!
    check "what the compiler says" "$root/tools/check_compile" || true
    for mode in subdirectory fetch_content; do
        check "embedded tree: $mode" "$root/tools/check_install.sh" "$mode" "$folder" ${long:+whole} || true
    done
    wait "$installed" || true
}

stage_tidy() {
    stage "clang-tidy"
    check "clang-tidy" "$root/tools/check_tidy" || true
}
