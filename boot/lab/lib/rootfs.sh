# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The guest's root file system, made once by mmdebstrap from the packages in rootfs.list. After build_rootfs: ROOTFS_DIR.
# Its packages are only extracted: no maintainer script runs, so no chroot is needed and any user can make it.

readonly ROOTFS_SUITE=forky
readonly ROOTFS_REVISION=2 # raise it when the steps below change

# rootfs_finish ROOT: what maintainer scripts would have done, and nothing the guest does not use.
rootfs_finish() {
  local root=$1
  printf 'root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/bin/false\n' >"$root/etc/passwd"
  printf 'root:x:0:\nvideo:x:44:\nrender:x:105:\nnogroup:x:65534:\n' >"$root/etc/group"
  printf 'panthor-lab\n' >"$root/etc/hostname"
  printf 'hosts: files\npasswd: files\ngroup: files\n' >"$root/etc/nsswitch.conf"
  [ -e "$root/usr/bin/awk" ] || ln -s mawk "$root/usr/bin/awk"
  mkdir -p "$root/proc" "$root/sys" "$root/dev" "$root/run" "$root/tmp" "$root/mnt" "$root/root" "$root/lib/modules"
  # Of the firmware package the Mali files stay; documentation, locales and Python's and Perl's libraries go.
  find "$root/usr/lib/firmware" -mindepth 1 -maxdepth 1 ! -name arm -exec rm -rf {} +
  rm -rf "$root"/usr/share/{doc,man,info,locale,i18n,bug,lintian,zoneinfo,icons} "$root"/usr/lib/python3* "$root"/var/{cache,lib}/apt
  [ -e "$root/usr/lib/firmware/arm/mali/arch10.8/mali_csffw.bin" ] || { echo "no Mali firmware in the root" && return 1; }
  [ -x "$root/usr/libexec/igt-gpu-tools/panthor/panthor_query" ] || { echo "no IGT panthor tests in the root" && return 1; }
}

# rootfs_make PARTIAL PACKAGES: mmdebstrap to a tar stream (so that the files belong to whoever runs this), then rootfs_finish.
rootfs_make() {
  local partial=$1 packages=$2 mode=root owner=--same-owner
  remove_tree "$partial" && mkdir -p "$partial/root" || return 1
  if [ "$(id -u)" -ne 0 ]; then
    mode=chrootless owner=--no-same-owner
  fi
  # shellcheck disable=SC2016 # the hook expands it
  apt_source_line "$ROOTFS_SUITE" |
    mmdebstrap --mode="$mode" --variant=extract --architectures=amd64 --include="$packages" --skip=check/empty --aptopt='Acquire::Languages "none"' \
      --extract-hook='ls "$1/var/cache/apt/archives" >"$1/packages"' "$ROOTFS_SUITE" - - |
    tar -x "$owner" --exclude='./dev/*' -C "$partial/root" || return 1
  mv "$partial/root/packages" "$partial/packages" && rootfs_finish "$partial/root"
}

# build_rootfs: the guest root for this package list.
build_rootfs() {
  local key packages
  packages=$(awk '!/^#/ && NF { print $1 }' "$LAB_ROOT/boot/lab/rootfs.list" | paste -sd,)
  key=$(printf '%s\n' "$ROOTFS_REVISION" "$ROOTFS_SUITE" "$packages" "$(declare -f rootfs_finish)" | hash_text)
  ROOTFS_DIR=$LAB_CACHE/rootfs/$ROOTFS_SUITE-$key/root
  [ -d "$ROOTFS_DIR" ] || cache_locked "rootfs-$key" rootfs_unless_done "$(dirname "$ROOTFS_DIR")" "$packages"
  touch "$(dirname "$ROOTFS_DIR")" # clean goes by age of last use
}

rootfs_unless_done() {
  local log=$LAB_CACHE/logs/rootfs.log
  [ ! -d "$1/root" ] || return 0
  need_space "$LAB_CACHE" 900 "the guest's root file system"
  step "making the guest's root file system (Debian $ROOTFS_SUITE)" "$log" rootfs_make "$1.partial" "$2" || {
    ! grep -qiE 'could not resolve|could not connect|temporary failure|unreachable|connection timed out' "$log" ||
      die "$EX_NETWORK" "no network: the packages of the guest could not be fetched"
    die "$EX_BUILD" "the guest's root file system could not be made ($log)"
  }
  publish "$1.partial" "$1"
}

# rootfs_package NAME: the version of a package in the guest's root.
rootfs_package() { sed -n "s/^$1_\([^_]*\)_.*/\1/p" "$(dirname "$ROOTFS_DIR")/packages" | sed 's/%3a/:/' | head -n 1; }

# The root of boot/tests: a whole small Debian with GRUB's tools, made as root (maintainer scripts run). After build_bootroot: BOOTROOT.
readonly BOOTROOT_SUITE=trixie

build_bootroot() {
  local key packages
  packages=$(awk '!/^#/ && NF { print $1 }' "$LAB_ROOT/boot/lab/bootroot.list" | paste -sd,)
  key=$(printf '%s\n' "$BOOTROOT_SUITE" "$packages" "$(declare -f bootroot_make)" | hash_text)
  BOOTROOT=$LAB_CACHE/rootfs/bootroot-$key/root
  [ -d "$BOOTROOT" ] || cache_locked "bootroot-$key" bootroot_unless_done "$(dirname "$BOOTROOT")" "$packages"
  touch "$(dirname "$BOOTROOT")" # clean goes by age of last use
}

bootroot_make() {
  remove_tree "$1" && mkdir -p "$1" || return 1
  apt_source_line "$BOOTROOT_SUITE" |
    mmdebstrap --mode=root --variant=minbase --include="$2" --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
      --dpkgopt='path-exclude=/usr/share/man/*' --aptopt='Acquire::Languages "none"' "$BOOTROOT_SUITE" "$1/root" - &&
    rm -rf "$1"/root/var/{cache,lib}/apt "$1"/root/boot/*
}

bootroot_unless_done() {
  local log=$LAB_CACHE/logs/bootroot.log
  [ ! -d "$1/root" ] || return 0
  need_space "$LAB_CACHE" 600 "the root of the boot tests"
  step "making the root of the boot tests (Debian $BOOTROOT_SUITE)" "$log" bootroot_make "$1.partial" "$2" ||
    die "$EX_NETWORK" "the root of the boot tests could not be made ($log)"
  publish "$1.partial" "$1"
}
