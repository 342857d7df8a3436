# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The guest's root file system, made once from the packages in rootfs.list. After build_rootfs: ROOTFS_DIR.

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

# rootfs_make PARTIAL PACKAGES: the packages, then rootfs_finish.
rootfs_make() {
  extract_packages "$1" "$ROOTFS_SUITE" amd64 "$2" && rootfs_finish "$1/root"
}

# build_rootfs: the guest root for this package list.
build_rootfs() {
  local key packages
  packages=$(packages_of "$LAB_ROOT/boot/lab/rootfs.list")
  key=$(printf '%s\n' "$ROOTFS_REVISION" "$ROOTFS_SUITE" "$packages" "$(declare -f rootfs_finish)" | hash_text)
  ROOTFS_DIR=$LAB_CACHE/rootfs/$ROOTFS_SUITE-$key/root
  [ -d "$ROOTFS_DIR" ] || cache_locked "rootfs-$key" rootfs_unless_done "$(dirname "$ROOTFS_DIR")" "$packages"
  touch "$(dirname "$ROOTFS_DIR")" # clean goes by age of last use
}

rootfs_unless_done() {
  [ ! -d "$1/root" ] || return 0
  need_space "$LAB_CACHE" 900 "the guest's root file system"
  make_tree "the guest's root file system (Debian $ROOTFS_SUITE)" rootfs_make "$1" "$2"
}

# rootfs_package NAME: the version of a package in the guest's root.
rootfs_package() { sed -n "s/^$1_\([^_]*\)_.*/\1/p" "$(dirname "$ROOTFS_DIR")/packages" | sed 's/%3a/:/' | head -n 1; }
