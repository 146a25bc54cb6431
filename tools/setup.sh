# shellcheck shell=bash
# What everbloom needs from the operating system, and how to get it. Sourced by ./everbloom and ./test, so that
# the list of packages exists once. It installs only what is absent, and says what it does on stderr, because
# stdout belongs to the program the user asked for.
#
# EVERBLOOM_NO_INSTALL=1 skips the whole step, for machines where the dependencies come from somewhere else.

# The command line tool.
# shellcheck disable=SC2034  # the lists are read by the scripts that source this file
packages_cli=(g++ cmake ninja-build pkg-config libxxhash-dev libfmt-dev nlohmann-json3-dev libcli11-dev zlib1g-dev libzstd-dev liblzma-dev libbz2-dev libboost-dev libpugixml-dev
    libpcap-dev libabsl-dev libre2-dev libidn2-dev libhiredis-dev)
# ./everbloom bench, in addition.
# shellcheck disable=SC2034
packages_bench=(libbenchmark-dev libbloom-dev)
# ./everbloom reproduce, in addition: it draws the figures. Without it the report has tables only.
# shellcheck disable=SC2034
packages_reproduce=(gnuplot-nox)
# ./test, in addition to the tool's and the benchmarks'.
# shellcheck disable=SC2034
packages_test=(libgtest-dev libsodium-dev librapidcheck-dev clang-14 libfuzzer-14-dev libclang-rt-14-dev clang-format-16 clang-tidy
    ccache golang-github-dcso-bloom-cli "${packages_reproduce[@]}")

# The SQLite extension and its tests.
# shellcheck disable=SC2034
packages_sqlite=(libsqlite3-dev sqlite3)

# The Python package (./everbloom python-install) and its tests.
# shellcheck disable=SC2034
packages_python=(python3-dev python3-venv python3-pip python3-setuptools python3-wheel python3-numpy)

# The Redis module: its tests, and ./everbloom redis-server.
# shellcheck disable=SC2034
packages_redis=(redis-server redis-tools python3 python3-redis)
# Its tests, in addition, where there is no npm yet.
# shellcheck disable=SC2034
packages_node=(nodejs npm)

# The page and the npm package (./everbloom page). npm comes with the nodejs of some sources and is a package of its own in Debian's.
# shellcheck disable=SC2034
packages_web=(g++ cmake ninja-build pkg-config libxxhash-dev libboost-dev emscripten nodejs)
command -v npm >/dev/null || packages_web+=(npm)
# Their tests, in addition.
# shellcheck disable=SC2034
packages_web_test=(chromium ccache)

# The programs whose filters we read and write (./test --only foreign); DuckDB comes from npm.
# shellcheck disable=SC2034
packages_foreign=(golang-github-dcso-bloom-cli libguava-java openjdk-17-jdk-headless nodejs)
command -v npm >/dev/null || packages_foreign+=(npm)

# tools/make_reference, alone.
# shellcheck disable=SC2034
packages_reference=(doxygen)

# ./everbloom site, in addition to the page's, the reference's and those of reproduce.
# shellcheck disable=SC2034
packages_site=(cmark-gfm katex python3 python3-pygments)

# tools/check_instructions (./test --long).
# shellcheck disable=SC2034
packages_instructions=(valgrind python3)

# tools/check_portability (./test --long).
# shellcheck disable=SC2034
packages_portability=(g++-12-multilib libc++-14-dev libc++abi-14-dev)

# Prints those of the given packages that are not installed, each once. One call of dpkg-query for all of them; it fails
# when it does not know a name, which also means that it is not installed.
absent_packages() {
    local installed package
    installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "$@" 2>/dev/null |
        sed -n 's/^installed //p' || true)
    for package in "$@"; do
        grep -qxF -- "$package" <<<"$installed" || printf '%s\n' "$package"
    done | awk '!seen[$0]++'
}

# Installs the absent ones among the given packages. Returns 1, after a message that names them, if it cannot.
ensure_packages() {
    [[ -z ${EVERBLOOM_NO_INSTALL:-} ]] || return 0
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        return 0 # not a Debian system: CMake will report what is missing
    fi
    local absent log as_root=()
    mapfile -t absent < <(absent_packages "$@")
    ((${#absent[@]})) || return 0

    if ((EUID != 0)); then
        if ! command -v sudo >/dev/null; then
            printf 'everbloom: these packages are missing and only root can install them:\n  apt-get install %s\n' \
                "${absent[*]}" >&2
            return 1
        fi
        as_root=(sudo)
    fi
    printf 'everbloom: installing %s\n' "${absent[*]}" >&2
    log=$(mktemp)
    # The lock timeout is for two of us starting at once on a fresh machine.
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300)
    # A stale or unreachable index is not fatal by itself: the packages may be in the cache.
    "${apt[@]}" update </dev/null >"$log" 2>&1 || true
    if ! "${apt[@]}" install -y --no-install-recommends "${absent[@]}" </dev/null >>"$log" 2>&1; then
        tail -n 15 "$log" >&2
        printf 'everbloom: apt-get failed (log: %s); please install: %s\n' "$log" "${absent[*]}" >&2
        return 1
    fi
    rm -f "$log"
}
