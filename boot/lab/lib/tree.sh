# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Directory trees made of Debian packages by mmdebstrap: the guest's root, the sysroot of the cross-compiler.
# The packages are only extracted: no maintainer script runs, so no chroot is needed and any user can make one.

# packages_of LIST: the names in a package list, comma-separated.
packages_of() { awk '!/^#/ && NF { print $1 }' "$1" | paste -sd,; }

# extract_packages PARTIAL SUITE ARCHITECTURE PACKAGES: mmdebstrap to a tar stream, so that the files belong to whoever runs
# this; gives PARTIAL/root and PARTIAL/packages, the names of the archives.
extract_packages() {
  local partial=$1 suite=$2 architecture=$3 packages=$4 mode=root owner=--same-owner
  remove_tree "$partial" && mkdir -p "$partial/root" || return 1
  if [ "$(id -u)" -ne 0 ]; then
    mode=chrootless owner=--no-same-owner
  fi
  # shellcheck disable=SC2016 # the hook expands it
  apt_source_line "$suite" "$architecture" |
    mmdebstrap --mode="$mode" --variant=extract --architectures="$architecture" --include="$packages" --skip=check/empty,check/qemu \
      --aptopt='Acquire::Languages "none"' --extract-hook='ls "$1/var/cache/apt/archives" >"$1/packages"' "$suite" - - |
    tar -x "$owner" --exclude='./dev/*' -C "$partial/root" || return 1
  mv "$partial/root/packages" "$partial/packages"
}

# make_tree WHAT FUNCTION DIRECTORY PACKAGES: FUNCTION makes DIRECTORY.partial, which is then published; says what went wrong.
make_tree() {
  local log
  log=$LAB_CACHE/logs/$(basename "$(dirname "$3")").log
  step "making $1" "$log" "$2" "$3.partial" "$4" || {
    ! grep -qiE 'could not resolve|could not connect|temporary failure|unreachable|connection timed out' "$log" ||
      die "$EX_NETWORK" "no network: the packages of $1 could not be fetched"
    die "$EX_BUILD" "could not make $1 ($log)"
  }
  publish "$3.partial" "$3"
}
