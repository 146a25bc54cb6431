#!/usr/bin/env bash
# Checks that everbloom works for other projects: modes of this script, run one after the other in the same working folder.
#
#   install         puts build/dev into FOLDER/prefix; the next five use it
#   cmake           builds and runs the project in tests/install/consumer: find_package
#   pkgconfig       the same without CMake
#   c               builds and runs the project in tests/install/c_consumer, by CMake and by pkg-config, with a C compiler alone;
#                   and the tutorial, docs/c.md
#   readme          the same with the first ```cpp block of README.md
#   examples        builds and runs examples/, as a user who has copied that folder
#   subdirectory    configures tests/install/subdirectory, which embeds the source tree, and compiles its objects
#   fetch_content   the same with FetchContent
#
# The last two with `whole` also build the library that they embed, and run the program: minutes.
#
#   tools/check_install.sh MODE FOLDER [whole]
set -euo pipefail

root=$(dirname -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")")
mode=$1 folder=$2 whole=${3:-}
prefix=$folder/prefix consumer=$root/tests/install/consumer

compile_with_pkg_config() { # SOURCE PROGRAM
    local pc flags
    pc=$(find "$prefix" -name everbloom.pc -print -quit)
    flags=$(PKG_CONFIG_PATH=${pc%/*} pkg-config --cflags --libs everbloom)
    # pkg-config quotes what a shell needs quoted, so a shell has to read it.
    eval "g++ -std=c++20 -Wall -Wextra \"\$1\" -o \"\$2\" $flags"
}

# The three statements with everbloom's sources inside the other project's build.
embed() { # PROJECT
    local target=consumer_objects
    [[ -z $whole ]] || target=consumer
    cmake -G Ninja -S "$root/tests/install/$1" -B "$folder/$1" -DCMAKE_BUILD_TYPE=Release -DEVERBLOOM_TREE="$root"
    cmake --build "$folder/$1" --target "$target"
    [[ -z $whole ]] || run "$folder/$1/consumer"
}

run() { (cd "$folder" && timeout 60 "$1" </dev/null); }

case $mode in
install)
    cmake --install "$root/build/dev" --prefix "$prefix"
    for printed in man/man1/everbloom.1 man/man1/everbloom-create.1 man/man1/everbloom-gate-generate.1 bash-completion/completions/everbloom zsh/site-functions/_everbloom \
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
    run "$folder/consumer/three_statements"
    run "$folder/consumer/consumer"
    ;;
pkgconfig)
    compile_with_pkg_config "$consumer/main.cpp" "$folder/consumer_pc"
    run "$folder/consumer_pc"
    ;;
c)
    cmake -G Ninja -S "$root/tests/install/c_consumer" -B "$folder/c_consumer" -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_C_FLAGS="-Wall -Wextra -Wpedantic -Werror"
    cmake --build "$folder/c_consumer"
    run "$folder/c_consumer/c_consumer"
    pc=$(find "$prefix" -name everbloom-c.pc -print -quit)
    flags=$(PKG_CONFIG_PATH=${pc%/*} pkg-config --cflags --libs everbloom-c)
    # pkg-config quotes what a shell needs quoted, so a shell has to read it.
    eval "gcc -std=c99 -Wall -Wextra -Wpedantic -Werror \"\$root/tests/install/c_consumer/main.c\" -o \"\$folder/c_consumer_pc\" $flags"
    LD_LIBRARY_PATH=$(dirname "${pc%/*}") run "$folder/c_consumer_pc"
    # The blocks of the tutorial, in order, are one program: what it includes, then the body of main.
    awk '
        /^```c$/ { inside = 1; next }
        inside && /^```/ { inside = 0; next }
        inside && /^#include/ { print; next }
        inside { body = body $0 "\n" }
        END { printf "\nint main(void) {\n%sreturn 0;\n}\n", body }
    ' "$root/docs/c.md" >"$folder/tutorial.c"
    eval "gcc -std=c99 -Wall -Wextra -Wpedantic -Werror \"\$folder/tutorial.c\" -o \"\$folder/tutorial\" $flags"
    LD_LIBRARY_PATH=$(dirname "${pc%/*}") run "$folder/tutorial"
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
examples)
    # A copy: nothing of the source tree can be found from there.
    cp -r "$root/examples" "$folder/copied_examples"
    cmake -G Ninja -S "$folder/copied_examples" -B "$folder/examples" -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_CXX_FLAGS="-Wall -Wextra -Wpedantic -Werror"
    cmake --build "$folder/examples"
    ctest --test-dir "$folder/examples" --output-on-failure --no-tests=error --timeout 60
    # The pages about applications show what their programs print.
    for page in "$root"/docs/applications/*.md; do
        awk '/^```console/ { inside = 1; next } /^```/ { inside = 0 } inside' "$page" >"$folder/shown"
        grep '^\$ ' "$folder/shown" >"$folder/commands"
        while IFS= read -r command; do
            printf '%s\n' "$command"
            (cd "$folder/examples" && timeout 60 bash -c "${command#'$ '}")
        done <"$folder/commands" >"$folder/printed"
        diff "$folder/shown" "$folder/printed" || {
            echo "${page#"$root/"} does not show what the program prints"
            exit 1
        }
    done
    ;;
subdirectory | fetch_content)
    embed "$mode"
    ;;
*)
    echo "usage: check_install.sh install|cmake|pkgconfig|c|readme|examples|subdirectory|fetch_content FOLDER [whole]" >&2
    exit 64
    ;;
esac
