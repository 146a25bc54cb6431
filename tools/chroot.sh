# shellcheck shell=bash
# A fresh Debian in a folder, for checks that must not touch, or profit from, what is installed here. Sourced by tools/check_packages and
# tools/check_aarch64. Needs root.

# make_chroot FOLDER LOG: the same Debian as this machine's, from the same mirror, with nothing but its base.
make_chroot() {
    local folder=$1 log=$2 suite mirror
    # shellcheck source=/dev/null
    suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
    # shellcheck disable=SC2016 # apt's own variables
    mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' |
        awk -v suite="$suite" '$2 == suite && $3 == "main" { print $1; exit }')
    if [[ -z $mirror ]]; then
        echo "apt knows no mirror of $suite" >&2
        return 1
    fi
    debootstrap --variant=minbase "$suite" "$folder" "$mirror" >"$log" 2>&1 || {
        tail -n 20 "$log" >&2
        return 1
    }
    chmod 755 "$folder" # apt works as another user
    [[ ! -e /etc/resolv.conf ]] || cat /etc/resolv.conf >"$folder/etc/resolv.conf"
    printf '#!/bin/sh\nexit 101\n' >"$folder/usr/sbin/policy-rc.d" # packages start no servers here
    chmod 755 "$folder/usr/sbin/policy-rc.d"
    rm -f "$folder"/etc/dpkg/dpkg.cfg.d/* # some images leave out manual pages
}

# inside COMMAND...: in $chroot, with a plain environment.
inside() {
    chroot "${chroot:?}" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@" </dev/null
}

# install PACKAGE...: quietly, unless it fails.
install() {
    inside apt-get install -qq -y --no-install-recommends "$@" >"$chroot/tmp/apt.log" 2>&1 || {
        tail -n 20 "$chroot/tmp/apt.log" >&2
        return 1
    }
}
