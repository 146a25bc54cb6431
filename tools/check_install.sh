#!/usr/bin/env bash
# Checks that an installed everbloom works for other projects: four modes of this script, run in order in
# the same working folder: `install` puts build/dev there; `cmake` and `pkgconfig` build and run the project in
# tests/install/consumer against it; `readme` does the same with the first ```cpp block of README.md.
#
#   tools/check_install.sh install|cmake|pkgconfig|readme FOLDER
set -euo pipefail

root=$(dirname -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")")
mode=$1 folder=$2
prefix=$folder/prefix consumer=$root/tests/install/consumer

compile_with_pkg_config() { # SOURCE PROGRAM
    local pc flags
    pc=$(find "$prefix" -name everbloom.pc -print -quit)
    flags=$(PKG_CONFIG_PATH=${pc%/*} pkg-config --cflags --libs everbloom)
    # pkg-config quotes what a shell needs quoted, so a shell has to read it.
    eval "g++ -std=c++20 -Wall -Wextra \"\$1\" -o \"\$2\" $flags"
}

run() { (cd "$folder" && timeout 60 "$1" </dev/null); }

case $mode in
install)
    cmake --install "$root/build/dev" --prefix "$prefix"
    for printed in man/man1/everbloom.1 bash-completion/completions/everbloom zsh/site-functions/_everbloom \
        fish/vendor_completions.d/everbloom.fish; do
        if [[ ! -s $prefix/share/$printed ]]; then
            echo "share/$printed is missing or empty"
            exit 1
        fi
    done
    ;;
cmake)
    cmake -G Ninja -S "$consumer" -B "$folder/consumer" -DCMAKE_PREFIX_PATH="$prefix"
    cmake --build "$folder/consumer"
    run "$folder/consumer/consumer"
    ;;
pkgconfig)
    compile_with_pkg_config "$consumer/main.cpp" "$folder/consumer_pc"
    run "$folder/consumer_pc"
    ;;
readme)
    awk '/^```cpp/ { inside = 1; next } inside && /^```/ { exit } inside' "$root/README.md" >"$folder/readme.cpp"
    if [[ ! -s $folder/readme.cpp ]]; then
        echo "README.md has no cpp block"
        exit 1
    fi
    compile_with_pkg_config "$folder/readme.cpp" "$folder/readme"
    run "$folder/readme"
    ;;
*)
    echo "usage: check_install.sh install|cmake|pkgconfig|readme FOLDER" >&2
    exit 64
    ;;
esac
