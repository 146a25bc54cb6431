# shellcheck shell=bash
# shellcheck disable=SC2154  # $root is set by the script that sources this file
# Lists the project's own files, one path per line, relative to $root: what git tracks or would track, or, in a
# tree that is not a git checkout (a release archive), everything outside the build folder.
project_files() {
    (
        cd "$root" || exit
        if [[ $(git rev-parse --show-toplevel 2>/dev/null) == "$root" ]]; then
            git ls-files -co --exclude-standard
        else
            find . -type f -not -path './build/*' -not -path './.git/*' -printf '%P\n'
        fi | while IFS= read -r path; do
            # A file deleted but not yet committed is still on git's list.
            [[ ! -f $path ]] || printf '%s\n' "$path"
        done | sort
    )
}
