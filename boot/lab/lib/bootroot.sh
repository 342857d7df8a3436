# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The root of boot/tests: a whole small Debian with GRUB's tools, made as root (maintainer scripts run). After build_bootroot: BOOTROOT.

readonly BOOTROOT_SUITE=trixie

bootroot_make() {
  remove_tree "$1" && mkdir -p "$1" || return 1
  apt_source_line "$BOOTROOT_SUITE" |
    mmdebstrap --mode=root --variant=minbase --include="$2" --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
      --dpkgopt='path-exclude=/usr/share/man/*' --aptopt='Acquire::Languages "none"' "$BOOTROOT_SUITE" "$1/root" - &&
    rm -rf "$1"/root/var/{cache,lib}/apt "$1"/root/boot/*
}

# build_bootroot: the root for this package list.
build_bootroot() {
  local key packages
  packages=$(packages_of "$LAB_ROOT/boot/lab/bootroot.list")
  key=$(printf '%s\n' "$BOOTROOT_SUITE" "$packages" "$(declare -f bootroot_make)" | hash_text)
  BOOTROOT=$LAB_CACHE/rootfs/bootroot-$key/root
  [ -d "$BOOTROOT" ] || cache_locked "bootroot-$key" bootroot_unless_done "$(dirname "$BOOTROOT")" "$packages"
  touch "$(dirname "$BOOTROOT")" # clean goes by age of last use
}

bootroot_unless_done() {
  [ ! -d "$1/root" ] || return 0
  need_space "$LAB_CACHE" 600 "the root of the boot tests"
  make_tree "the root of the boot tests (Debian $BOOTROOT_SUITE)" bootroot_make "$1" "$2"
}
