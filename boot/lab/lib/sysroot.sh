# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The arm64 sysroot that programs for a board are compiled against. After build_sysroot: SYSROOT_DIR.

readonly SYSROOT_SUITE=bookworm # the oldest C library a board is expected to have; its programs run on newer ones

# sysroot_make PARTIAL PACKAGES: absolute links of a root, such as a library's, must stay inside it.
sysroot_make() {
  local link target
  extract_packages "$1" "$SYSROOT_SUITE" arm64 "$2" || return 1
  while read -r link; do
    target=$(readlink "$link")
    ln -sfn "$(realpath -m --relative-to="$(dirname "$link")" "$1/root$target")" "$link"
  done < <(find "$1/root/usr/lib" "$1/root/usr/include" -type l -lname '/*')
  rm -rf "$1/root"/usr/share/{doc,man,info,locale} "$1/root"/var/{cache,lib}/apt
}

# build_sysroot: the sysroot for this package list.
build_sysroot() {
  local key packages
  packages=$(packages_of "$LAB_ROOT/boot/lab/sysroot.list")
  key=$(printf '%s\n' "$SYSROOT_SUITE" "$packages" "$(declare -f sysroot_make extract_packages)" | hash_text)
  SYSROOT_DIR=$LAB_CACHE/sysroot/arm64-$key/root
  [ -d "$SYSROOT_DIR" ] || cache_locked "sysroot-$key" sysroot_unless_done "$(dirname "$SYSROOT_DIR")" "$packages"
  touch "$(dirname "$SYSROOT_DIR")" # clean goes by age of last use
}

sysroot_unless_done() {
  [ ! -d "$1/root" ] || return 0
  need_space "$LAB_CACHE" 400 "the arm64 sysroot"
  make_tree "the arm64 sysroot (Debian $SYSROOT_SUITE)" sysroot_make "$1" "$2"
}
